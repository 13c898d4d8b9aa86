//! Counts what one end of a TCP stream moves and reports its intervals.

use std::time::{Duration, Instant};

use super::client::{EventSink, emit};
use super::tcp_connection::TcpConnection;
use crate::event::{EventKind, Figures, Interval, Role, StreamId, TcpSample, Totals};
use crate::protocol::latency_figures::latency_figures;
use crate::stats::{IntervalClock, LatencyHistogram, Span, Transfer};

/// The last, unfinished interval is reported from this part of an interval on: a quarter.
const SHORTEST_REMAINDER_DIVISOR: u32 = 4;

/// What is measured, and for whom.
pub(super) struct Meter<'a> {
    connection: &'a TcpConnection,
    sink: &'a EventSink,
    stream: StreamId,
    role: Role,
    start: Instant,
    last_data: Instant,
    interval: Option<Duration>,
    clock: Option<IntervalClock>,
    next_boundary: Option<Instant>,
    total: Transfer,
    reported: Transfer,
    retransmits: Retransmits,
    latencies: Option<Latencies>,
}

#[derive(Default)]
struct Retransmits {
    at_start: u64,
    at_boundary: u64,
}

#[derive(Default)]
struct Latencies {
    interval: LatencyHistogram,
    total: LatencyHistogram,
}

impl<'a> Meter<'a> {
    /// A meter whose clock starts at `start`, with the state of the connection at that time.
    pub(super) fn new(
        connection: &'a TcpConnection,
        sink: &'a EventSink,
        (stream, role): (StreamId, Role),
        (start, tcp): (Instant, Option<TcpSample>),
        interval: Option<Duration>,
    ) -> Self {
        let clock = interval.and_then(IntervalClock::new);
        let retransmits = tcp.map_or(0, |tcp| tcp.retransmits);
        Self {
            connection,
            sink,
            stream,
            role,
            start,
            last_data: start,
            interval,
            next_boundary: clock
                .as_ref()
                .and_then(|clock| start.checked_add(clock.next_boundary())),
            clock,
            total: Transfer::default(),
            reported: Transfer::default(),
            retransmits: Retransmits { at_start: retransmits, at_boundary: retransmits },
            latencies: None,
        }
    }

    /// Measures latencies from now on.
    pub(super) fn measure_latency(&mut self) {
        self.latencies = Some(Latencies::default());
    }

    pub(super) fn start(&self) -> Instant {
        self.start
    }

    /// When data was moved last; the start when there was none.
    pub(super) fn last_data(&self) -> Instant {
        self.last_data
    }

    pub(super) fn bytes(&self) -> u64 {
        self.total.bytes
    }

    /// Reports the intervals that are over at `now`.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.next_boundary.is_some_and(|boundary| now > boundary) {
            self.report_due(now);
        }
    }

    /// Counts `calls` calls that had moved `bytes` at `now`.
    pub(super) fn record(&mut self, now: Instant, calls: u64, bytes: usize) {
        self.tick(now);
        self.total.record_calls(calls, bytes as u64);
        self.last_data = now;
    }

    /// Counts a call that made no progress in its time.
    pub(super) fn record_error(&mut self) {
        self.total.record_error();
    }

    /// Takes the latency of a burst in nanoseconds.
    pub(super) fn record_latency(&mut self, nanoseconds: i64) {
        if let Some(latencies) = &mut self.latencies {
            latencies.interval.record(nanoseconds);
            latencies.total.record(nanoseconds);
        }
    }

    /// Stops the clock at `now`: reports the last intervals, and gives the figures of the whole.
    pub(super) fn stop(mut self, now: Instant) -> Totals {
        self.report_due(now);
        let duration = now.saturating_duration_since(self.start);
        let sample = self.connection.sample();
        if let Some(span) = self.remainder(duration) {
            self.report(span, sample);
        }
        let figures = Figures {
            latency: self.latencies.as_ref().map(|latencies| latency_figures(&latencies.total)),
            ..figures(self.total, since(sample, self.retransmits.at_start))
        };
        Totals { stream: self.stream, role: self.role, duration, figures }
    }

    fn remainder(&self, duration: Duration) -> Option<Span> {
        let shortest = self.interval? / SHORTEST_REMAINDER_DIVISOR;
        let span = self.clock.as_ref()?.remainder(duration)?;
        (span.length() > shortest && self.total.bytes > self.reported.bytes).then_some(span)
    }

    #[cold]
    fn report_due(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.start);
        while let Some(span) = self.clock.as_mut().and_then(|clock| clock.next_due(elapsed)) {
            let sample = self.connection.sample();
            self.report(span, sample);
        }
        let next = self.clock.as_ref().map(IntervalClock::next_boundary);
        self.next_boundary = next.and_then(|next| self.start.checked_add(next));
    }

    fn report(&mut self, span: Span, sample: Option<TcpSample>) {
        let figures = Figures {
            latency: self.latencies.as_ref().map(|latencies| latency_figures(&latencies.interval)),
            ..figures(self.total.since(&self.reported), since(sample, self.retransmits.at_boundary))
        };
        self.reported = self.total;
        self.retransmits.at_boundary = sample.map_or(0, |sample| sample.retransmits);
        if let Some(latencies) = &mut self.latencies {
            latencies.interval.clear();
        }
        let (stream, role) = (self.stream, self.role);
        let interval = Interval { stream, role, start: span.start, end: span.end, figures };
        emit(self.sink, EventKind::Interval(interval));
    }
}

fn figures(transfer: Transfer, tcp: Option<TcpSample>) -> Figures {
    Figures {
        bytes: transfer.bytes,
        calls: transfer.calls,
        errors: transfer.errors,
        tcp,
        ..Figures::default()
    }
}

/// The sample with only the retransmits since there were `earlier`.
fn since(sample: Option<TcpSample>, earlier: u64) -> Option<TcpSample> {
    sample.map(|sample| TcpSample {
        retransmits: sample.retransmits.saturating_sub(earlier),
        ..sample
    })
}
