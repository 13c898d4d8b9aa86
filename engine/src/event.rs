//! What clients and servers tell while they run. Plain data: it can be sent to another machine.

use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::EngineError;

/// Something that happened at one end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Wall-clock time since 1970-01-01 UTC. Of a `StreamStarted` it is the start of the stream's clock, where its intervals
    /// and its duration begin.
    pub at: Duration,
    /// What happened.
    pub kind: EventKind,
}

/// What happened. The order for one stream and role is `StreamStarted`, `Interval`…, then one of `StreamEnded` and
/// `StreamFailed`; a failed stream reports what it measured first. An end that sends and receives plays both roles in a
/// stream, and each of them starts and ends by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum EventKind {
    /// A stream is connected (TCP), or its first datagram was sent or came (UDP).
    StreamStarted(StreamStarted),
    /// An interval is over.
    Interval(Interval),
    /// A role of a stream came to its regular end.
    StreamEnded(Totals),
    /// A stream ended before its time, or never started. `totals` is what it measured until then.
    StreamFailed {
        /// The stream.
        stream: StreamId,
        /// The role that ended; `None` for every role of this end in the stream that has not ended yet.
        role: Option<Role>,
        /// Why.
        error: EngineError,
        /// What was measured until then; absent when it never started.
        totals: Option<Totals>,
    },
    /// A UDP client got the server's report about a stream.
    ServerReport {
        /// The stream.
        stream: StreamId,
        /// The receiver's totals as the server reports them. `out_of_order` includes duplicates.
        totals: Totals,
    },
    /// A remark about a stream or the whole end that a reader of results should know.
    Note {
        /// The stream, if it concerns only one.
        stream: Option<StreamId>,
        /// One sentence.
        text: String,
    },
}

/// A stream at one end. A client counts from 1 to `parallel`; a server counts the streams it accepts from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StreamId(pub u32);

/// The part that this end plays in a stream's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    /// It sends the data.
    Sender,
    /// It receives the data.
    Receiver,
}

/// A stream at its start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamStarted {
    /// The stream.
    pub stream: StreamId,
    /// The part of this end.
    pub role: Role,
    /// This end's address.
    pub local: SocketAddr,
    /// The other end's address.
    pub peer: SocketAddr,
    /// How long `connect` took; TCP clients only.
    pub connect_time: Option<Duration>,
    /// State of the connection at its start; TCP only.
    pub tcp: Option<TcpSample>,
    /// Version that the peer announced, such as `2.1.8`.
    pub peer_version: Option<String>,
}

/// Figures of one interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The stream.
    pub stream: StreamId,
    /// The part of this end.
    pub role: Role,
    /// Start, from the start of the stream's clock.
    pub start: Duration,
    /// End, from the start of the stream's clock.
    pub end: Duration,
    /// What was measured between them.
    pub figures: Figures,
}

/// Figures of a whole stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// The stream.
    pub stream: StreamId,
    /// The part in the data that the figures are about.
    pub role: Role,
    /// Length of the stream, from its start to its last data. A TCP sender's ends with its last write, or with the time
    /// that it was to send if that is later, and never has the wait for the peer's close in it; a TCP receiver's ends
    /// when the sender closed.
    pub duration: Duration,
    /// What was measured.
    pub figures: Figures,
}

/// What was measured over a span of time. Absent is what this role and transport cannot know.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Payload bytes, test headers and end markers included, as iperf 2 counts them.
    pub bytes: u64,
    /// Read calls that returned data (receiver), or completed write calls (sender).
    pub calls: u64,
    /// Write calls that the system refused or that timed out; sender only.
    pub errors: u64,
    /// Datagram accounting; UDP only.
    pub datagrams: Option<Datagrams>,
    /// Jitter at the end of the span, RFC 3550 section 6.4.1; UDP receiver only.
    pub jitter: Option<Duration>,
    /// One-way latency; receiver of a flow with trip-times only.
    pub latency: Option<Latency>,
    /// State of the connection at the end of the span, retransmits counted within it; TCP only.
    pub tcp: Option<TcpSample>,
    /// What the IP headers of the datagrams said; UDP receiver on a system that tells them.
    pub marks: Option<ReceivedMarks>,
}

/// Datagram accounting of a span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Datagrams {
    /// Data datagrams sent, end markers excluded: counted by a sender, inferred from sequence numbers by a receiver.
    pub sent: u64,
    /// Distinct data datagrams received.
    pub received: u64,
    /// Sent and not received; within an interval it may be negative when late datagrams of an earlier one arrive.
    pub lost: i64,
    /// Received after a datagram with a higher number.
    pub out_of_order: u64,
    /// Received more than once; `None` where a server's report counts them in `out_of_order`.
    pub duplicates: Option<u64>,
    /// Due by the rate that was asked for, and not sent; sender's totals only.
    pub unsent: u64,
    /// Dropped by the full receive buffer of the receiving socket while the stream ran, those of its other streams
    /// included; receiver's totals only, where the system tells it.
    pub dropped_by_host: Option<u64>,
}

/// How many of the data datagrams of a span, duplicates included, arrived with which mark. Values ascend, and only those
/// that were seen are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedMarks {
    /// Type-of-service bytes (IPv6: traffic classes): DSCP in the upper six bits, ECN in the lower two.
    pub tos: Vec<(u8, u64)>,
    /// Times to live (IPv6: hop limits) on arrival.
    pub ttl: Vec<(u8, u64)>,
}

/// One-way latency of a span: exact moments and a sparse histogram.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Number of samples.
    pub count: u64,
    /// Samples below zero (clocks of the ends differ).
    pub negative: u64,
    /// Mean in seconds.
    pub mean: f64,
    /// Smallest in seconds.
    pub min: f64,
    /// Largest in seconds.
    pub max: f64,
    /// Sample standard deviation in seconds.
    pub stdev: f64,
    /// Non-empty bins: highest value in nanoseconds, number of samples.
    pub bins: Vec<(u64, u64)>,
}

/// `TCP_INFO` of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpSample {
    /// Smoothed round-trip time.
    pub rtt: Duration,
    /// Its mean deviation.
    pub rtt_variation: Duration,
    /// Segments retransmitted within the span.
    pub retransmits: u64,
    /// Congestion window in bytes.
    pub congestion_window: u64,
    /// Maximum segment size for sending, in bytes.
    pub mss: u32,
}
