use std::fmt;

use super::metric_table::FACTS;
use crate::units::Dimension;

/// Something that a flow measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Rate of payload.
    Throughput,
    /// Payload bytes.
    Transfer,
    /// Share of lost datagrams.
    Loss,
    /// Lost datagrams.
    Lost,
    /// Datagrams received or sent.
    Datagrams,
    /// Datagrams that arrived late.
    OutOfOrder,
    /// Datagrams that arrived again.
    Duplicates,
    /// Rate of datagrams.
    Pps,
    /// Interarrival jitter.
    Jitter,
    /// One-way latency.
    Latency,
    /// The kernel's round-trip time.
    TcpRtt,
    /// Retransmitted segments.
    Retransmits,
    /// Congestion window.
    Cwnd,
    /// Maximum segment size.
    Mss,
    /// Time to connect.
    ConnectTime,
    /// Completed writes.
    Writes,
    /// Failed writes.
    WriteErrors,
    /// Reads that returned data.
    Reads,
    /// DSCP of received datagrams.
    ReceivedDscp,
    /// Share of datagrams that arrived with a congestion mark.
    ReceivedEcnCe,
    /// Time to live of received datagrams.
    ReceivedTtl,
    /// Length of the measurement.
    Duration,
}

/// An end of a flow, by what it does with the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Sends the data.
    Sender,
    /// Receives the data.
    Receiver,
}

/// Which traffic has a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Traffic {
    /// TCP and UDP.
    Any,
    /// TCP only.
    Tcp,
    /// UDP only.
    Udp,
    /// TCP or UDP, with `trip-times`.
    TripTimes,
}

/// Which end knows a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnownBy {
    /// Both ends; the receiver's figure is meant unless the assertion says `sender.`.
    ReceiverOrSender,
    /// Both ends; the sender's figure is meant unless the assertion says `receiver.`.
    SenderOrReceiver,
    /// Only the sender.
    Sender,
    /// Only the receiver.
    Receiver,
    /// Only the client, whichever way the data goes.
    Client,
}

/// How the figures of several streams become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OverStreams {
    /// They add.
    Sum,
    /// Parts and wholes, such as lost and sent, are added, then divided.
    Pooled,
    /// Their samples are pooled.
    Merged,
    /// The mean.
    Mean,
    /// The highest.
    Highest,
    /// The lowest.
    Lowest,
}

/// What a statistic such as `mean(…)` is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Samples {
    /// Every single datagram or burst.
    Each,
    /// One value for each recorded interval.
    Intervals,
    /// One value for each stream.
    Streams,
    /// Every datagram is compared, and intervals know theirs; no statistic applies.
    EachCompared,
    /// There is one value only: no statistic applies.
    None,
}

/// What is known about a metric; the rows of the reference table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricFacts {
    /// The metric.
    pub metric: Metric,
    /// Its name in assertions.
    pub name: &'static str,
    /// What it measures, and so its units.
    pub dimension: Dimension,
    /// Which traffic has it.
    pub traffic: Traffic,
    /// Which end knows it.
    pub known_by: KnownBy,
    /// How several streams become one figure.
    pub over_streams: OverStreams,
    /// What statistics are taken over.
    pub samples: Samples,
    /// What it means, one sentence.
    pub description: &'static str,
}

impl Metric {
    /// The metric with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        FACTS.iter().find(|facts| facts.name == name).map(|facts| facts.metric)
    }

    /// What is known about it.
    #[must_use]
    pub fn facts(self) -> &'static MetricFacts {
        &FACTS[self as usize]
    }

    /// Its name in assertions.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// What it measures.
    #[must_use]
    pub fn dimension(self) -> Dimension {
        self.facts().dimension
    }

    /// Whether intervals have it, so that `during`, `for each interval` and windows apply.
    #[must_use]
    pub fn is_in_intervals(self) -> bool {
        matches!(self.facts().samples, Samples::Each | Samples::EachCompared | Samples::Intervals)
    }

    /// The end that is meant when the assertion names none; `None` for what only the client knows.
    #[must_use]
    pub fn default_side(self) -> Option<Side> {
        match self.facts().known_by {
            KnownBy::ReceiverOrSender | KnownBy::Receiver => Some(Side::Receiver),
            KnownBy::SenderOrReceiver | KnownBy::Sender => Some(Side::Sender),
            KnownBy::Client => None,
        }
    }

    /// Whether this end knows it.
    #[must_use]
    pub fn is_known_by(self, side: Side) -> bool {
        match self.facts().known_by {
            KnownBy::ReceiverOrSender | KnownBy::SenderOrReceiver => true,
            KnownBy::Sender => side == Side::Sender,
            KnownBy::Receiver => side == Side::Receiver,
            KnownBy::Client => false,
        }
    }

    /// The names of all metrics.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FACTS.iter().map(|facts| facts.name)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Side {
    /// The word in assertions.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Receiver => "receiver",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
