use linerate_schema::results::{
    DatagramCounts, Distribution, Measurement, ReceivedMarks, TcpState, WriteCounts,
};

/// The sum of the streams of a flow, as results define it: rates and counts add, distributions and marks merge, jitter is the
/// worst, the duration is the longest. `None` without streams.
///
/// A figure that only some of the streams have is the sum of those; a count that one of them lacks is unknown.
#[must_use]
pub fn sum_of_streams(streams: &[&Measurement]) -> Option<Measurement> {
    if streams.is_empty() {
        return None;
    }
    let each = || streams.iter().copied();
    Some(Measurement {
        duration_seconds: each().map(|m| m.duration_seconds).fold(0.0, f64::max),
        transfer_bytes: each().map(|m| m.transfer_bytes).fold(0, u64::saturating_add),
        throughput_bits_per_second: each().map(|m| m.throughput_bits_per_second).sum(),
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
