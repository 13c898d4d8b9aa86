use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    FlowReverse, IntervalMeasurement, Measurement, ReceiverSource, SourceLocation, StreamReverse,
    Verdict,
};
use crate::scenario::{Direction, Transport};

/// One client entry of a case: what was asked for, and what happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowResult {
    /// Name of the client entry; `client` when the test has only one unnamed client.
    pub name: String,
    /// The end that connected.
    pub client: Endpoint,
    /// The end that listened.
    pub server: Endpoint,
    /// Transport protocol.
    pub transport: Transport,
    /// Who sends the data.
    pub direction: Direction,
    /// Every option in effect, by its scenario key, as text that can be pasted into a scenario. Secrets are redacted.
    pub options: IndexMap<String, String>,
    /// The iperf 2 command that would send the same traffic from the client's end.
    pub iperf_client_command: String,
    /// The iperf 2 command that would serve it; absent for an external server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iperf_server_command: Option<String>,
    /// Pass when the flow ran to its end and moved data, error otherwise. Assertions do not influence it.
    pub verdict: Verdict,
    /// What went wrong; absent on a pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FlowFailure>,
    /// What the senders measured, summed over the streams: rates and counts add, distributions merge, jitter is the worst.
    /// Of a two-way flow this is the way from the client to the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<Measurement>,
    /// What the receivers measured, summed over the streams. Absent when nothing is known of the receiver: what a
    /// sender wrote never stands in for it. Of a two-way flow this is the way from the client to the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver: Option<Measurement>,
    /// Where the receiver's figures come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver_source: Option<ReceiverSource>,
    /// The way back of a two-way flow, from the server to the client; absent in flows of one way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<FlowReverse>,
    /// Each connection of the flow.
    pub streams: Vec<StreamResult>,
    /// Remarks that a reader should know, such as an option that the kernel rounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Where the client entry stands in the scenario file.
    pub location: SourceLocation,
}

/// One end of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// The host's name in the scenario.
    pub host: String,
    /// The server's name in the scenario; absent on the client's end and for a server written in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Address used, without port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Port used by the server; absent on the client's end, where each stream has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
}

/// Why a flow is an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowFailure {
    /// The class of failure.
    pub kind: FlowFailureKind,
    /// One sentence: what happened and what to do next.
    pub message: String,
}

/// Classes of flow failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlowFailureKind {
    /// The server could not be started.
    ServerStart,
    /// The connection was refused.
    Refused,
    /// No answer within the connect timeout.
    ConnectTimeout,
    /// No route, or network down.
    Unreachable,
    /// The server rejected the permit key, or it was missing.
    KeyRefused,
    /// The peer closed or reset the connection before the end.
    PeerVanished,
    /// The flow ended, but nothing arrived at the receiver.
    NoData,
    /// The receiver's figures never arrived (no report from the server).
    NoReport,
    /// The flow did not end within its time limit.
    Timeout,
    /// The run was interrupted.
    Interrupted,
    /// The peer spoke something else than the iperf 2 protocol.
    Protocol,
    /// The system refused: permission, no resources, unsupported option.
    System,
}

impl FlowFailureKind {
    /// The word used in every report and in `results.json`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ServerStart => "server-start",
            Self::Refused => "refused",
            Self::ConnectTimeout => "connect-timeout",
            Self::Unreachable => "unreachable",
            Self::KeyRefused => "key-refused",
            Self::PeerVanished => "peer-vanished",
            Self::NoData => "no-data",
            Self::NoReport => "no-report",
            Self::Timeout => "timeout",
            Self::Interrupted => "interrupted",
            Self::Protocol => "protocol",
            Self::System => "system",
        }
    }
}

/// One connection of a flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamResult {
    /// Number of the stream within its flow, from 1.
    pub stream: u32,
    /// The client's address and port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_address: Option<String>,
    /// The server's address and port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_address: Option<String>,
    /// Time that `connect` took (TCP only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_seconds: Option<f64>,
    /// Version that the peer announced, such as `2.1.8`; absent when it announced none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer_version: Option<String>,
    /// What the sender measured over the whole stream; of a two-way flow, the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<Measurement>,
    /// What the receiver measured over the whole stream; of a two-way flow, the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver: Option<Measurement>,
    /// What went wrong on this stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FlowFailure>,
    /// The sender's intervals; empty without `interval`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sender_intervals: Vec<IntervalMeasurement>,
    /// The receiver's intervals; empty without `interval`, or when the receiver is not ours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receiver_intervals: Vec<IntervalMeasurement>,
    /// The way back of a two-way flow, from the server to the client; absent in flows of one way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<StreamReverse>,
}
