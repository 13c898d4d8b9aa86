//! Where the parallel streams of a client wait until all of them have connected.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use super::clock;
use crate::cancel::Cancel;
use crate::protocol::tcp_limits::POLL;

/// A barrier for a known number of streams. A stream that could not connect arrives, too, but does not wait.
///
/// Only the last arrival wakes the others, and who wakes takes no lock: a thousand threads that want the same lock, while
/// those that have it already keep all processors busy, need seconds to get through.
#[derive(Debug)]
pub(super) struct ConnectBarrier {
    missing: AtomicUsize,
    waiting: Mutex<Vec<Thread>>,
}

impl ConnectBarrier {
    pub(super) fn new(streams: usize) -> Self {
        Self { missing: AtomicUsize::new(streams), waiting: Mutex::new(Vec::new()) }
    }

    /// One more stream knows whether it is connected.
    pub(super) fn arrive(&self) {
        let before = self
            .missing
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |missing| missing.checked_sub(1));
        if before == Ok(1) {
            self.waiting().iter().for_each(Thread::unpark);
        }
    }

    /// Waits for all others, at most `limit`. Gives how long it took.
    pub(super) fn wait(&self, limit: Duration, cancel: &Cancel) -> Duration {
        let start = clock::monotonic();
        if self.is_open() {
            return Duration::ZERO;
        }
        // Who comes here after the last arrival has looked sees the barrier open below.
        self.waiting().push(thread::current());
        loop {
            let waited = clock::monotonic().saturating_duration_since(start);
            if self.is_open() || waited >= limit || cancel.is_cancelled() {
                return waited;
            }
            thread::park_timeout((limit - waited).min(POLL));
        }
    }

    fn is_open(&self) -> bool {
        self.missing.load(Ordering::Acquire) == 0
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<Thread>> {
        // A list that a thread held when it panicked is still a list.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn everybody_waits_for_the_last_one() {
        let barrier = ConnectBarrier::new(3);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                barrier.arrive();
                barrier.wait(LONG, &Cancel::new())
            });
            barrier.arrive();
            assert!(!waiting.is_finished());
            barrier.arrive();
            assert!(waiting.join().unwrap() < LONG);
        });
    }

    #[test]
    fn a_thousand_streams_pass_while_those_before_them_keep_the_processors_busy() {
        const STREAMS: usize = 1000;
        let barrier = ConnectBarrier::new(STREAMS);
        let passed = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..STREAMS {
                scope.spawn(|| {
                    barrier.arrive();
                    barrier.wait(LONG, &Cancel::new());
                    passed.fetch_add(1, Ordering::Relaxed);
                    while passed.load(Ordering::Relaxed) < STREAMS {
                        std::hint::spin_loop();
                        thread::yield_now();
                    }
                });
            }
        });
        assert_eq!(passed.into_inner(), STREAMS);
    }

    #[test]
    fn the_wait_ends_at_its_limit_and_when_cancelled() {
        let barrier = ConnectBarrier::new(1);
        assert!(barrier.wait(Duration::from_millis(1), &Cancel::new()) >= Duration::from_millis(1));
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(barrier.wait(LONG, &cancel) < LONG);
    }
}
