use std::time::Duration;

use linerate_schema::results::{
    DatagramCounts, Distribution, Measurement, ReceivedMarks, TcpState, WriteCounts,
};

use super::measure::throughput;

/// What one end measured of one stream of a flow.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredStream<'a> {
    /// When its clock started, by the wall clock of that end; a stream without it counts as started with the first.
    pub clock_start: Option<Duration>,
    /// The figures.
    pub measurement: &'a Measurement,
}

/// The sum of the streams of a flow at one end, as results define it: the duration reaches from the start of the first stream
/// to the end of the last, and the throughput is the transfer over it; counts add, distributions and marks merge, jitter is the
/// worst. `None` without streams.
///
/// A figure that only some of the streams have is the sum of those; a count that one of them lacks is unknown.
#[must_use]
pub fn sum_of_streams(streams: &[MeasuredStream<'_>]) -> Option<Measurement> {
    if streams.is_empty() {
        return None;
    }
    let each = || streams.iter().map(|stream| stream.measurement);
    let duration = common_duration(streams);
    let transfer_bytes = each().map(|m| m.transfer_bytes).fold(0, u64::saturating_add);
    Some(Measurement {
        duration_seconds: duration,
        transfer_bytes,
        throughput_bits_per_second: throughput(transfer_bytes, duration),
        datagrams: datagrams(each().filter_map(|m| m.datagrams)),
        jitter_seconds: each().filter_map(|m| m.jitter_seconds).reduce(f64::max),
        latency: Distribution::merge(each().filter_map(|m| m.latency.as_ref())),
        tcp: tcp(&each().filter_map(|m| m.tcp).collect::<Vec<_>>()),
        writes: each().filter_map(|m| m.writes).reduce(|a, b| WriteCounts {
            writes: a.writes.saturating_add(b.writes),
            errors: a.errors.saturating_add(b.errors),
        }),
        reads: each().filter_map(|m| m.reads).reduce(u64::saturating_add),
        received: ReceivedMarks::merge(each().filter_map(|m| m.received.as_ref())),
    })
}

/// Seconds from the start of the first stream to the end of the last.
fn common_duration(streams: &[MeasuredStream<'_>]) -> f64 {
    let first = streams.iter().filter_map(|stream| stream.clock_start).min().unwrap_or_default();
    let end = |stream: &MeasuredStream<'_>| {
        let later = stream.clock_start.unwrap_or(first).saturating_sub(first);
        later.as_secs_f64() + stream.measurement.duration_seconds
    };
    streams.iter().map(end).fold(0.0, f64::max)
}

fn datagrams(counts: impl Iterator<Item = DatagramCounts>) -> Option<DatagramCounts> {
    counts.reduce(|a, b| DatagramCounts {
        sent: a.sent.saturating_add(b.sent),
        received: both(a.received, b.received),
        lost: both(a.lost, b.lost),
        out_of_order: both(a.out_of_order, b.out_of_order),
        duplicates: both(a.duplicates, b.duplicates),
        unsent: any(a.unsent, b.unsent),
        dropped_by_host: any(a.dropped_by_host, b.dropped_by_host),
    })
}

fn both(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    Some(a?.saturating_add(b?))
}

/// Absent is none.
fn any(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.or(b).map(|_| a.unwrap_or(0).saturating_add(b.unwrap_or(0)))
}

#[expect(clippy::cast_precision_loss, reason = "a flow has at most 1000 streams")]
fn tcp(states: &[TcpState]) -> Option<TcpState> {
    let mss_bytes = states.iter().map(|state| state.mss_bytes).min()?;
    let mean = |of: fn(&TcpState) -> f64| states.iter().map(of).sum::<f64>() / states.len() as f64;
    Some(TcpState {
        rtt_seconds: mean(|state| state.rtt_seconds),
        rtt_variation_seconds: mean(|state| state.rtt_variation_seconds),
        retransmits: states.iter().map(|state| state.retransmits).sum(),
        congestion_window_bytes: states.iter().map(|state| state.congestion_window_bytes).sum(),
        mss_bytes,
    })
}
