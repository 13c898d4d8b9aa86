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
    /// Both send at the same time over the same connection (`iperf --full-duplex`).
    FullDuplex,
}

/// A way that data goes between the two ends of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// From the client to the server.
    Forward,
    /// From the server to the client.
    Reverse,
}

impl Direction {
    /// The ways that data goes.
    #[must_use]
    pub fn ways(self) -> &'static [Way] {
        match self {
            Self::Forward => &[Way::Forward],
            Self::Reverse => &[Way::Reverse],
            Self::FullDuplex => &[Way::Forward, Way::Reverse],
        }
    }

    /// The only way that data goes; `None` when it goes both ways.
    #[must_use]
    pub fn only_way(self) -> Option<Way> {
        match self.ways() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Whether the server sends, alone or too.
    #[must_use]
    pub fn has_reverse(self) -> bool {
        self.ways().contains(&Way::Reverse)
    }
}

impl Way {
    /// The word in assertions and reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
            Self::FullDuplex => "full-duplex",
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

impl TrafficClass {
    /// Whether the server, whoever runs it, tells the client at the end what it received.
    #[must_use]
    pub fn has_server_report(self) -> bool {
        self.transport == Transport::Udp && self.direction == Direction::Forward
    }
}
