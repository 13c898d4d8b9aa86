//! The sending side of a UDP flow.

use std::time::Duration;

use super::pacer::{Allowance, Pacer};
use super::udp_last_interval::is_worth_reporting;
use super::udp_rejections::{Rejection, Rejections};
use super::udp_report::SentFlow;
use crate::config::{Amount, Rate};
use crate::error::EngineError;
use crate::event::{Datagrams, Figures, Interval, Role, StreamId, Totals};
use crate::stats::{IntervalClock, Span, Transfer};
use crate::wire::udp::{DatagramPrefix, FinAnswer, FinReport};

/// Less time than this that a schedule gave up is not worth a word.
const WORTH_TELLING: Duration = Duration::from_millis(10);

/// Sends data in its time, ends it with a FIN, and asks for the report until it comes.
///
/// Call [`Self::poll`] with the present time until it says `Wait`; do what it says, and tell [`Self::record_sent`] or
/// [`Self::record_failure`] how a `Send` went before polling again. Whatever arrives goes to [`Self::handle_answer`].
/// Time is any monotonic clock that starts before the first call.
///
/// # What is counted
/// Bytes and calls include the FIN **once**, however often it is repeated; a receiver counts it once, too, so that both ends of
/// a flow without loss count the same bytes (iperf does likewise). `Datagrams::sent` counts data only. A datagram that
/// the system refused was not sent: its number goes to the next attempt.
#[derive(Debug)]
pub struct UdpSender {
    settings: UdpSenderSettings,
    start: Option<Duration>,
    finishing: Option<Finishing>,
    end: Option<SenderEnd>,
    pacer: Pacer,
    /// Number of the next datagram.
    next: u64,
    remaining: Option<u64>,
    counts: Counts,
    at_boundary: Counts,
    intervals: Option<IntervalClock>,
    rejections: Rejections,
    /// Attempts that failed since one succeeded.
    failures: u32,
    retry_at: Duration,
    data_ended: Duration,
    unsent: u64,
    /// The first report that came, and when.
    report: Option<(Box<FinReport>, Duration)>,
}

/// What a [`UdpSender`] does.
#[derive(Debug, Clone, PartialEq)]
pub struct UdpSenderSettings {
    /// The stream, for its figures.
    pub stream: StreamId,
    /// When to stop. A byte amount counts the FIN out.
    pub amount: Amount,
    /// How fast to send.
    pub rate: Rate,
    /// Payload bytes of a datagram, at least 16.
    pub length: usize,
    /// Bytes that the first datagram has at least, for its header.
    pub header_length: usize,
    /// How the flow ends.
    pub finish: Finish,
    /// Length of a reporting interval.
    pub interval: Option<Duration>,
}

/// How a flow ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The FIN is repeated, with the same number, until the receiver's report comes.
    AwaitReport,
    /// The FIN is sent three times, against loss: nobody answers.
    Announce,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum SenderAction {
    /// Send datagrams; then tell how it went.
    Send(Outgoing),
    /// Do nothing until this time, but hand in what arrives.
    Wait(Duration),
    /// An interval is over.
    Report(Box<Interval>),
    /// The flow has ended; there is nothing more to do.
    End(SenderEnd),
}

/// Datagrams to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outgoing {
    /// Number of the first; negative for a FIN. The others count up.
    pub sequence: i64,
    /// How many may be sent at once; fewer may be.
    pub count: u64,
    /// Payload bytes of each.
    pub length: usize,
}

/// How a flow ended.
#[derive(Debug, Clone, PartialEq)]
pub enum SenderEnd {
    /// All was sent, and no report was to come.
    Finished,
    /// The receiver reported.
    Reported(Box<FinReport>),
    /// The receiver said that it saw the end, but not what it counted.
    Acknowledged,
    /// It failed.
    Failed(EngineError),
}

/// Why the system did not send a datagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendFailure {
    /// It returned the rejection of an earlier datagram.
    Rejected(Rejection),
    /// It had no room for the moment.
    Busy,
    /// It never will.
    Fatal(EngineError),
}

/// The phase after the data.
#[derive(Debug, Clone, Copy)]
struct Finishing {
    since: Duration,
    fins: u32,
    next_fin: Duration,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    transfer: Transfer,
    datagrams: u64,
}

impl UdpSender {
    /// Time between two FINs.
    pub const FIN_PERIOD: Duration = Duration::from_millis(10);
    /// How long after the first FIN the report may come, as in iperf.
    pub const REPORT_TIMEOUT: Duration = Duration::from_secs(2);

