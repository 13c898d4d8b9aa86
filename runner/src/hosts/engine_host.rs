use std::net::SocketAddr;

use linerate_engine::cancel::Cancel;
use linerate_engine::config::{ClientConfig, ServerConfig};
use linerate_engine::error::EngineError;
use linerate_engine::net::EventSink;
use linerate_schema::results::HostFacts;

/// A host on which the engine runs. All calls may block; they come from several threads.
pub trait EngineHost: Send + Sync {
    /// What the host is; a fact that cannot be read is absent. The caller fills in name, kind and address.
    fn facts(&self) -> HostFacts;

    /// Starts a server; when this returns, clients can connect. Its events go to `sink`.
    ///
    /// # Errors
    /// When the address cannot be bound, a socket option is refused, or the host is lost.
    fn start_server(
        &self,
        config: &ServerConfig,
        sink: EventSink,
    ) -> Result<Box<dyn RunningServer>, EngineError>;

    /// Runs a client to its end, or until `cancel`. Every stream ends with one event that says so.
    fn run_client(&self, config: &ClientConfig, sink: &EventSink, cancel: &Cancel);
}

/// A server that was started on a host.
pub trait RunningServer: Send {
    /// The address and port it listens on.
    fn address(&self) -> SocketAddr;

    /// Ends every stream that still runs and stops listening. Events of those streams come before this returns.
    fn stop(self: Box<Self>);
}
