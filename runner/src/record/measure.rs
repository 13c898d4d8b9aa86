use std::time::Duration;

use linerate_engine::event::{
    Datagrams, Figures, Interval, Latency, ReceivedMarks as SeenMarks, Role, TcpSample, Totals,
};
use linerate_schema::results::{
    Bin, DatagramCounts, Distribution, IntervalMeasurement, Measurement, ReceivedMarks, TcpState,
    WriteCounts,
};

/// What one end measured of a whole stream.
#[must_use]
pub fn measurement(totals: &Totals) -> Measurement {
    convert(&totals.figures, totals.duration, totals.role)
}

/// What one end measured in an interval, on its own: an interval in which late datagrams of an earlier one arrive may have
/// lost fewer than none, and here it has lost none.
#[must_use]
pub fn interval_measurement(interval: &Interval) -> IntervalMeasurement {
    let duration = interval.end.saturating_sub(interval.start);
    IntervalMeasurement {
        start_seconds: interval.start.as_secs_f64(),
        end_seconds: interval.end.as_secs_f64(),
        measurement: convert(&interval.figures, duration, interval.role),
    }
}

/// What one end measured in each of its intervals, one after the other.
///
/// Datagrams that arrive late, after the interval in which they were missed, take a loss off that interval: the latest one
/// before that has any. So the losses of the intervals add up to that of the stream.
pub(super) fn interval_measurements(intervals: &[Interval]) -> Vec<IntervalMeasurement> {
    let mut converted: Vec<_> = intervals.iter().map(interval_measurement).collect();
    for (position, interval) in intervals.iter().enumerate() {
        let lost = interval.figures.datagrams.map_or(0, |datagrams| datagrams.lost);
        let mut late = if lost < 0 { lost.unsigned_abs() } else { 0 };
        for earlier in converted[..position].iter_mut().rev() {
            let datagrams = earlier.measurement.datagrams.as_mut();
            if let Some(missed) = datagrams.and_then(|datagrams| datagrams.lost.as_mut()) {
                let found = late.min(*missed);
                *missed -= found;
                late -= found;
            }
        }
    }
    converted
}

fn convert(figures: &Figures, duration: Duration, role: Role) -> Measurement {
    let is_sender = role == Role::Sender;
    Measurement {
        duration_seconds: duration.as_secs_f64(),
        transfer_bytes: figures.bytes,
        throughput_bits_per_second: throughput(figures.bytes, duration.as_secs_f64()),
        datagrams: figures.datagrams.as_ref().map(|datagrams| counts(datagrams, role)),
        jitter_seconds: figures.jitter.map(|jitter| jitter.as_secs_f64()),
        latency: figures.latency.as_ref().and_then(distribution),
        tcp: figures.tcp.as_ref().map(tcp_state),
        writes: is_sender.then_some(WriteCounts { writes: figures.calls, errors: figures.errors }),
        // Bytes without reads: a server's report, which does not tell them.
        reads: (!is_sender && (figures.calls > 0 || figures.bytes == 0)).then_some(figures.calls),
        received: figures.marks.as_ref().map(received_marks),
    }
}

/// Bits per second; 0 when no time passed, as with a single datagram.
#[expect(clippy::cast_precision_loss, reason = "byte counts stay far below 2^53")]
pub(super) fn throughput(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 }
}

fn counts(datagrams: &Datagrams, role: Role) -> DatagramCounts {
    match role {
        Role::Sender => DatagramCounts {
            sent: datagrams.sent,
            unsent: (datagrams.unsent > 0).then_some(datagrams.unsent),
            ..DatagramCounts::default()
        },
        Role::Receiver => DatagramCounts {
            sent: datagrams.sent,
            received: Some(datagrams.received),
            lost: Some(u64::try_from(datagrams.lost).unwrap_or(0)),
            out_of_order: Some(datagrams.out_of_order),
            duplicates: datagrams.duplicates,
            dropped_by_host: datagrams.dropped_by_host.filter(|dropped| *dropped > 0),
            unsent: None,
        },
    }
}

/// Absent without samples, and where a peer reported moments that are no numbers.
fn distribution(latency: &Latency) -> Option<Distribution> {
    let moments = [latency.mean, latency.min, latency.max, latency.stdev];
    if latency.count == 0 || !moments.into_iter().all(f64::is_finite) {
        return None;
    }
    let bins =
        latency.bins.iter().map(|&(upper_nanoseconds, count)| Bin { upper_nanoseconds, count });
    Some(Distribution {
        samples: latency.count,
        negative: latency.negative,
        mean_seconds: latency.mean,
        min_seconds: latency.min,
        max_seconds: latency.max,
        stdev_seconds: latency.stdev,
        bins: bins.collect(),
    })
}

fn received_marks(seen: &SeenMarks) -> ReceivedMarks {
    ReceivedMarks::from_counts(&seen.tos, &seen.ttl)
}

fn tcp_state(sample: &TcpSample) -> TcpState {
    TcpState {
        rtt_seconds: sample.rtt.as_secs_f64(),
        rtt_variation_seconds: sample.rtt_variation.as_secs_f64(),
        retransmits: sample.retransmits,
        congestion_window_bytes: sample.congestion_window,
        mss_bytes: sample.mss,
    }
}
