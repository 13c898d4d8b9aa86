use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Transport protocol of a flow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// TCP.
    #[default]
    Tcp,
    /// UDP.
    Udp,
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
        })
    }
}

/// Who sends the data of a flow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// The client sends, the server receives.
    #[default]
    Forward,
    /// The server sends, the client receives (`iperf -R`).
    Reverse,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
        })
    }
}

/// What kind of traffic a flow is, as far as it decides which metrics and which intervals exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TrafficClass {
    /// Transport protocol.
    pub transport: Transport,
    /// Who sends the data.
    pub direction: Direction,
    /// Whether senders stamp their data for one-way latency.
    pub trip_times: bool,
    /// Whether intervals are recorded.
    pub intervals: bool,
    /// Length of a recorded interval, where it is known.
    pub interval: Option<Duration>,
    /// How long the flow sends, where it is known; a flow of so many bytes is done when they are sent.
    pub time: Option<Duration>,
    /// Whether the server is somebody else's, so that only the client's side and a UDP server report are known.
    pub external_server: bool,
}
