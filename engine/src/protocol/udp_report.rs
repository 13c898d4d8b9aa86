//! The server's report at the end of a UDP flow: made from what a receiver counted, and read by a client.

use std::time::Duration;

use super::udp_receiver::UdpReceiver;
use super::udp_request::ReportWish;
use crate::error::EngineError;
use crate::event::{Datagrams, Figures, Latency, Role, StreamId, Totals};
use crate::stats::Summary;
use crate::wire::udp::{FinReport, LatencyFigures};
use crate::wire::{BaseFlags, SignedTime, WireTime};

const NANOSECONDS_PER_SECOND: f64 = 1e9;

/// The report about a flow, as it goes over the wire.
///
/// Counts are those of an iperf server, so that its clients print them as they should: datagrams and bytes include the
/// FIN, `out_of_order` includes duplicates. But a duplicate hides no loss, a lost FIN is no loss, and the jitter is the
/// last estimate in every version.
#[must_use]
pub fn encode_report(receiver: &UdpReceiver, wish: ReportWish) -> Vec<u8> {
    let totals = receiver.totals();
    let datagrams = totals.figures.datagrams.unwrap_or_default();
    let mut flags = BaseFlags::VERSION1 | BaseFlags::SEQUENCE_64;
    if wish == ReportWish::WithLatency {
        flags = flags | BaseFlags::EXTEND;
    }
    let report = FinReport {
        flags,
        bytes: totals.figures.bytes,
        duration: WireTime::from_since_epoch(totals.duration),
        lost: u64::try_from(datagrams.lost).unwrap_or(0),
        out_of_order: datagrams.out_of_order + datagrams.duplicates.unwrap_or(0),
        datagrams: datagrams.sent + 1,
        jitter: WireTime::from_since_epoch(totals.figures.jitter.unwrap_or_default()),
        latency: Some(latency(receiver.transits(), totals.figures.calls, totals.duration)),
    };
    let mut bytes = Vec::new();
    report.encode_into(&mut bytes);
    bytes
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "float to integer casts saturate, and counts stay far below 2^53"
)]
fn latency(transits: &Summary, datagrams: u64, duration: Duration) -> LatencyFigures {
    let time = |nanoseconds: f64| SignedTime::from_nanoseconds(nanoseconds as i64);
    let rate = datagrams as f64 / duration.as_secs_f64();
    LatencyFigures {
        min: time(transits.min().unwrap_or(0.0)),
        max: time(transits.max().unwrap_or(0.0)),
        sum: time(transits.sum()),
        mean: time(transits.mean().unwrap_or(0.0)),
        last_deviation: time(transits.last_deviation()),
        count: u32::try_from(transits.count()).unwrap_or(u32::MAX),
        packets_per_second: if rate.is_finite() { rate as i32 } else { 0 },
        interval_sum: 1,
        ..LatencyFigures::default()
    }
    .with_m2_seconds(
        transits.squared_deviations() / (NANOSECONDS_PER_SECOND * NANOSECONDS_PER_SECOND),
    )
}

/// What a client sent, to hold against the report about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SentFlow {
    /// Data datagrams.
    pub datagrams: u64,
    /// Payload bytes of all of them.
    pub bytes: u64,
    /// Bytes of the longest datagram.
    pub longest: usize,
    /// Datagrams that the system or the network refused.
    pub errors: u64,
    /// Time from the first datagram to the end of the data.
    pub duration: Duration,
    /// Time from the first datagram to the report.
    pub reported_after: Duration,
}

/// What a client learns from a report.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadReport {
    /// The receiver's totals.
    pub totals: Totals,
    /// Why the flow is a failure although there is a report: the server made it before the client's end.
    pub failure: Option<EngineError>,
}

