//! When intervals end.

use std::time::Duration;

/// A span of a stream's time, from the stream's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Number of the interval, from 0.
    pub index: u64,
    /// Start.
    pub start: Duration,
    /// End; the whole interval, or less for the last one.
    pub end: Duration,
}

impl Span {
    /// Length of the span.
    #[must_use]
    pub fn length(&self) -> Duration {
        self.end.saturating_sub(self.start)
    }
}

/// Interval boundaries at exactly `k` × interval from the start of a stream, however late the events are that cross them.
///
/// Before an event at `elapsed` is counted, call [`Self::next_due`] until it returns `None`: each span that it returns
/// is over, also when nothing happened in it. An event exactly on a boundary belongs to the interval that ends there. At
/// the end of the stream, drain once more and then ask [`Self::remainder`].
#[derive(Debug, Clone)]
pub struct IntervalClock {
    interval_nanoseconds: u128,
    index: u64,
}

impl IntervalClock {
    /// A clock for intervals of this length; `None` when it is zero.
    #[must_use]
    pub fn new(interval: Duration) -> Option<Self> {
        (!interval.is_zero())
            .then_some(Self { interval_nanoseconds: interval.as_nanos(), index: 0 })
    }

    /// When the running interval ends, from the start of the stream.
    #[must_use]
    pub fn next_boundary(&self) -> Duration {
        self.boundary(self.index.saturating_add(1))
    }

    /// The next interval that is over at `elapsed`, if there is one.
    pub fn next_due(&mut self, elapsed: Duration) -> Option<Span> {
        let span =
            Span { index: self.index, start: self.boundary(self.index), end: self.next_boundary() };
        if elapsed <= span.end {
            return None;
        }
        self.index = self.index.saturating_add(1);
        Some(span)
    }

    /// The interval that a stream of length `elapsed` leaves unfinished, once [`Self::next_due`] has returned all others;
    /// `None` when the stream ended on a boundary. (iperf prints it only when it is longer than a quarter of an interval.)
    #[must_use]
    pub fn remainder(&self, elapsed: Duration) -> Option<Span> {
        let start = self.boundary(self.index);
        (elapsed > start).then_some(Span { index: self.index, start, end: elapsed })
    }

    fn boundary(&self, index: u64) -> Duration {
        let nanoseconds = self.interval_nanoseconds.saturating_mul(u128::from(index));
        let seconds = u64::try_from(nanoseconds / 1_000_000_000).unwrap_or(u64::MAX);
        // The remainder is below one thousand million, so it fits.
        Duration::new(seconds, u32::try_from(nanoseconds % 1_000_000_000).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(clock: &mut IntervalClock, elapsed: Duration) -> Vec<(u64, Duration, Duration)> {
        std::iter::from_fn(|| clock.next_due(elapsed))
            .map(|span| (span.index, span.start, span.end))
            .collect()
    }

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn late_events_do_not_shift_the_boundaries() {
        let mut clock = IntervalClock::new(ms(500)).unwrap();
        assert_eq!(drain(&mut clock, ms(513)), [(0, ms(0), ms(500))]);
        assert_eq!(drain(&mut clock, ms(1007)), [(1, ms(500), ms(1000))]);
        assert_eq!(clock.next_boundary(), ms(1500));
    }

    #[test]
    fn intervals_in_which_nothing_happened_are_returned_one_by_one() {
        let mut clock = IntervalClock::new(ms(100)).unwrap();
        assert_eq!(
            drain(&mut clock, ms(301)),
            [(0, ms(0), ms(100)), (1, ms(100), ms(200)), (2, ms(200), ms(300))]
        );
    }

    #[test]
    fn an_event_on_the_boundary_belongs_to_the_interval_that_ends() {
        let mut clock = IntervalClock::new(ms(100)).unwrap();
        assert_eq!(clock.next_due(ms(100)), None);
        assert!(clock.next_due(ms(100) + Duration::from_nanos(1)).is_some());
    }

    #[test]
    fn the_last_interval_is_as_long_as_what_is_left() {
        let mut clock = IntervalClock::new(ms(500)).unwrap();
        drain(&mut clock, ms(1200));
        let last = clock.remainder(ms(1200)).unwrap();
        assert_eq!(
            (last.index, last.start, last.end, last.length()),
            (2, ms(1000), ms(1200), ms(200))
        );
    }

    #[test]
    fn a_stream_that_ends_on_a_boundary_ends_with_a_whole_interval() {
        let mut clock = IntervalClock::new(ms(500)).unwrap();
        assert_eq!(drain(&mut clock, ms(1000)), [(0, ms(0), ms(500))]);
        let last = clock.remainder(ms(1000)).unwrap();
        assert_eq!((last.start, last.end), (ms(500), ms(1000)));
        assert_eq!(IntervalClock::new(ms(500)).unwrap().remainder(ms(0)), None);
    }

    #[test]
    fn a_third_of_a_second_does_not_drift_over_a_day() {
        let third = Duration::from_nanos(333_333_333);
        let mut clock = IntervalClock::new(third).unwrap();
        while clock.next_due(Duration::from_secs(86_400)).is_some() {}
        let last = clock.remainder(Duration::from_secs(86_400)).unwrap();
        assert_eq!(last.index, 259_200);
        assert_eq!(last.start, Duration::from_nanos(333_333_333 * 259_200));
    }

    #[test]
    fn an_interval_of_zero_is_refused() {
        assert!(IntervalClock::new(Duration::ZERO).is_none());
    }
}
