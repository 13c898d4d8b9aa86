use std::net::SocketAddr;
use std::thread::JoinHandle;

use super::client::EventSink;
use super::{tcp_server, udp_server};
use crate::cancel::Cancel;
use crate::config::{ServerConfig, ServerTransport};
use crate::error::EngineError;

/// A running server. Dropping it stops it and waits for its threads.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Binds, and serves from a thread of its own; when this returns, clients can connect.
    ///
    /// # Errors
    /// When the address cannot be bound or a socket option is refused.
    pub fn start(config: &ServerConfig, sink: EventSink) -> Result<Self, EngineError> {
        let cancel = Cancel::new();
        let (address, thread) = match &config.transport {
            ServerTransport::Tcp(options) => {
                tcp_server::start(config.clone(), options.clone(), sink, cancel.clone())?
            }
            ServerTransport::Udp(options) => {
                udp_server::start(config.clone(), options.clone(), sink, cancel.clone())?
            }
        };
        Ok(Self { address, cancel, thread: Some(thread) })
    }

    /// The address and port it listens on.
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
        if let Some(thread) = self.thread.take() {
            // A panic of the server thread was already printed by the runtime; there is nothing to add here.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.join();
    }
}
