use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;

use super::client::EventSink;
use super::{tcp_server, udp_server};
use crate::cancel::Cancel;
use crate::config::{ServerConfig, ServerTransport};
use crate::error::EngineError;
use crate::event::StreamId;
use crate::sys::open_files;

/// A running server. Dropping it stops it and waits for its threads.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    cancel: Cancel,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Binds every port, and serves each from a thread of its own; when this returns, clients can connect.
    ///
    /// # Errors
    /// When the address cannot be bound or a socket option is refused.
    pub fn start(config: &ServerConfig, sink: EventSink) -> Result<Self, EngineError> {
        open_files::raise_limit();
        let numbers = StreamNumbers::default();
        let unspecified = SocketAddr::new(config.address, config.port);
        // Dropped, and with it what was started, when a later port cannot be bound.
        let mut server = Self { address: unspecified, cancel: Cancel::new(), threads: Vec::new() };
        for step in 0..config.ports.get() {
            let config = ServerConfig { port: port(config, step)?, ..config.clone() };
            let (sink, cancel) = (Arc::clone(&sink), server.cancel.clone());
            let reporting = Reporting { sink, cancel, numbers: numbers.clone() };
            let (address, thread) = match config.transport.clone() {
                ServerTransport::Tcp(options) => tcp_server::start(config, options, reporting)?,
                ServerTransport::Udp(options) => udp_server::start(config, options, reporting)?,
            };
            if step == 0 {
                server.address = address;
            }
            server.threads.push(thread);
        }
        Ok(server)
    }

    /// The address it listens on, and the first port.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends every running stream (they report as `Cancelled`), stops listening and waits; takes at most a second.
    pub fn stop(mut self) {
        self.join();
    }

    fn join(&mut self) {
        self.cancel.cancel();
        for thread in self.threads.drain(..) {
            // A panic of the server thread was already printed by the runtime; there is nothing to add here.
            let _ = thread.join();
        }
    }
}

/// Where a listener reports to, and what stops it.
pub(super) struct Reporting {
    pub(super) sink: EventSink,
    pub(super) cancel: Cancel,
    pub(super) numbers: StreamNumbers,
}

/// Numbers the streams of all listeners of a server, from 1.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamNumbers(Arc<AtomicU32>);

impl StreamNumbers {
    /// The next number; `None` when they are used up.
    pub(super) fn next(&self) -> Option<StreamId> {
        let next = |last: u32| last.checked_add(1);
        let last = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
        Some(StreamId(last + 1))
    }
}

/// The port of the listener `step` above the first one.
fn port(config: &ServerConfig, step: u16) -> Result<u16, EngineError> {
    let port = match config.port {
        0 if config.ports.get() > 1 => None,
        first => first.checked_add(step),
    };
    port.ok_or_else(|| EngineError::System {
        operation: format!("listen on {} ports from {}", config.ports, config.port),
        reason: "several ports need a fixed first one, and end at 65535".into(),
    })
}

impl Drop for Server {
    fn drop(&mut self) {
        self.join();
    }
}
