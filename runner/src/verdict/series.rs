//! The recorded intervals of one end of a flow, and what is put together from them.

use linerate_schema::assertion::Side;
use linerate_schema::results::{
    DatagramCounts, Distribution, FlowResult, IntervalMeasurement, Measurement, ReceivedMarks,
    StreamWay, TcpState, WriteCounts,
};
use linerate_schema::units::Seconds;

use super::figure::count;

/// Intervals may begin and end so much beside their nominal time, in parts of their length.
const TOLERANCE: f64 = 0.1;

/// A last interval shorter than this part of the others is a remainder, too short to judge.
const REMAINDER: f64 = 0.5;

/// So much of a stream's end may be without intervals, in parts of its length: the last data of a sender drain late.
const UNCOVERED_END: f64 = 0.05;

/// The intervals of one end, side by side for all streams.
#[derive(Debug)]
pub(super) struct Series<'a> {
    /// Nominal length of a recorded interval, in seconds.
    recorded: f64,
    /// How many recorded intervals make one of those the flow asked for.
    asked: usize,
    /// The intervals of each stream, remainders cut off; those of a stream that ended earlier are fewer.
    streams: Vec<&'a [IntervalMeasurement]>,
    /// The rows that count.
    rows: std::ops::Range<usize>,
}

/// Some neighbouring intervals put together.
#[derive(Debug)]
pub(super) struct Part {
    /// Seconds from the start of the streams.
    pub(super) start: f64,
    /// Seconds from the start of the streams.
    pub(super) end: f64,
    /// What each stream measured in it, of those that still ran.
    pub(super) streams: Vec<Measurement>,
}

