//! Figures that leave open what the network did: between which values the truth lies.

use std::fmt;

use linerate_schema::results::{
    DatagramCounts, FlowResult, Measurement, ReceiverSource, StreamResult,
};
use linerate_schema::scenario::Way;

use super::figure::count;

/// Why the figures of a receiver may be told otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Uncertainty {
    /// An iperf server counts a duplicate as out of order, and takes what is out of order off the lost ones.
    DuplicatesHideLoss,
    /// So many datagrams reached the receiving host and found its socket full.
    DroppedByHost(u64),
}

/// What the figures of a flow leave open about the data that went this way.
pub(super) fn of(flow: &FlowResult, way: Way) -> Vec<Uncertainty> {
    let of_stream = |stream: &StreamResult| stream.way(way, flow.direction)?.receiver?.datagrams;
    let receivers = || flow.streams.iter().filter_map(of_stream);
    let source = flow.way(way).and_then(|way| way.receiver_source);
    let reported = source == Some(ReceiverSource::ServerReport);
    let hides = |counts: DatagramCounts| {
        counts.duplicates.is_none() && counts.out_of_order.is_some_and(|count| count > 0)
    };
    let dropped: u64 = receivers().filter_map(|counts| counts.dropped_by_host).sum();
    let mut open = Vec::new();
    if reported && receivers().any(hides) {
        open.push(Uncertainty::DuplicatesHideLoss);
    }
    if dropped > 0 {
        open.push(Uncertainty::DroppedByHost(dropped));
    }
    open
}

impl Uncertainty {
    /// The flow with the figures at the other end of what is possible.
    pub(super) fn possible_flow(self, flow: &FlowResult, way: Way) -> FlowResult {
        let mut flow = flow.clone();
        for stream in &mut flow.streams {
            let (receiver, intervals) = match &mut stream.reverse {
                Some(reverse) if way == Way::Reverse => {
                    (&mut reverse.receiver, &mut reverse.receiver_intervals)
                }
                _ => (&mut stream.receiver, &mut stream.receiver_intervals),
            };
            let intervals = intervals.iter_mut().map(|interval| &mut interval.measurement);
            for measurement in receiver.iter_mut().chain(intervals) {
                *measurement = self.possible(measurement);
            }
        }
        flow
    }

    /// The same for a single measurement.
    pub(super) fn possible(self, measurement: &Measurement) -> Measurement {
        let Some((counts, received, lost)) =
            measurement.datagrams.and_then(|counts| Some((counts, counts.received?, counts.lost?)))
        else {
            return measurement.clone();
        };
        let other = match self {
            Self::DuplicatesHideLoss if counts.duplicates.is_none() => {
                let hidden = counts.out_of_order.unwrap_or(0).min(received);
                DatagramCounts {
                    received: Some(received - hidden),
                    lost: Some(lost + hidden),
                    out_of_order: Some(0),
                    ..counts
                }
            }
            Self::DuplicatesHideLoss => counts,
            Self::DroppedByHost(dropped) => {
                let dropped = dropped.min(lost);
                DatagramCounts {
                    received: Some(received + dropped),
                    lost: Some(lost - dropped),
                    ..counts
                }
            }
        };
        let factor = count(other.received.unwrap_or(0)) / count(received.max(1));
        Measurement {
            datagrams: Some(other),
            transfer_bytes: scaled(measurement.transfer_bytes, factor),
            throughput_bits_per_second: measurement.throughput_bits_per_second * factor,
            ..measurement.clone()
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the factor is not negative; a cast from f64 saturates"
)]
fn scaled(bytes: u64, factor: f64) -> u64 {
    (count(bytes) * factor) as u64
}

impl fmt::Display for Uncertainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicatesHideLoss => f.write_str(
                "the external server counts duplicates as out of order and takes them off the lost datagrams; run the \
                 server with linerate to know",
            ),
            Self::DroppedByHost(dropped) => write!(
                f,
                "{dropped} datagrams were dropped by the receive buffer of the receiving host, not by the network; set a \
                 larger `window` on that end, or lower the rate"
            ),
        }
    }
}
