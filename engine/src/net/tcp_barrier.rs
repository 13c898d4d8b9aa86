//! Where the parallel streams of a client wait until all of them have connected.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::clock;
use crate::cancel::Cancel;
use crate::protocol::tcp_limits::POLL;

/// A barrier for a known number of streams. A stream that could not connect arrives, too, but does not wait.
#[derive(Debug)]
pub(super) struct ConnectBarrier {
    missing: Mutex<usize>,
    changed: Condvar,
}

impl ConnectBarrier {
    pub(super) fn new(streams: usize) -> Self {
        Self { missing: Mutex::new(streams), changed: Condvar::new() }
    }

    /// One more stream knows whether it is connected.
    pub(super) fn arrive(&self) {
        // A number that a thread held when it panicked is still a number.
        let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        *missing = missing.saturating_sub(1);
        self.changed.notify_all();
    }

    /// Waits for all others, at most `limit`. Gives how long it took.
    pub(super) fn wait(&self, limit: Duration, cancel: &Cancel) -> Duration {
        let start = clock::monotonic();
        let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let waited = clock::monotonic().saturating_duration_since(start);
            if *missing == 0 || waited >= limit || cancel.is_cancelled() {
                return waited;
            }
            let patience = (limit - waited).min(POLL);
            (missing, _) = self
                .changed
                .wait_timeout(missing, patience)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

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
    fn the_wait_ends_at_its_limit_and_when_cancelled() {
        let barrier = ConnectBarrier::new(1);
        assert!(barrier.wait(Duration::from_millis(1), &Cancel::new()) >= Duration::from_millis(1));
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(barrier.wait(LONG, &cancel) < LONG);
    }
}