impl<'a> Series<'a> {
    /// The intervals that `side` recorded of these streams of `flow`, or why they cannot be used and what to do.
    pub(super) fn of(
        flow: &FlowResult,
        streams: &[StreamWay<'a>],
        side: Side,
    ) -> Result<Self, String> {
        let all: Vec<&[IntervalMeasurement]> = streams
            .iter()
            .map(|stream| match side {
                Side::Sender => stream.sender_intervals,
                Side::Receiver => stream.receiver_intervals,
            })
            .collect();
        let recorded = typical_length(&all).ok_or_else(|| no_intervals(flow, side))?;
        for (stream, intervals) in streams.iter().zip(&all) {
            check_complete(stream, intervals, side, recorded)
                .map_err(|why| format!("{why}: a part of `{}` was not recorded", flow.name))?;
        }
        let streams: Vec<_> = all.iter().map(|list| without_remainder(list, recorded)).collect();
        let rows = 0..streams.iter().map(|list| list.len()).max().unwrap_or(0);
        Ok(Self { recorded, asked: asked(flow, recorded), streams, rows })
    }

    /// Keeps only the intervals fully inside these seconds.
    pub(super) fn keep(&mut self, from: f64, to: f64) -> Result<(), String> {
        let slack = self.recorded * TOLERANCE;
        let inside = |(start, end): (f64, f64)| start >= from - slack && end <= to + slack;
        let mut rows = self.rows.clone().filter(|row| self.span(*row).is_some_and(inside));
        let (first, last) = (rows.next(), rows.next_back());
        let Some(first) = first else { return Err(self.not_covered(from, to)) };
        let last = last.unwrap_or(first);
        let reach = self.recorded - slack;
        let covered = self
            .span(first)
            .zip(self.span(last))
            .is_some_and(|((start, _), (_, end))| start < from + reach && end > to - reach);
        if !covered {
            return Err(self.not_covered(from, to));
        }
        self.rows = first..last + 1;
        Ok(())
    }

    /// The intervals that the flow asked for.
    pub(super) fn intervals(&self) -> Vec<Part> {
        self.groups(self.asked)
    }

    /// Windows of so many seconds, one after the other; what is left at the end is in none.
    pub(super) fn windows(&self, seconds: f64) -> Result<Vec<Part>, String> {
        let length = Seconds(std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default());
        let recorded = self.recorded_text();
        let Some(rows) = multiple(seconds, self.recorded) else {
            return Err(format!(
                "windows of {length} are not a multiple of the recorded interval of {recorded}: set `interval` to a \
                 part of the window"
            ));
        };
        let windows = self.groups(rows);
        if windows.is_empty() {
            return Err(format!(
                "{} recorded intervals of {recorded} make no window of {length}: run longer",
                self.rows.len()
            ));
        }
        Ok(windows)
    }

    /// Everything that counts, put together.
    pub(super) fn whole(&self) -> Option<Part> {
        self.part(self.rows.clone())
    }

    fn groups(&self, rows: usize) -> Vec<Part> {
        let starts = self.rows.clone().step_by(rows.max(1));
        let complete = starts.filter(|start| start + rows <= self.rows.end);
        complete.filter_map(|start| self.part(start..start + rows)).collect()
    }

    fn part(&self, rows: std::ops::Range<usize>) -> Option<Part> {
        let (start, _) = self.span(rows.start)?;
        let (_, end) = self.span(rows.end.checked_sub(1)?)?;
        let streams = self.streams.iter().filter_map(|intervals| {
            let upper = rows.end.min(intervals.len());
            let joined = join_in_time(intervals.get(rows.start..upper)?)?;
            // The rate of a stream that ended within the part is still one over the whole part.
            Some(if upper < rows.end { lasting(joined, end - start) } else { joined })
        });
        Some(Part { start, end, streams: streams.collect() })
    }

    /// Start and end of a row, over all streams that have it.
    fn span(&self, row: usize) -> Option<(f64, f64)> {
        let cells = self.streams.iter().filter_map(|intervals| intervals.get(row));
        cells
            .map(|cell| (cell.start_seconds, cell.end_seconds))
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    fn not_covered(&self, from: f64, to: f64) -> String {
        let end = self
            .rows
            .clone()
            .next_back()
            .and_then(|row| self.span(row))
            .map_or(0.0, |(_, end)| end);
        let recorded = self.recorded_text();
        if end + self.recorded * TOLERANCE >= to {
            return format!(
                "no interval of {recorded} lies inside {from} to {to} s: set a shorter `interval`, or a longer `during`"
            );
        }
        format!(
            "the run lasted {end:.2} s and does not cover {from} to {to} s: run longer, or move `during`"
        )
    }

    fn recorded_text(&self) -> String {
        linerate_schema::units::Dimension::Time.format(self.recorded)
    }
}

/// The upper median of the lengths, which neither remainders nor a delayed end disturb.
fn typical_length(streams: &[&[IntervalMeasurement]]) -> Option<f64> {
    if streams.is_empty() || streams.iter().any(|intervals| intervals.is_empty()) {
        return None;
    }
    let mut lengths: Vec<f64> = streams.iter().flat_map(|list| list.iter()).map(length).collect();
    lengths.sort_by(f64::total_cmp);
    lengths.get(lengths.len() / 2).copied().filter(|length| *length > 0.0)
}

fn length(interval: &IntervalMeasurement) -> f64 {
    interval.end_seconds - interval.start_seconds
}

fn without_remainder(intervals: &[IntervalMeasurement], recorded: f64) -> &[IntervalMeasurement] {
    match intervals {
        [whole @ .., last] if length(last) < recorded * REMAINDER => whole,
        all => all,
    }
}

/// A server that several flows share records at the shortest interval of them; each flow still gets its own.
fn asked(flow: &FlowResult, recorded: f64) -> usize {
    let option = flow.options.get("interval").and_then(|text| text.parse::<Seconds>().ok());
    option.and_then(|asked| multiple(asked.0.as_secs_f64(), recorded)).unwrap_or(1)
}

/// How many times `part` is in `whole`, when it is a whole number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is at least 1; a cast from f64 saturates"
)]
fn multiple(whole: f64, part: f64) -> Option<usize> {
    let times = whole / part;
    let rounded = times.round();
    // A recorded length is measured, so it is off by a little: by so much less, the more of them are wanted.
    let off = (times - rounded).abs() / rounded.max(1.0);
    (rounded >= 1.0 && off <= 0.05 && off * rounded < 0.5).then_some(rounded as usize)
}

fn no_intervals(flow: &FlowResult, side: Side) -> String {
    let name = &flow.name;
    if flow.options.contains_key("interval") {
        return format!(
            "the {side} of `{name}` recorded no intervals: run that end with linerate, for longer than one interval"
        );
    }
    format!("`{name}` recorded no intervals: add `interval: 1s` to the client")
}

