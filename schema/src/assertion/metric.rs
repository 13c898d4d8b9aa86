use std::fmt;

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
    /// Lost and sent are added, then divided.
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
        matches!(self.facts().samples, Samples::Each | Samples::Intervals)
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

/// Names of the design that this version does not measure: an error that says so is better than "unknown".
pub(super) const NOT_MEASURED: &[&str] = &[
    "rtt",
    "write-time",
    "responses",
    "responsiveness",
    "frames",
    "frames-lost",
    "frame-latency",
    "slips",
    "in-progress",
    "net-power",
    "received.dscp",
    "received.ecn-ce",
    "received.ttl",
    "found.bitrate",
];

/// What people call a metric elsewhere, and its name here.
pub(super) const OTHER_NAMES: &[(&str, &str)] = &[
    ("bandwidth", "throughput"),
    ("bitrate", "throughput"),
    ("rate", "throughput"),
    ("goodput", "throughput"),
    ("speed", "throughput"),
    ("bytes", "transfer"),
    ("transferred", "transfer"),
    ("packet-loss", "loss"),
    ("loss-rate", "loss"),
    ("lost-packets", "lost"),
    ("packets", "datagrams"),
    ("reordered", "out-of-order"),
    ("reordering", "out-of-order"),
    ("ooo", "out-of-order"),
    ("dups", "duplicates"),
    ("packet-rate", "pps"),
    ("delay", "latency"),
    ("owd", "latency"),
    ("one-way-delay", "latency"),
    ("srtt", "tcp-rtt"),
    ("retries", "retransmits"),
    ("retransmissions", "retransmits"),
    ("retrans", "retransmits"),
    ("rtry", "retransmits"),
    ("congestion-window", "cwnd"),
    ("connect", "connect-time"),
    ("time", "duration"),
    ("elapsed", "duration"),
];

impl MetricFacts {
    /// All metrics, in the order of the reference.
    pub const ALL: &'static [Self] = FACTS;
}