    /// A flow by time whose host was late may still send so many datagrams that were due before its end, ...
    const CATCH_UP_DATAGRAMS: u64 = 64;
    /// ... for so long.
    const CATCH_UP: Duration = Duration::from_millis(100);
    /// How long to wait when the system has no room, or rejects every attempt.
    const RETRY_AFTER: Duration = Duration::from_micros(200);
    /// How many FINs announce an end that nobody acknowledges.
    const ANNOUNCEMENTS: u32 = 3;

    /// A sender; its clock starts with the first [`Self::poll`].
    #[must_use]
    pub fn new(settings: UdpSenderSettings) -> Self {
        Self {
            start: None,
            finishing: None,
            end: None,
            pacer: Pacer::new(settings.rate, settings.length, Duration::ZERO),
            next: 1,
            remaining: match settings.amount {
                Amount::Time(_) => None,
                Amount::Bytes(bytes) => Some(bytes),
            },
            counts: Counts::default(),
            at_boundary: Counts::default(),
            intervals: settings.interval.and_then(IntervalClock::new),
            rejections: Rejections::default(),
            failures: 0,
            retry_at: Duration::ZERO,
            data_ended: Duration::ZERO,
            unsent: 0,
            report: None,
            settings,
        }
    }

    /// Says what to do at `now`.
    pub fn poll(&mut self, now: Duration) -> SenderAction {
        if self.start.is_none() {
            self.start = Some(now);
            self.pacer = Pacer::new(self.settings.rate, self.settings.length, now);
        }
        if let Some(end) = self.end.clone() {
            return self.rest_of_intervals().unwrap_or(SenderAction::End(end));
        }
        if self.finishing.is_none() {
            if let Some(action) = self.poll_data(now) {
                return action;
            }
            self.finish_data(now);
            if let Some((report, _)) = &self.report {
                let end = SenderEnd::Reported(report.clone());
                self.end = Some(end.clone());
                return self.rest_of_intervals().unwrap_or(SenderAction::End(end));
            }
        }
        self.poll_fin(now)
    }

    /// `count` datagrams of `outgoing` were handed to the system.
    pub fn record_sent(&mut self, outgoing: &Outgoing, count: u64, now: Duration) {
        let length = outgoing.length as u64;
        self.failures = 0;
        if let Some(finishing) = &mut self.finishing {
            if finishing.fins == 0 {
                self.counts.transfer.record(length);
            }
            finishing.fins += 1;
            finishing.next_fin = now + Self::FIN_PERIOD;
            return;
        }
        self.counts.transfer.record_calls(count, count * length);
        self.counts.datagrams += count;
        self.next += count;
        self.pacer.record_sent(count);
        if let Some(remaining) = &mut self.remaining {
            *remaining = remaining.saturating_sub(count * length);
        }
    }

    /// The system sent nothing.
    pub fn record_failure(&mut self, failure: SendFailure, now: Duration) {
        self.counts.transfer.record_error();
        self.failures += 1;
        // The rejection of an earlier datagram says nothing about an attempt right away; more than one in a row does.
        if failure == SendFailure::Busy || self.failures > 1 {
            self.retry_at = now + Self::RETRY_AFTER;
        }
        let error = match failure {
            SendFailure::Busy => None,
            SendFailure::Rejected(rejection) => self.reject(rejection, now),
            SendFailure::Fatal(error) => Some(error),
        };
        if let Some(error) = error {
            self.stop(error, now);
        }
    }

    /// The network rejected an earlier datagram, which was learnt without sending one.
    ///
    /// A receiver that asked for the data and whose port refuses it is gone. After the FIN that is as it should be.
    pub fn record_rejection(&mut self, rejection: Rejection, now: Duration) {
        if self.settings.finish == Finish::Announce && rejection == Rejection::Refused {
            if self.finishing.is_some_and(|finishing| finishing.fins > 0) {
                self.end.get_or_insert(SenderEnd::Finished);
            } else {
                let reason = "its port became unreachable".into();
                self.stop(EngineError::PeerVanished { reason }, now);
            }
        } else if let Some(error) = self.reject(rejection, now) {
            self.stop(error, now);
        }
    }

