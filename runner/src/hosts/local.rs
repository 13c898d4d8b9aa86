use std::net::SocketAddr;

use linerate_engine::cancel::Cancel;
use linerate_engine::config::{ClientConfig, ServerConfig};
use linerate_engine::error::EngineError;
use linerate_engine::net::{EventSink, Server, run_client};
use linerate_schema::results::HostFacts;

use super::engine_host::{EngineHost, RunningServer};
use super::facts;

/// This machine: the engine runs in this process.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalHost;

impl EngineHost for LocalHost {
    fn facts(&self) -> HostFacts {
        facts::of_this_machine()
    }

    fn start_server(
        &self,
        config: &ServerConfig,
        sink: EventSink,
    ) -> Result<Box<dyn RunningServer>, EngineError> {
        Ok(Box::new(LocalServer(Server::start(config, sink)?)))
    }

    fn run_client(&self, config: &ClientConfig, sink: &EventSink, cancel: &Cancel) {
        run_client(config, sink, cancel);
    }
}

struct LocalServer(Server);

impl RunningServer for LocalServer {
    fn address(&self) -> SocketAddr {
        self.0.address()
    }

    fn stop(self: Box<Self>) {
        self.0.stop();
    }
}
