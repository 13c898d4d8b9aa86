//! The one table of metrics, and the names that people take for them.

use super::{KnownBy, Metric, MetricFacts, OverStreams, Samples, Traffic};
use crate::units::Dimension;

impl MetricFacts {
    /// All metrics, in the order of the reference.
    pub const ALL: &'static [Self] = FACTS;
}

/// One row for each metric, in the order of the enum.
pub(super) const FACTS: &[MetricFacts] = &[
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
        metric: Metric::ReceivedDscp,
        name: "received.dscp",
        dimension: Dimension::Dscp,
        traffic: Traffic::Udp,
        known_by: KnownBy::Receiver,
        over_streams: OverStreams::Merged,
        samples: Samples::EachCompared,
        description: "DSCP of the datagrams that arrived; the comparison has to hold for every single one",
    },
    MetricFacts {
        metric: Metric::ReceivedEcnCe,
        name: "received.ecn-ce",
        dimension: Dimension::Ratio,
        traffic: Traffic::Udp,
        known_by: KnownBy::Receiver,
        over_streams: OverStreams::Pooled,
        samples: Samples::Intervals,
        description: "datagrams that arrived with ECN \"congestion experienced\", of those that arrived",
    },
    MetricFacts {
        metric: Metric::ReceivedTtl,
        name: "received.ttl",
        dimension: Dimension::Count,
        traffic: Traffic::Udp,
        known_by: KnownBy::Receiver,
        over_streams: OverStreams::Merged,
        samples: Samples::Each,
        description: "time to live (IPv6: hop limit) of the datagrams that arrived; without a statistic the comparison has to hold for every single one",
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
    ("dscp", "received.dscp"),
    ("tos", "received.dscp"),
    ("ecn", "received.ecn-ce"),
    ("ecn-ce", "received.ecn-ce"),
    ("ce", "received.ecn-ce"),
    ("ttl", "received.ttl"),
    ("hop-limit", "received.ttl"),
    ("hops", "received.ttl"),
    ("time", "duration"),
    ("elapsed", "duration"),
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