    /// Takes a datagram that arrived at `now`.
    ///
    /// A report that comes before the end of the data does not stop the sender: it is the answer as soon as the data has
    /// ended. One that is found after a failure is kept as well, see
    /// [`Self::received_report`].
    pub fn handle_answer(&mut self, datagram: &[u8], now: Duration) {
        if self.report.is_some() || self.settings.finish != Finish::AwaitReport {
            return;
        }
        let is_waiting = self.finishing.is_some() && self.end.is_none();
        match FinAnswer::classify(datagram) {
            FinAnswer::Report(report) => {
                if is_waiting {
                    self.end = Some(SenderEnd::Reported(Box::new(report)));
                }
                self.report = Some((Box::new(report), now));
            }
            FinAnswer::Bare if is_waiting => self.end = Some(SenderEnd::Acknowledged),
            // Copies of the FIN, and what does not belong here: keep asking.
            FinAnswer::Bare
            | FinAnswer::Echo { .. }
            | FinAnswer::OldAcknowledgement
            | FinAnswer::Other => {}
        }
    }

    /// The receiver's report, whether or not the flow ended with it.
    #[must_use]
    pub fn received_report(&self) -> Option<&FinReport> {
        self.report.as_ref().map(|(report, _)| report.as_ref())
    }

    /// What was sent, to hold against the report.
    #[must_use]
    pub fn sent_flow(&self) -> SentFlow {
        let reported = self.report.as_ref().map_or(self.data_ended, |(_, at)| *at);
        SentFlow {
            datagrams: self.counts.datagrams,
            bytes: self.counts.transfer.bytes,
            longest: self.settings.length.max(self.settings.header_length),
            errors: self.counts.transfer.errors,
            duration: self.elapsed(self.data_ended),
            reported_after: self.elapsed(reported),
        }
    }

    /// Ends the flow before its time; a FIN that tells the receiver so is best sent with [`Self::fin`].
    pub fn stop(&mut self, error: EngineError, now: Duration) {
        if self.is_sending() {
            self.data_ended = now;
        }
        self.end.get_or_insert(SenderEnd::Failed(error));
    }

    /// The FIN that belongs to what was sent so far.
    #[must_use]
    pub fn fin(&self) -> Outgoing {
        let sequence = DatagramPrefix::fin(self.next, crate::wire::WireTime::default()).sequence;
        Outgoing { sequence, count: 1, length: self.settings.length }
    }

    /// Whether something was sent.
    #[must_use]
    pub fn has_sent(&self) -> bool {
        self.counts.transfer.calls > 0
    }

    /// Whether data is still to be sent.
    #[must_use]
    pub fn is_sending(&self) -> bool {
        self.finishing.is_none() && self.end.is_none()
    }

