use linerate_schema::assertion::{Metric, OverStreams, Side};
use linerate_schema::results::{Distribution, Measurement};

use super::mark_values::MarkValues;

/// What a measurement says about a metric, in a form that can be joined with that of other streams.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Figure {
    /// A number in the metric's SI unit.
    Value(f64),
    /// A part of a whole.
    Share {
        /// The part.
        part: f64,
        /// The whole, above 0.
        whole: f64,
    },
    /// Samples; at least one.
    Samples(Distribution),
    /// How datagrams were marked; at least one of them.
    Marks(MarkValues),
}

/// What `measurement`, made by the end `side`, says about `metric`; `None` when it says nothing.
pub(super) fn figure(metric: Metric, side: Side, measurement: &Measurement) -> Option<Figure> {
    let datagrams = measurement.datagrams.as_ref();
    let counted = || match side {
        Side::Sender => datagrams.map(|counts| counts.sent),
        Side::Receiver => datagrams?.received,
    };
    let tcp = measurement.tcp.as_ref();
    let writes = measurement.writes.as_ref();
    // Without time there is no rate: a single datagram is no measurement of one.
    let lasted = measurement.duration_seconds > 0.0;
    let value = match metric {
        Metric::Throughput => lasted.then_some(measurement.throughput_bits_per_second),
        Metric::Transfer => Some(count(measurement.transfer_bytes)),
        Metric::Loss => {
            let counts = datagrams.filter(|counts| counts.sent > 0)?;
            return Some(Figure::Share { part: count(counts.lost?), whole: count(counts.sent) });
        }
        Metric::Latency => {
            let samples = measurement.latency.as_ref().filter(|latency| latency.samples > 0);
            return samples.cloned().map(Figure::Samples);
        }
        Metric::Lost => datagrams?.lost.map(count),
        Metric::Datagrams => counted().map(count),
        Metric::OutOfOrder => datagrams?.out_of_order.map(count),
        Metric::Duplicates => datagrams?.duplicates.map(count),
        Metric::Pps => {
            counted().filter(|_| lasted).map(|n| count(n) / measurement.duration_seconds)
        }
        Metric::Jitter => measurement.jitter_seconds,
        Metric::TcpRtt => tcp.map(|tcp| tcp.rtt_seconds),
        Metric::Retransmits => tcp.map(|tcp| count(tcp.retransmits)),
        Metric::Cwnd => tcp.map(|tcp| count(tcp.congestion_window_bytes)),
        Metric::Mss => tcp.map(|tcp| f64::from(tcp.mss_bytes)),
        Metric::Writes => writes.map(|writes| count(writes.writes)),
        Metric::WriteErrors => writes.map(|writes| count(writes.errors)),
        Metric::Reads => measurement.reads.map(count),
        Metric::ReceivedDscp => {
            let marks = measurement.received.as_ref()?;
            return MarkValues::of_dscps(marks).map(Figure::Marks);
        }
        Metric::ReceivedTtl => {
            let marks = measurement.received.as_ref()?;
            return MarkValues::of_times_to_live(marks).map(Figure::Marks);
        }
        Metric::ReceivedEcnCe => {
            let marks = measurement.received.as_ref().filter(|marks| marks.datagrams() > 0)?;
            let (part, whole) = (count(marks.ecn_ce), count(marks.datagrams()));
            return Some(Figure::Share { part, whole });
        }
        Metric::Duration => Some(measurement.duration_seconds),
        // It belongs to the connection, not to a measurement.
        Metric::ConnectTime => None,
    };
    value.filter(|value| value.is_finite()).map(Figure::Value)
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(super) fn count(number: u64) -> f64 {
    number as f64
}

/// One figure for several streams, as the metric table says; `None` without figures.
pub(super) fn over_streams(metric: Metric, figures: Vec<Figure>) -> Option<Figure> {
    match metric.facts().over_streams {
        OverStreams::Merged => {
            let marks = figures.iter().filter_map(Figure::marks);
            MarkValues::merge(marks).map(Figure::Marks).or_else(|| {
                Distribution::merge(figures.iter().filter_map(Figure::samples)).map(Figure::Samples)
            })
        }
        OverStreams::Pooled => figures.into_iter().reduce(|a, b| match (a, b) {
            (Figure::Share { part, whole }, Figure::Share { part: p, whole: w }) => {
                Figure::Share { part: part + p, whole: whole + w }
            }
            (a, _) => a,
        }),
        scalar => {
            let values: Vec<f64> = figures.iter().filter_map(Figure::scalar).collect();
            let sum = || values.iter().sum::<f64>();
            let value = match scalar {
                _ if values.is_empty() => return None,
                OverStreams::Mean => sum() / count(values.len() as u64),
                OverStreams::Highest => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                OverStreams::Lowest => values.iter().copied().fold(f64::INFINITY, f64::min),
                OverStreams::Sum | OverStreams::Pooled | OverStreams::Merged => sum(),
            };
            Some(Figure::Value(value))
        }
    }
}

impl Figure {
    /// The number, where there is a single one.
    pub(super) fn scalar(&self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Share { part, whole } => Some(part / whole),
            Self::Samples(_) | Self::Marks(_) => None,
        }
    }

    /// The marks.
    pub(super) fn marks(&self) -> Option<&MarkValues> {
        match self {
            Self::Marks(marks) => Some(marks),
            Self::Value(_) | Self::Share { .. } | Self::Samples(_) => None,
        }
    }

    /// The samples.
    pub(super) fn samples(&self) -> Option<&Distribution> {
        match self {
            Self::Samples(samples) => Some(samples),
            Self::Value(_) | Self::Share { .. } | Self::Marks(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_joined_as_the_metric_table_says() {
        let values = || vec![Figure::Value(1.0), Figure::Value(3.0)];
        for (metric, expected) in [
            (Metric::Throughput, 4.0),
            (Metric::Jitter, 3.0),
            (Metric::TcpRtt, 2.0),
            (Metric::Mss, 1.0),
            (Metric::Duration, 3.0),
        ] {
            assert_eq!(over_streams(metric, values()), Some(Figure::Value(expected)), "{metric}");
        }
        let shares = vec![
            Figure::Share { part: 1.0, whole: 10.0 },
            Figure::Share { part: 0.0, whole: 90.0 },
        ];
        let pooled = over_streams(Metric::Loss, shares).and_then(|figure| figure.scalar());
        assert_eq!(pooled, Some(0.01), "not the mean of 10% and 0%");
        assert_eq!(over_streams(Metric::Throughput, Vec::new()), None);
        assert_eq!(over_streams(Metric::Loss, Vec::new()), None);
        assert_eq!(over_streams(Metric::Latency, Vec::new()), None);
    }
}
