use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Distribution, ReceivedMarks};

/// What one end measured over a span of time. Fields that this traffic cannot produce are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// Length of the span; for several streams, from the start of the first to the end of the last, by the clock of this end.
    pub duration_seconds: f64,
    /// Payload bytes, test headers included, as iperf 2 counts them.
    pub transfer_bytes: u64,
    /// `transfer_bytes` · 8 / `duration_seconds`, for one stream as for several; 0 when no time passed.
    pub throughput_bits_per_second: f64,
    /// UDP receiver, or UDP sender (only `sent`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datagrams: Option<DatagramCounts>,
    /// Interarrival jitter, RFC 3550 section 6.4.1, at the end of the span; the worst of several streams. UDP receiver only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter_seconds: Option<f64>,
    /// One-way latency of datagrams (UDP) or bursts (TCP); receiver with `trip-times` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Distribution>,
    /// Kernel state of the TCP connection, as sampled at the end of the span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpState>,
    /// Sender's write calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<WriteCounts>,
    /// Receiver's read calls that returned data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<u64>,
    /// How datagrams were marked on arrival; UDP receiver on a system that tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<ReceivedMarks>,
}

/// Datagram accounting. `lost`, `out_of_order` and `duplicates` are exact over the run, not estimates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DatagramCounts {
    /// Data datagrams sent, the end marker excluded: counted by a sender, inferred from the sequence numbers by a receiver.
    pub sent: u64,
    /// Distinct data datagrams received; absent on a sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<u64>,
    /// Sent and never received; absent on a sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<u64>,
    /// Received after a datagram with a higher sequence number (RFC 4737 section 3.3); absent on a sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_of_order: Option<u64>,
    /// Received more than once (RFC 5560); absent on a sender, and where an iperf server reported them together with
    /// `out_of_order`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicates: Option<u64>,
    /// Due by the rate that was asked for, and not sent because the sending host was too slow; sender only, absent when none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsent: Option<u64>,
    /// Of the lost ones, at most so many reached the receiving host and were dropped by its full receive buffer; receiver
    /// only, for the whole stream only, absent when none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_by_host: Option<u64>,
}

/// `TCP_INFO` of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TcpState {
    /// Smoothed round-trip time; of several streams the mean.
    pub rtt_seconds: f64,
    /// Mean deviation of the round-trip time.
    pub rtt_variation_seconds: f64,
    /// Segments retransmitted within the span; of several streams the sum.
    pub retransmits: u64,
    /// Congestion window; of several streams the sum.
    pub congestion_window_bytes: u64,
    /// Maximum segment size used for sending; of several streams the smallest.
    pub mss_bytes: u32,
}

/// Write calls of a sender.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteCounts {
    /// Completed writes.
    pub writes: u64,
    /// Writes that the system refused or that timed out.
    pub errors: u64,
}

/// A measurement of one interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntervalMeasurement {
    /// Start, from the start of the stream.
    pub start_seconds: f64,
    /// End, from the start of the stream.
    pub end_seconds: f64,
    /// What was measured between them.
    pub measurement: Measurement,
}

/// Where a receiver's figures come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiverSource {
    /// Measured by a receiver of ours.
    Measured,
    /// Taken from the report that an external UDP server sends at the end.
    ServerReport,
}

impl ReceiverSource {
    /// The word used in every report and in `results.json`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::ServerReport => "server-report",
        }
    }
}