    /// Whether the flow has ended; intervals may be left to report.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// What was sent.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut figures = figures(&self.counts, &Counts::default());
        if let Some(datagrams) = &mut figures.datagrams {
            datagrams.unsent = self.unsent + self.datagrams_given_up();
        }
        Totals {
            stream: self.settings.stream,
            role: Role::Sender,
            duration: self.elapsed(self.data_ended),
            figures,
        }
    }

    /// What was due in time that was given up; a flow of so many bytes sends it all the same, later.
    fn datagrams_given_up(&self) -> u64 {
        if self.remaining.is_some() { 0 } else { self.pacer.datagrams_given_up() }
    }

    /// A remark when this host could not send as fast as it was told.
    #[must_use]
    pub fn shortfall(&self) -> Option<String> {
        let given_up = self.pacer.given_up();
        if given_up.is_zero() && self.unsent * 100 <= self.next {
            return None;
        }
        let mut remark = format!(
            "this host did not keep the rate: {} of its datagrams were due and not sent",
            self.unsent
        );
        if given_up >= WORTH_TELLING {
            let milliseconds = given_up.as_millis();
            remark.push_str(&format!(", and {milliseconds} ms of its schedule were given up"));
        }
        Some(remark)
    }

    /// What to do while there is data; `None` when it has ended.
    fn poll_data(&mut self, now: Duration) -> Option<SenderAction> {
        if let Some(report) = self.interval_until(now) {
            return Some(report);
        }
        let due = self.pacer.next_due().unwrap_or(now);
        match self.end_of_time() {
            Some(end) if due >= end && now < end => return Some(self.wait(end)),
            Some(end) if due >= end || (now >= end && !self.may_catch_up(now, end)) => return None,
            None if self.remaining == Some(0) && now >= due => return None,
            _ => {}
        }
        if now < self.retry_at {
            return Some(self.wait(self.retry_at));
        }
        Some(match self.pacer.allowance(now) {
            Allowance::At(due) => self.wait(due),
            // The last byte was sent and the FIN keeps its distance.
            Allowance::Now(_) if self.remaining == Some(0) => self.wait(due),
            Allowance::Now(count) => SenderAction::Send(self.data(count)),
        })
    }

    fn poll_fin(&mut self, now: Duration) -> SenderAction {
        let finishing = self.finishing.unwrap_or(Finishing { since: now, fins: 0, next_fin: now });
        if finishing.fins > 0
            && let Some(report) = self.rest_of_intervals()
        {
            return report;
        }
        let next = finishing.next_fin.max(self.retry_at);
        let end = match self.settings.finish {
            Finish::AwaitReport if now >= finishing.since + Self::REPORT_TIMEOUT => {
                let unanswered =
                    EngineError::NoReport { after: now.saturating_sub(finishing.since) };
                SenderEnd::Failed(self.rejections.verdict(now).unwrap_or(unanswered))
            }
            Finish::Announce if finishing.fins == Self::ANNOUNCEMENTS => SenderEnd::Finished,
            _ if now < next => return SenderAction::Wait(next),
            _ => return SenderAction::Send(self.fin()),
        };
        self.end = Some(end.clone());
        SenderAction::End(end)
    }

    fn data(&self, allowed: u64) -> Outgoing {
        let sequence = i64::try_from(self.next).unwrap_or(i64::MAX);
        let usual = self.settings.length;
        let remaining = self.remaining.unwrap_or(u64::MAX);
        // The last bytes; but there must be room for a number and a time.
        let length = usize::try_from(remaining)
            .map_or(usual, |last| last.clamp(DatagramPrefix::LENGTH, usual));
        if self.next == 1 {
            return Outgoing {
                sequence,
                count: 1,
                length: length.max(self.settings.header_length),
            };
        }
        let whole = (remaining / usual as u64).max(1);
        Outgoing { sequence, count: allowed.min(whole), length }
    }

    fn end_of_time(&self) -> Option<Duration> {
        match self.settings.amount {
            Amount::Time(time) => Some(self.start.unwrap_or_default().saturating_add(time)),
            Amount::Bytes(_) => None,
        }
    }

    fn may_catch_up(&self, now: Duration, end: Duration) -> bool {
        now < end + Self::CATCH_UP
            && self.pacer.next_due().is_some()
            && self.pacer.unsent_before(end) <= Self::CATCH_UP_DATAGRAMS
    }

    fn finish_data(&mut self, now: Duration) {
        self.data_ended = now;
        self.unsent = self.end_of_time().map_or(0, |end| self.pacer.unsent_before(end));
        self.finishing = Some(Finishing { since: now, fins: 0, next_fin: now });
    }

    fn elapsed(&self, now: Duration) -> Duration {
        now.saturating_sub(self.start.unwrap_or(now))
    }

    fn reject(&mut self, rejection: Rejection, now: Duration) -> Option<EngineError> {
        self.rejections.record(rejection, now, self.elapsed(now), self.counts.datagrams)
    }

    fn wait(&self, until: Duration) -> SenderAction {
        let start = self.start.unwrap_or_default();
        let boundary = self.intervals.as_ref().map(|clock| start + clock.next_boundary());
        // A boundary is crossed by the first moment after it.
        let crossed = boundary.map(|boundary| boundary + Duration::from_nanos(1));
        SenderAction::Wait(crossed.map_or(until, |crossed| until.min(crossed)))
    }

    fn interval_until(&mut self, now: Duration) -> Option<SenderAction> {
        let elapsed = self.elapsed(now);
        let span = self.intervals.as_mut()?.next_due(elapsed)?;
        Some(self.report(span))
    }

    /// The intervals up to the end of the data, and what is left of the last one.
    fn rest_of_intervals(&mut self) -> Option<SenderAction> {
        let elapsed = self.elapsed(self.data_ended);
        let clock = self.intervals.as_mut()?;
        if let Some(span) = clock.next_due(elapsed) {
            return Some(self.report(span));
        }
        let rest = clock.remainder(elapsed);
        self.intervals = None;
        let rest = rest.filter(|span| is_worth_reporting(span, self.settings.interval))?;
        Some(self.report(rest))
    }

    fn report(&mut self, span: Span) -> SenderAction {
        let figures = figures(&self.counts, &self.at_boundary);
        self.at_boundary = self.counts;
        SenderAction::Report(Box::new(Interval {
            stream: self.settings.stream,
            role: Role::Sender,
            start: span.start,
            end: span.end,
            figures,
        }))
    }
}

fn figures(counts: &Counts, earlier: &Counts) -> Figures {
    let transfer = counts.transfer.since(&earlier.transfer);
    Figures {
        bytes: transfer.bytes,
        calls: transfer.calls,
        errors: transfer.errors,
        datagrams: Some(Datagrams {
            sent: counts.datagrams - earlier.datagrams,
            ..Datagrams::default()
        }),
        ..Figures::default()
    }
}
