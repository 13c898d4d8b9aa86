use linerate_engine::config::{Amount, ClientConfig};
use linerate_schema::scenario::{Direction, Transport};

use crate::engine_config::gap_between_writes;
use crate::plan::PlannedFlow;

/// What has to be known of a flow to conclude from its streams.
#[derive(Debug, Clone)]
pub struct FlowContext {
    /// Address and port of the server, as text.
    pub target: String,
    /// Transport protocol.
    pub transport: Transport,
    /// Who sends.
    pub direction: Direction,
    /// Whether the server is started by linerate, so that its figures are known.
    pub server_is_ours: bool,
    /// Number of streams that must run.
    pub streams: u16,
    /// What was asked for; absent when the flow could not be configured.
    pub config: Option<ClientConfig>,
}

impl FlowContext {
    /// The context of a planned flow; `config` is what its client was started with, if it was.
    #[must_use]
    pub fn new(flow: &PlannedFlow, config: Option<ClientConfig>) -> Self {
        let port = config.as_ref().map(|config| config.server.port()).or(flow.target.first_port());
        Self {
            target: address_and_port(&flow.target.address, port),
            transport: flow.transport,
            direction: flow.direction,
            server_is_ours: flow.target.started.is_some(),
            streams: flow.streams,
            config,
        }
    }

    /// Whether the server, whoever runs it, is to report at the end what it received.
    pub(super) fn expects_report(&self) -> bool {
        self.transport == Transport::Udp && self.direction == Direction::Forward
    }

    /// The time in seconds that a sender was asked to send, and the time between two writes at its rate.
    pub(super) fn asked_seconds_and_gap(&self) -> Option<(f64, f64)> {
        let Amount::Time(time) = self.config.as_ref()?.amount else { return None };
        Some((time.as_secs_f64(), self.gap_seconds()))
    }

    /// The time between two writes of a sender at its rate, in seconds; 0 when it is not known.
    pub(super) fn gap_seconds(&self) -> f64 {
        self.config.as_ref().map_or(0.0, |config| gap_between_writes(config).as_secs_f64())
    }

    /// The bytes that a sender was asked to send on each stream.
    pub(super) fn asked_bytes(&self) -> Option<u64> {
        match self.config.as_ref()?.amount {
            Amount::Bytes(bytes) => Some(bytes),
            Amount::Time(_) => None,
        }
    }
}

fn address_and_port(address: &str, port: Option<u16>) -> String {
    match port {
        Some(port) if address.contains(':') => format!("[{address}]:{port}"),
        Some(port) => format!("{address}:{port}"),
        None => address.to_owned(),
    }
}