/// One row for each metric, in the order of the enum.
const FACTS: &[MetricFacts] = &[
    MetricFacts {
        metric: Metric::Throughput,
        name: "throughput",
        dimension: Dimension::BitRate,
        traffic: Traffic::Any,
        known_by: KnownBy::ReceiverOrSender,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "payload bits per second, as they arrived (`sender.`: as they were written)",
    },
    MetricFacts {
        metric: Metric::Transfer,
        name: "transfer",
        dimension: Dimension::Bytes,
        traffic: Traffic::Any,
        known_by: KnownBy::ReceiverOrSender,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "payload bytes that arrived (`sender.`: that were written)",
    },
    MetricFacts {
        metric: Metric::Loss,
        name: "loss",
        dimension: Dimension::Ratio,
        traffic: Traffic::Udp,
        known_by: KnownBy::Receiver,
        over_streams: OverStreams::Pooled,
        samples: Samples::Intervals,
        description: "datagrams lost, of those sent",
    },
    MetricFacts {
        metric: Metric::Lost,
        name: "lost",
        dimension: Dimension::Count,
        traffic: Traffic::Udp,
        known_by: KnownBy::Receiver,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "number of datagrams that were sent and never arrived",
    },
    MetricFacts {
        metric: Metric::Datagrams,
        name: "datagrams",
        dimension: Dimension::Count,
        traffic: Traffic::Udp,
        known_by: KnownBy::ReceiverOrSender,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "number of distinct datagrams that arrived (`sender.`: that were sent)",
    },
    MetricFacts {
        metric: Metric::OutOfOrder,
        name: "out-of-order",
        dimension: Dimension::Count,
        traffic: Traffic::Udp,
        known_by: KnownBy::Receiver,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "number of datagrams that arrived after one with a higher sequence number (RFC 4737)",
    },
    MetricFacts {
        metric: Metric::Duplicates,
        name: "duplicates",
        dimension: Dimension::Count,
        traffic: Traffic::Udp,
        known_by: KnownBy::Receiver,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "number of datagrams that arrived again (RFC 5560)",
    },
    MetricFacts {
        metric: Metric::Pps,
        name: "pps",
        dimension: Dimension::PacketRate,
        traffic: Traffic::Udp,
        known_by: KnownBy::ReceiverOrSender,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "distinct datagrams per second that arrived (`sender.`: that were sent)",
    },
    MetricFacts {
        metric: Metric::Jitter,
        name: "jitter",
        dimension: Dimension::Time,
        traffic: Traffic::Udp,
        known_by: KnownBy::Receiver,
        over_streams: OverStreams::Highest,
        samples: Samples::Intervals,
        description: "smoothed variation of the time between datagrams, at the end of the span (RFC 3550)",
    },
    MetricFacts {
        metric: Metric::Latency,
        name: "latency",
        dimension: Dimension::Time,
        traffic: Traffic::TripTimes,
        known_by: KnownBy::Receiver,
        over_streams: OverStreams::Merged,
        samples: Samples::Each,
        description: "one-way time of a datagram (UDP) or burst (TCP); the mean unless a statistic is named",
    },
    MetricFacts {
        metric: Metric::TcpRtt,
        name: "tcp-rtt",
        dimension: Dimension::Time,
        traffic: Traffic::Tcp,
        known_by: KnownBy::SenderOrReceiver,
        over_streams: OverStreams::Mean,
        samples: Samples::Intervals,
        description: "the kernel's smoothed round-trip time, at the end of the span",
    },
    MetricFacts {
        metric: Metric::Retransmits,
        name: "retransmits",
        dimension: Dimension::Count,
        traffic: Traffic::Tcp,
        known_by: KnownBy::Sender,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "number of TCP segments that were sent again",
    },
    MetricFacts {
        metric: Metric::Cwnd,
        name: "cwnd",
        dimension: Dimension::Bytes,
        traffic: Traffic::Tcp,
        known_by: KnownBy::Sender,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "congestion window at the end of the span",
    },
    MetricFacts {
        metric: Metric::Mss,
        name: "mss",
        dimension: Dimension::Bytes,
        traffic: Traffic::Tcp,
        known_by: KnownBy::SenderOrReceiver,
        over_streams: OverStreams::Lowest,
        samples: Samples::Intervals,
        description: "maximum segment size used for sending, at the end of the span",
    },
    MetricFacts {
        metric: Metric::ConnectTime,
        name: "connect-time",
        dimension: Dimension::Time,
        traffic: Traffic::Tcp,
        known_by: KnownBy::Client,
        over_streams: OverStreams::Highest,
        samples: Samples::Streams,
        description: "time until the connection stood, as the client saw it",
    },
    MetricFacts {
        metric: Metric::Writes,
        name: "writes",
        dimension: Dimension::Count,
        traffic: Traffic::Any,
        known_by: KnownBy::Sender,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "number of completed write calls",
    },
    MetricFacts {
        metric: Metric::WriteErrors,
        name: "write-errors",
        dimension: Dimension::Count,
        traffic: Traffic::Any,
        known_by: KnownBy::Sender,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "number of write calls that failed or timed out",
    },
    MetricFacts {
        metric: Metric::Reads,
        name: "reads",
        dimension: Dimension::Count,
        traffic: Traffic::Any,
        known_by: KnownBy::Receiver,
        over_streams: OverStreams::Sum,
        samples: Samples::Intervals,
        description: "number of read calls that returned data",
    },
    MetricFacts {
        metric: Metric::Duration,
        name: "duration",
        dimension: Dimension::Time,
        traffic: Traffic::Any,
        known_by: KnownBy::ReceiverOrSender,
        over_streams: OverStreams::Highest,
        samples: Samples::None,
        description: "length of the measured span",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_its_own_row() {
        for (index, facts) in FACTS.iter().enumerate() {
            assert_eq!(facts.metric as usize, index, "{}", facts.name);
            assert_eq!(Metric::find(facts.name), Some(facts.metric));
            assert_eq!(facts.metric.facts(), facts);
        }
        assert_eq!(FACTS.last().unwrap().metric, Metric::Duration);
    }

    #[test]
    fn other_names_lead_to_metrics_and_are_none() {
        for (other, name) in OTHER_NAMES {
            assert!(Metric::find(name).is_some(), "{name}");
            assert!(Metric::find(other).is_none(), "{other}");
        }
        for name in NOT_MEASURED {
            assert!(Metric::find(name).is_none(), "{name}");
        }
    }
}
