//! The server's report at the end of a UDP flow: made from what a receiver counted, and read by a client.

use std::time::Duration;

use super::udp_receiver::UdpReceiver;
use super::udp_request::ReportWish;
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

/// What a client learns from a report.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadReport {
    /// The receiver's totals.
    pub totals: Totals,
    /// What a reader of the figures should know.
    pub remark: Option<String>,
}

/// Reads the report about a flow of which `sent` data datagrams were sent; `trip_times` says whether its latency means
/// anything.
///
/// The FIN counts as a datagram in the report and not in the totals. A report that knows of fewer datagrams was made before
/// the FIN arrived, by a server that has a time limit of its own.
#[must_use]
pub fn read_report(
    report: &FinReport,
    stream: StreamId,
    sent: u64,
    trip_times: bool,
) -> ReadReport {
    let early = report.datagrams <= sent;
    let expected = if early { report.datagrams } else { report.datagrams - 1 };
    // iperf numbers repeated FINs: they are neither data nor lost. A repetition of this engine has the same number.
    let fins_taken_for_data = expected.saturating_sub(sent);
    let expected = expected - fins_taken_for_data;
    let lost = report.lost.saturating_sub(fins_taken_for_data).min(expected);
    let figures = Figures {
        bytes: report.bytes,
        datagrams: Some(Datagrams {
            sent: expected,
            received: expected - lost,
            lost: i64::try_from(lost).unwrap_or(i64::MAX),
            out_of_order: report.out_of_order,
            duplicates: None,
        }),
        jitter: Some(report.jitter.since_epoch()),
        latency: report
            .latency
            .filter(|_| trip_times && report.flags.contains(BaseFlags::EXTEND))
            .map(|latency| read_latency(&latency)),
        ..Figures::default()
    };
    let remark = early.then(|| {
        format!("the server reported before the flow ended: its figures cover {expected} of {sent} datagrams")
    });
    let duration = report.duration.since_epoch();
    ReadReport { totals: Totals { stream, role: Role::Receiver, duration, figures }, remark }
}

fn read_latency(latency: &LatencyFigures) -> Latency {
    Latency {
        count: latency.count.into(),
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

    fn datagrams(report: &FinReport, sent: u64) -> Datagrams {
        read_report(report, StreamId(1), sent, false).totals.figures.datagrams.unwrap()
    }

    #[test]
    fn the_fin_is_no_data() {
        let read = datagrams(&report(), 90);
        assert_eq!((read.sent, read.received, read.lost, read.out_of_order), (90, 88, 2, 3));
        assert_eq!(read.duplicates, None);
    }

    #[test]
    fn a_report_before_the_end_says_so_and_covers_what_it_knows() {
        let read = read_report(&report(), StreamId(1), 180, false);
        assert_eq!(read.totals.figures.datagrams.unwrap().sent, 91);
        assert_eq!(
            read.remark.unwrap(),
            "the server reported before the flow ended: its figures cover 91 of 180 datagrams"
        );
    }

    #[test]
    fn end_markers_that_a_server_took_for_data_are_not_lost() {
        let read = datagrams(&report(), 89);
        assert_eq!((read.sent, read.received, read.lost), (89, 88, 1));
    }

    #[test]
    fn figures_that_contradict_each_other_stay_in_range() {
        let absurd = FinReport { lost: u64::MAX, datagrams: 0, ..report() };
        let read = datagrams(&absurd, 10);
        assert_eq!((read.sent, read.received, read.lost), (0, 0, 0));
    }

    #[test]
    fn latency_is_read_only_where_send_times_mean_it() {
        let latency = |report: &FinReport, trip_times| {
            read_report(report, StreamId(1), 90, trip_times).totals.figures.latency
        };
        assert_eq!(latency(&report(), false), None);
        assert_eq!(latency(&FinReport { flags: BaseFlags::VERSION1, ..report() }, true), None);
        let read = latency(&report(), true).unwrap();
        assert_eq!((read.count, read.min, read.mean, read.max), (90, 6e-6, 16e-6, 32e-6));
    }
}
