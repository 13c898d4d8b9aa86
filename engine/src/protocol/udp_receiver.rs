//! The receiving side of a UDP flow: accounting, intervals, and when the flow is over.

use std::collections::VecDeque;
use std::time::Duration;

use super::latency_figures::latency_figures;
use super::udp_last_interval::is_worth_reporting;
use crate::error::EngineError;
use crate::event::{Datagrams, Figures, Interval, ReceivedMarks, Role, StreamId, Totals};
use crate::stats::{
    Arrival, FinRepetitions, IntervalClock, Jitter, LatencyHistogram, MarkCounts, Marks,
    SequenceCounts, SequenceTracker, Span, Summary, Transfer,
};
use crate::wire::WireTime;
use crate::wire::udp::DatagramPrefix;

/// Accounts for the datagrams of one flow.
///
/// Hand each datagram to [`Self::handle_datagram`] in the order of arrival, and call [`Self::advance`] when it is known that
/// all that arrived until some moment was handed in; then take [`Self::next_interval`] until it is empty and look at
/// [`Self::end`]. Times `at` and `now` come from one monotonic clock, times of day are since 1970-01-01 UTC.
///
/// # What is counted
/// Bytes and calls: every datagram, duplicates and the first FIN included, repetitions of the FIN excluded; a sender counts
/// its FIN once, too. Lost, late and duplicate datagrams follow [`SequenceTracker`]; the FIN is none of them. Jitter is
/// sampled by datagrams in sequence, latency by all but duplicates, marks by all data. The duration reaches from the first datagram to the
/// FIN, or to the last data if that came later or no FIN came.
///
/// # The end
/// A FIN may overtake data, so a flow of which something is missing stays open for [`Self::GRACE`] after its FIN.
#[derive(Debug)]
pub struct UdpReceiver {
    settings: UdpReceiverSettings,
    start: Duration,
    last: Duration,
    last_data: Duration,
    fin: Option<Fin>,
    end: Option<ReceiverEnd>,
    transfer: Transfer,
    tracker: SequenceTracker,
    jitter: Jitter,
    transits: Summary,
    latencies: Option<Latencies>,
    marks: MarksOfSpans,
    far_clock: bool,
    intervals: Option<IntervalClock>,
    at_boundary: (Transfer, SequenceCounts),
    finished_intervals: VecDeque<Interval>,
}

/// What a [`UdpReceiver`] expects of its flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UdpReceiverSettings {
    /// The stream, for its figures.
    pub stream: StreamId,
    /// Whether send times are meant for one-way latency.
    pub trip_times: bool,
    /// Length of a reporting interval.
    pub interval: Option<Duration>,
    /// A flow of which nothing came for so long has vanished.
    pub idle_timeout: Option<Duration>,
    /// A flow that lasts so long without a FIN has vanished.
    pub time_limit: Option<Duration>,
    /// How long the sender said that it would send.
    pub announced: Option<Duration>,
}

/// A datagram of the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowDatagram {
    /// Its number and send time.
    pub prefix: DatagramPrefix,
    /// Its length in bytes.
    pub length: usize,
    /// When it arrived.
    pub at: Duration,
    /// The time of day when it arrived.
    pub time_of_day: Duration,
    /// What its IP header said.
    pub marks: Marks,
}

/// How a flow ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceiverEnd {
    /// With a FIN, in its time.
    Finished,
    /// Before its time.
    Failed(EngineError),
}

/// The FIN with the lowest number so far.
#[derive(Debug, Clone, Copy)]
struct Fin {
    number: u64,
    sent: WireTime,
    /// When the first one arrived.
    at: Duration,
    repetitions: FinRepetitions,
}

#[derive(Debug, Default)]
struct MarksOfSpans {
    interval: MarkCounts,
    total: MarkCounts,
}

#[derive(Debug, Default)]
struct Latencies {
    interval: LatencyHistogram,
    total: LatencyHistogram,
}