/// Reads the report about a flow; `trip_times` says whether its latency means anything.
///
/// The FIN counts as a datagram in the report and not in the totals. A report that knows of fewer datagrams was made before
/// the FIN arrived, by a server that was stopped or has a time limit of its own: its figures are kept, but the flow has
/// failed, because nobody received the rest.
///
/// # Errors
/// [`EngineError::Protocol`] when the figures are none that a receiver of this flow can have.
pub fn read_report(
    report: &FinReport,
    stream: StreamId,
    sent: &SentFlow,
    trip_times: bool,
) -> Result<ReadReport, EngineError> {
    if let Some(contradiction) = contradiction(report, sent, trip_times) {
        let reason = format!("the server's report contradicts what was sent: {contradiction}");
        return Err(EngineError::Protocol { reason });
    }
    let early = report.datagrams <= sent.datagrams;
    let expected = if early { report.datagrams } else { report.datagrams - 1 };
    let lost = report.lost.min(expected);
    let figures = Figures {
        bytes: report.bytes,
        datagrams: Some(Datagrams {
            sent: expected,
            received: expected - lost,
            lost: i64::try_from(lost).unwrap_or(i64::MAX),
            out_of_order: report.out_of_order,
            duplicates: None,
            ..Datagrams::default()
        }),
        jitter: Some(report.jitter.since_epoch()),
        latency: report
            .latency
            .filter(|_| trip_times && report.flags.contains(BaseFlags::EXTEND))
            .map(|latency| read_latency(&latency, expected - lost)),
        ..Figures::default()
    };
    let duration = report.duration.since_epoch();
    let totals = Totals { stream, role: Role::Receiver, duration, figures };
    Ok(ReadReport { totals, failure: early.then(|| ended_early(expected, sent)) })
}

fn ended_early(covered: u64, sent: &SentFlow) -> EngineError {
    let mut reason = format!(
        "it reported before the flow ended, and its figures cover {covered} of {} datagrams",
        sent.datagrams
    );
    if sent.errors > 0 {
        reason.push_str(&format!("; {} more were refused", sent.errors));
    }
    EngineError::PeerVanished { reason }
}

/// Times of both ends may differ by this much, whatever their clocks are.
const TIME_TOLERANCE: Duration = Duration::from_millis(200);

/// What is impossible in the report, if anything.
///
/// A FIN is repeated with the same number, so no report may know of more than one datagram above those sent. A receiver
/// cannot receive before the first datagram was sent or after its report arrived; one that lost little cannot have
/// received for much less than the time of sending. With trip-times an iperf server counts from the client's clock, which
/// may be any time away from its own.
fn contradiction(report: &FinReport, sent: &SentFlow, trip_times: bool) -> Option<String> {
    let (datagrams, most) = (report.datagrams, sent.datagrams.saturating_add(1));
    if datagrams == 0 || datagrams > most {
        return Some(format!("{datagrams} datagrams, end marker included, of {most}"));
    }
    if report.lost > datagrams {
        return Some(format!("{} lost of {datagrams} datagrams", report.lost));
    }
    if report.out_of_order > datagrams {
        return Some(format!("{} out of order of {datagrams} datagrams", report.out_of_order));
    }
    let again = report.out_of_order.saturating_add(1).saturating_mul(sent.longest as u64);
    if report.bytes > sent.bytes.saturating_add(again) {
        return Some(format!("{} bytes of {}", report.bytes, sent.bytes));
    }
    let (duration, jitter) = (report.duration.since_epoch(), report.jitter.since_epoch());
    let longest = sent.reported_after + sent.reported_after / 10 + TIME_TOLERANCE;
    if jitter > longest {
        return Some(format!("a jitter of {jitter:?} within {:.2?}", sent.reported_after));
    }
    let is_whole = datagrams > sent.datagrams && report.lost <= datagrams / 4;
    let too_short = is_whole && duration + TIME_TOLERANCE < sent.duration / 2;
    if !trip_times && (duration > longest || too_short) {
        return Some(format!("a duration of {duration:?} instead of {:.2?}", sent.duration));
    }
    None
}

