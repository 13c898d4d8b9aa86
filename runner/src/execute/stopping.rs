use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::hosts::RunningServer;

/// Servers that are being stopped, each on a thread of its own.
///
/// A server takes up to a tenth of a second to notice. Once it has told everything about its streams nobody has to
/// wait for that, except for a new server at the same port, and the end of the run.
pub(super) struct StoppingServers {
    open: usize,
    stopped: Sender<()>,
    all_stopped: Receiver<()>,
}

impl StoppingServers {
    pub(super) fn new() -> Self {
        let (stopped, all_stopped) = mpsc::channel();
        Self { open: 0, stopped, all_stopped }
    }

    /// Stops a server, and returns at once.
    pub(super) fn stop(&mut self, server: Box<dyn RunningServer>) {
        let stopped = self.stopped.clone();
        let stop = move || {
            server.stop();
            // The run may have given up on this server.
            let _ = stopped.send(());
        };
        // Without a thread the server stops as the closure is dropped.
        let thread = thread::Builder::new().name("stop".to_owned()).spawn(stop);
        self.open += usize::from(thread.is_ok());
    }

    /// Whether all have stopped.
    pub(super) fn are_all_stopped(&mut self) -> bool {
        self.open = self.open.saturating_sub(self.all_stopped.try_iter().count());
        self.open == 0
    }

    /// Waits until all have stopped, or gives up on those that have not.
    pub(super) fn wait(&mut self, patience: Duration) {
        let began = Instant::now();
        while !self.are_all_stopped() {
            let left = patience.saturating_sub(began.elapsed());
            match self.all_stopped.recv_timeout(left) {
                Ok(()) => self.open -= 1,
                Err(_) => self.open = 0,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts when it has stopped; one that never does parks its thread.
    struct Counted {
        stopped: Arc<AtomicUsize>,
        hangs: bool,
    }

    impl RunningServer for Counted {
        fn address(&self) -> SocketAddr {
            SocketAddr::from(([127, 0, 0, 1], 1))
        }

        fn stop(self: Box<Self>) {
            if self.hangs {
                loop {
                    thread::park();
                }
            }
            self.stopped.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn waiting_ends_when_all_have_stopped_or_patience_does() {
        let stopped = Arc::new(AtomicUsize::new(0));
        let server = |hangs| Box::new(Counted { stopped: Arc::clone(&stopped), hangs });
        let mut stopping = StoppingServers::new();
        stopping.wait(Duration::ZERO);
        stopping.stop(server(false));
        stopping.stop(server(false));
        stopping.wait(Duration::from_secs(60));
        assert_eq!(stopped.load(Ordering::Relaxed), 2);
        stopping.stop(server(true));
        assert!(!stopping.are_all_stopped());
        stopping.wait(Duration::from_millis(1));
        assert!(stopping.are_all_stopped());
    }
}