impl UdpReceiver {
    /// How long a flow of which something is missing stays open after its FIN.
    pub const GRACE: Duration = Duration::from_millis(100);

    /// Clocks that differ by more than this measure no latency, as in iperf.
    const FAR_CLOCK: Duration = Duration::from_secs(600);
    /// Part of the announced time that may be missing: the clocks of the ends start at different moments.
    const MISSING_TIME_DIVISOR: u32 = 10;
    const MISSING_TIME_LEAST: Duration = Duration::from_millis(100);

    /// A receiver of a flow whose first datagram arrives at `start`; that datagram is handed in like all others.
    #[must_use]
    pub fn new(settings: UdpReceiverSettings, start: Duration) -> Self {
        Self {
            start,
            last: start,
            last_data: start,
            fin: None,
            end: None,
            transfer: Transfer::default(),
            tracker: SequenceTracker::new(),
            jitter: Jitter::default(),
            transits: Summary::default(),
            latencies: settings.trip_times.then(Latencies::default),
            marks: MarksOfSpans::default(),
            far_clock: false,
            intervals: settings.interval.and_then(IntervalClock::new),
            at_boundary: Default::default(),
            finished_intervals: VecDeque::new(),
            settings,
        }
    }

    /// Takes a datagram.
    pub fn handle_datagram(&mut self, datagram: &FlowDatagram) {
        if self.end.is_some() {
            return;
        }
        let at = datagram.at.max(self.last);
        if let Some(number) = datagram.prefix.fin_number() {
            self.handle_fin(number, datagram, at);
        } else if let Ok(number) = u64::try_from(datagram.prefix.sequence) {
            self.handle_data(number, datagram, at);
        }
        if self.fin.is_some_and(|fin| self.is_complete(&fin)) {
            self.finish();
        }
    }

    /// All datagrams that arrived before `now` were handed in.
    pub fn advance(&mut self, now: Duration) {
        if self.end.is_some() {
            return;
        }
        if let Some(fin) = self.fin {
            if now >= fin.at + Self::GRACE {
                self.finish();
            }
            return;
        }
        self.finish_intervals(now);
        let idle = self
            .settings
            .idle_timeout
            .filter(|timeout| now >= self.last_data.saturating_add(*timeout));
        let overdue =
            self.settings.time_limit.filter(|limit| now >= self.start.saturating_add(*limit));
        let failure = match (idle, overdue) {
            (Some(timeout), _) => Some(format!("nothing came for {:.1} s", timeout.as_secs_f64())),
            (None, Some(limit)) => {
                Some(format!("no end marker came within {:.1} s", limit.as_secs_f64()))
            }
            (None, None) => None,
        };
        if let Some(reason) = failure {
            self.close(ReceiverEnd::Failed(EngineError::PeerVanished { reason }));
        }
    }

    /// Ends the flow before its time.
    pub fn stop(&mut self, error: EngineError) {
        if self.end.is_none() {
            self.close(ReceiverEnd::Failed(error));
        }
    }