/// Intervals have to follow each other and reach the end of what the stream measured.
fn check_complete(
    stream: &StreamWay<'_>,
    intervals: &[IntervalMeasurement],
    side: Side,
    recorded: f64,
) -> Result<(), String> {
    let mut reached = 0.0;
    for interval in intervals {
        if interval.start_seconds - reached > recorded * REMAINDER {
            return Err(format!(
                "no interval covers {reached:.2} to {:.2} s",
                interval.start_seconds
            ));
        }
        reached = interval.end_seconds;
    }
    let whole = match side {
        Side::Sender => stream.sender,
        Side::Receiver => stream.receiver,
    };
    match whole.map(|whole| whole.duration_seconds) {
        Some(end) if end - reached > recorded * (1.0 + REMAINDER) + end * UNCOVERED_END => {
            Err(format!("no interval covers {reached:.2} to {end:.2} s"))
        }
        _ => Ok(()),
    }
}

/// One measurement of neighbouring intervals: counts add, rates are those of the whole, distributions merge, and what is
/// sampled at the end of a span is that of the last.
fn join_in_time(intervals: &[IntervalMeasurement]) -> Option<Measurement> {
    let last = &intervals.last()?.measurement;
    let each = || intervals.iter().map(|interval| &interval.measurement);
    let duration_seconds: f64 = each().map(|m| m.duration_seconds).sum();
    let transfer_bytes = each().map(|m| m.transfer_bytes).sum();
    let bits = count(transfer_bytes) * 8.0;
    Some(Measurement {
        duration_seconds,
        transfer_bytes,
        throughput_bits_per_second: if duration_seconds > 0.0 {
            bits / duration_seconds
        } else {
            0.0
        },
        datagrams: datagrams(intervals),
        jitter_seconds: last.jitter_seconds,
        latency: Distribution::merge(each().filter_map(|m| m.latency.as_ref())),
        tcp: last.tcp.and_then(|tcp| {
            let retransmits = sum(each().map(|m| Some(m.tcp?.retransmits)))?;
            Some(TcpState { retransmits, ..tcp })
        }),
        writes: sum(each().map(|m| Some(m.writes?.writes)))
            .zip(sum(each().map(|m| Some(m.writes?.errors))))
            .map(|(writes, errors)| WriteCounts { writes, errors }),
        reads: sum(each().map(|m| m.reads)),
        received: ReceivedMarks::merge(each().filter_map(|m| m.received.as_ref())),
    })
}

/// The same data over another time.
fn lasting(measurement: Measurement, seconds: f64) -> Measurement {
    let bits = count(measurement.transfer_bytes) * 8.0;
    let throughput_bits_per_second = if seconds > 0.0 { bits / seconds } else { 0.0 };
    Measurement { duration_seconds: seconds, throughput_bits_per_second, ..measurement }
}

fn datagrams(intervals: &[IntervalMeasurement]) -> Option<DatagramCounts> {
    let each = |of: fn(&DatagramCounts) -> Option<u64>| {
        sum(intervals.iter().map(|interval| of(interval.measurement.datagrams.as_ref()?)))
    };
    Some(DatagramCounts {
        sent: each(|counts| Some(counts.sent))?,
        received: each(|counts| counts.received),
        lost: each(|counts| counts.lost),
        out_of_order: each(|counts| counts.out_of_order),
        duplicates: each(|counts| counts.duplicates),
        // Only known of the whole stream.
        unsent: None,
        dropped_by_host: None,
    })
}

/// The sum, when every one is known.
fn sum(counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_tolerate_measured_lengths() {
        assert_eq!(multiple(1.0, 1.0), Some(1));
        assert_eq!(multiple(1.0, 0.5), Some(2));
        assert_eq!(multiple(1.0, 0.5003), Some(2));
        assert_eq!(multiple(10.0, 1.0002), Some(10));
        assert_eq!(multiple(1.5, 1.0), None);
        assert_eq!(multiple(0.5, 1.0), None);
        assert_eq!(multiple(f64::INFINITY, 1.0), None);
    }
}