/// An iperf server samples the FIN as well, which is no data datagram.
fn read_latency(latency: &LatencyFigures, received: u64) -> Latency {
    Latency {
        count: u64::from(latency.count).min(received),
        negative: 0,
        mean: latency.mean.seconds(),
        min: latency.min.seconds(),
        max: latency.max.seconds(),
        stdev: latency.standard_deviation_seconds().unwrap_or(0.0),
        bins: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> FinReport {
        FinReport {
            flags: BaseFlags::VERSION1 | BaseFlags::EXTEND,
            bytes: 133_770,
            duration: WireTime { seconds: 1, microseconds: 12_275 },
            lost: 2,
            out_of_order: 3,
            datagrams: 91,
            jitter: WireTime { seconds: 0, microseconds: 2 },
            latency: Some(LatencyFigures {
                min: SignedTime::from_nanoseconds(6_000),
                max: SignedTime::from_nanoseconds(32_000),
                mean: SignedTime::from_nanoseconds(16_000),
                count: 90,
                ..LatencyFigures::default()
            }),
        }
    }

    /// 90 datagrams of 1470 bytes in a second.
    fn sent(datagrams: u64) -> SentFlow {
        SentFlow {
            datagrams,
            bytes: datagrams * 1470,
            longest: 1470,
            errors: 0,
            duration: Duration::from_secs(1),
            reported_after: Duration::from_millis(1013),
        }
    }

    fn read(report: &FinReport, datagrams: u64) -> Result<ReadReport, EngineError> {
        read_report(report, StreamId(1), &sent(datagrams), false)
    }

    #[test]
    fn the_fin_is_no_data() {
        let read = read(&report(), 90).unwrap();
        let datagrams = read.totals.figures.datagrams.unwrap();
        assert_eq!((datagrams.sent, datagrams.received, datagrams.lost), (90, 88, 2));
        assert_eq!((datagrams.out_of_order, datagrams.duplicates), (3, None));
        assert_eq!(read.failure, None);
    }

    #[test]
    fn a_report_before_the_end_is_a_vanished_server_whose_figures_are_kept() {
        let early =
            read_report(&report(), StreamId(1), &SentFlow { errors: 4, ..sent(180) }, false);
        let early = early.unwrap();
        assert_eq!(early.totals.figures.datagrams.unwrap().sent, 91);
        let reason = "it reported before the flow ended, and its figures cover 91 of 180 datagrams; 4 more were refused";
        assert_eq!(early.failure, Some(EngineError::PeerVanished { reason: reason.into() }));
    }

    #[test]
    fn figures_that_no_receiver_of_the_flow_can_have_are_refused() {
        let microsecond = WireTime { seconds: 0, microseconds: 1 };
        let for_ever = WireTime { seconds: 4_000_000_000, microseconds: 0 };
        let absurd = [
            (FinReport { datagrams: 0, ..report() }, "0 datagrams"),
            (FinReport { datagrams: 1_000_000, lost: 10, ..report() }, "1000000 datagrams"),
            (FinReport { datagrams: 92, ..report() }, "92 datagrams"),
            (FinReport { lost: 92, ..report() }, "92 lost"),
            (FinReport { lost: u64::MAX, ..report() }, "lost of 91"),
            (FinReport { out_of_order: u64::MAX, ..report() }, "out of order of 91"),
            (FinReport { bytes: 1 << 63, ..report() }, "9223372036854775808 bytes"),
            (FinReport { bytes: 94 * 1470 + 1, ..report() }, "138181 bytes"),
            (FinReport { duration: microsecond, ..report() }, "duration of 1µs"),
            (FinReport { duration: for_ever, ..report() }, "duration of 4000000000s"),
            (FinReport { jitter: for_ever, ..report() }, "jitter of 4000000000s"),
        ];
        for (report, expected) in absurd {
            match read(&report, 90) {
                Err(EngineError::Protocol { reason }) => {
                    assert!(reason.contains(expected), "{reason} / {expected}");
                }
                other => panic!("{expected}: {other:?}"),
            }
        }
    }

    #[test]
    fn duplicates_late_arrival_and_heavy_loss_are_possible() {
        let doubled = FinReport { out_of_order: 90, bytes: 181 * 1470, ..report() };
        assert!(read(&doubled, 90).is_ok());
        let late_server = FinReport {
            lost: 80,
            bytes: 10 * 1470,
            duration: WireTime { seconds: 0, microseconds: 90_000 },
            ..report()
        };
        assert!(read(&late_server, 90).is_ok());
    }

    #[test]
    fn with_trip_times_the_duration_has_the_difference_of_the_clocks_in_it() {
        let duration = WireTime { seconds: 70, microseconds: 0 };
        let report = FinReport { duration, ..report() };
        assert!(read_report(&report, StreamId(1), &sent(90), false).is_err());
        assert!(read_report(&report, StreamId(1), &sent(90), true).is_ok());
    }

    #[test]
    fn latency_is_read_only_where_send_times_mean_it() {
        let latency = |report: &FinReport, trip_times| {
            let read = read_report(report, StreamId(1), &sent(90), trip_times);
            read.unwrap().totals.figures.latency
        };
        assert_eq!(latency(&report(), false), None);
        assert_eq!(latency(&FinReport { flags: BaseFlags::VERSION1, ..report() }, true), None);
        let read = latency(&report(), true).unwrap();
        assert_eq!((read.count, read.min, read.mean, read.max), (88, 6e-6, 16e-6, 32e-6));
    }
}