    /// When [`Self::advance`] has something to do at the latest.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        if let Some(fin) = self.fin {
            return fin.at + Self::GRACE;
        }
        let idle = self.settings.idle_timeout.map(|timeout| self.last_data.saturating_add(timeout));
        let limit = self.settings.time_limit.map(|limit| self.start.saturating_add(limit));
        // A boundary is crossed by the first moment after it.
        let boundary = self.intervals.as_ref().map(|clock| {
            self.start.saturating_add(clock.next_boundary()) + Duration::from_nanos(1)
        });
        [idle, limit, boundary].into_iter().flatten().min().unwrap_or(Duration::MAX)
    }

    /// The next interval that is over.
    pub fn next_interval(&mut self) -> Option<Interval> {
        self.finished_intervals.pop_front()
    }

    /// How the flow ended, once it has.
    #[must_use]
    pub fn end(&self) -> Option<&ReceiverEnd> {
        self.end.as_ref()
    }

    /// Whether a FIN came.
    #[must_use]
    pub fn has_fin(&self) -> bool {
        self.fin.is_some()
    }

    /// What was received until now.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let nothing = (Transfer::default(), SequenceCounts::default());
        let latency = self.latencies.as_ref().map(|latencies| latency_figures(&latencies.total));
        Totals {
            stream: self.settings.stream,
            role: Role::Receiver,
            duration: self.last.saturating_sub(self.start),
            figures: Figures {
                latency,
                marks: received_marks(&self.marks.total),
                ..self.figures(&nothing)
            },
        }
    }

    /// Transit times (receive time − send time) of all datagrams but duplicates, in nanoseconds, whether or not the clocks
    /// agree.
    #[must_use]
    pub fn transits(&self) -> &Summary {
        &self.transits
    }

    /// What a reader of the figures should know.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let counts = self.tracker.counts();
        let mut remarks = Vec::new();
        if counts.doubtful_losses > 0 {
            remarks.push(format!(
                "up to {} of the lost datagrams may be end markers: the first of them were lost, and the client numbers each",
                counts.doubtful_losses
            ));
        }
        if counts.undecided > 0 {
            remarks.push(format!(
                "{} datagrams came so late that they may be duplicates; they are counted as reordered",
                counts.undecided
            ));
        }
        if self.far_clock {
            remarks.push(format!(
                "the clocks of both ends differ by more than {} s; there is no one-way latency",
                Self::FAR_CLOCK.as_secs()
            ));
        }
        remarks
    }

    fn handle_data(&mut self, number: u64, datagram: &FlowDatagram, at: Duration) {
        self.finish_intervals(at);
        self.transfer.record(datagram.length as u64);
        self.marks.interval.record(datagram.marks);
        self.marks.total.record(datagram.marks);
        let arrival = self.tracker.record(number);
        if arrival != Arrival::Duplicate && arrival != Arrival::Invalid {
            let transit = transit(datagram);
            self.record_transit(transit);
            if arrival.is_in_sequence() {
                self.jitter.record(transit);
            }
        }
        self.last = at;
        self.last_data = at;
    }

    fn handle_fin(&mut self, number: u64, datagram: &FlowDatagram, at: Duration) {
        let Some(before) = &mut self.fin else {
            self.finish_intervals(at);
            self.transfer.record(datagram.length as u64);
            self.last = at;
            let repetitions = self.fin_repetitions(transit(datagram));
            self.fin = Some(Fin { number, sent: datagram.prefix.sent, at, repetitions });
            return;
        };
        if number == before.number && datagram.prefix.sent != before.sent {
            // Sent again with the same number: this client does not number its repetitions.
            before.repetitions = FinRepetitions::NONE;
        } else if number < before.number {
            let at = before.at;
            let repetitions = self.fin_repetitions(transit(datagram));
            self.fin = Some(Fin { number, sent: datagram.prefix.sent, at, repetitions });
        }
    }

    fn fin_repetitions(&self, transit: i64) -> FinRepetitions {
        match (self.transits.min(), self.transits.max()) {
            (Some(shortest), Some(longest)) => {
                FinRepetitions::from_transit(transit, whole(shortest), whole(longest))
            }
            _ => FinRepetitions::NONE,
        }
    }

    /// Whether all data before the FIN has come.
    fn is_complete(&self, fin: &Fin) -> bool {
        self.tracker.highest() + 1 >= fin.number && self.tracker.counts().lost() == 0
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "transit times above 2^53 ns (104 days) may lose a nanosecond"
    )]
    fn record_transit(&mut self, nanoseconds: i64) {
        self.transits.record(nanoseconds as f64);
        let Some(latencies) = &mut self.latencies else {
            return;
        };
        if u128::from(nanoseconds.unsigned_abs()) > Self::FAR_CLOCK.as_nanos() {
            self.far_clock = true;
            self.latencies = None;
            return;
        }
        latencies.interval.record(nanoseconds);
        latencies.total.record(nanoseconds);
    }

    fn finish(&mut self) {
        let duration = self.last.saturating_sub(self.start);
        let early = self.settings.announced.filter(|time| duration < least_time(*time));
        self.close(match early {
            Some(time) => ReceiverEnd::Failed(EngineError::PeerVanished {
                reason: format!(
                    "it ended after {:.2} s of {:.2} s",
                    duration.as_secs_f64(),
                    time.as_secs_f64()
                ),
            }),
            None => ReceiverEnd::Finished,
        });
    }

    fn close(&mut self, end: ReceiverEnd) {
        if let Some(fin) = self.fin {
            self.tracker.record_fin(fin.number, fin.repetitions);
        }
        let elapsed = self.last.saturating_sub(self.start);
        let rest = self
            .intervals
            .as_ref()
            .and_then(|clock| clock.remainder(elapsed))
            .filter(|rest| is_worth_reporting(rest, self.settings.interval));
        if let Some(rest) = rest {
            self.report(&rest);
        }
        self.intervals = None;
        self.end = Some(end);
    }

    fn finish_intervals(&mut self, now: Duration) {
        let elapsed = now.saturating_sub(self.start);
        while let Some(span) = self.intervals.as_mut().and_then(|clock| clock.next_due(elapsed)) {
            self.report(&span);
        }
    }

    fn report(&mut self, span: &Span) {
        let mut figures = self.figures(&self.at_boundary);
        if let Some(latencies) = &mut self.latencies {
            figures.latency = Some(latency_figures(&latencies.interval));
            latencies.interval.clear();
        }
        figures.marks = received_marks(&self.marks.interval);
        self.marks.interval.clear();
        self.at_boundary = (self.transfer, self.tracker.counts());
        self.finished_intervals.push_back(Interval {
            stream: self.settings.stream,
            role: Role::Receiver,
            start: span.start,
            end: span.end,
            figures,
        });
    }

    /// The figures since `earlier`, without latency and marks.
    fn figures(&self, (transfer, counts): &(Transfer, SequenceCounts)) -> Figures {
        let transfer = self.transfer.since(transfer);
        let delta = self.tracker.counts().since(counts);
        Figures {
            bytes: transfer.bytes,
            calls: transfer.calls,
            errors: 0,
            datagrams: Some(Datagrams {
                sent: delta.expected,
                received: delta.received,
                lost: delta.lost,
                out_of_order: delta.reordered,
                duplicates: Some(delta.duplicates),
                ..Datagrams::default()
            }),
            jitter: self
                .jitter
                .seconds()
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            latency: None,
            tcp: None,
            marks: None,
        }
    }
}

/// Absent when the system told none.
fn received_marks(counts: &MarkCounts) -> Option<ReceivedMarks> {
    (!counts.is_empty()).then(|| ReceivedMarks {
        tos: counts.tos.as_slice().to_vec(),
        ttl: counts.ttl.as_slice().to_vec(),
    })
}

/// The shortest duration that counts as the announced time.
fn least_time(announced: Duration) -> Duration {
    let missing =
        (announced / UdpReceiver::MISSING_TIME_DIVISOR).max(UdpReceiver::MISSING_TIME_LEAST);
    announced.saturating_sub(missing)
}

fn transit(datagram: &FlowDatagram) -> i64 {
    let received = i64::try_from(datagram.time_of_day.as_nanos()).unwrap_or(i64::MAX);
    received.saturating_sub(datagram.prefix.sent.nanoseconds_since_epoch())
}

#[expect(clippy::cast_possible_truncation, reason = "float to integer casts saturate")]
fn whole(nanoseconds: f64) -> i64 {
    nanoseconds as i64
}
