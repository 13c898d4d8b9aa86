//! How a stream, a client or a server can fail.

use std::fmt;
use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A failure, with what a reader needs to act on it. `Display` gives a lower-case fragment without final period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EngineError {
    /// The connection was refused, or the port is unreachable.
    Refused,
    /// No connection within the timeout.
    ConnectTimeout {
        /// The timeout.
        after: Duration,
    },
    /// No route to the address, or the network is down.
    Unreachable {
        /// The system's words.
        reason: String,
    },
    /// The permit key was missing or wrong.
    KeyRefused,
    /// The peer closed, reset or fell silent before the end.
    PeerVanished {
        /// What was seen.
        reason: String,
    },
    /// A UDP server did not report about the flow.
    NoReport {
        /// How long the client waited after its last datagram.
        after: Duration,
    },
    /// A peer that should send data sent nothing.
    NoData {
        /// How long this end waited.
        after: Duration,
    },
    /// The peer sent something that is not the iperf 2 protocol.
    Protocol {
        /// What was wrong with it.
        reason: String,
    },
    /// The system refused an operation.
    System {
        /// What was attempted, such as `bind to 127.0.0.1:5001`.
        operation: String,
        /// The system's words.
        reason: String,
    },
    /// It was cancelled.
    Cancelled,
}

impl EngineError {
    /// A failed system call.
    pub fn system(operation: impl Into<String>, error: &io::Error) -> Self {
        Self::System { operation: operation.into(), reason: error.to_string() }
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused => f.write_str("connection refused"),
            Self::ConnectTimeout { after } => {
                write!(f, "no connection within {}", span(*after))
            }
            Self::Unreachable { reason } => write!(f, "unreachable: {reason}"),
            Self::KeyRefused => f.write_str("the permit key was missing or wrong"),
            Self::PeerVanished { reason } => write!(f, "the peer vanished: {reason}"),
            Self::NoReport { after } => write!(
                f,
                "no report from the server within {:.1} s of the last datagram",
                after.as_secs_f64()
            ),
            Self::NoData { after } => {
                write!(f, "no data from the peer within {:.1} s", after.as_secs_f64())
            }
            Self::Protocol { reason } => write!(f, "not the iperf 2 protocol: {reason}"),
            Self::System { operation, reason } => write!(f, "failed to {operation}: {reason}"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

/// A time in seconds, or in milliseconds below one.
fn span(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}

impl std::error::Error for EngineError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_timeout_is_told_in_milliseconds() {
        let text = |after| EngineError::ConnectTimeout { after }.to_string();
        assert_eq!(text(Duration::from_millis(10)), "no connection within 10 ms");
        assert_eq!(text(Duration::from_millis(1500)), "no connection within 1.5 s");
    }
}
