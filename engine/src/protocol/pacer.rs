//! When datagrams are due.

use std::time::Duration;

use crate::config::Rate;

const NANOSECONDS_PER_SECOND: u128 = 1_000_000_000;
/// Packets per second are kept in millionths.
const PACKET_RATE_SCALE: f64 = 1e6;

/// An absolute schedule: datagram *k* is due *k* gaps after the start, whatever happened to those before it, so that the
/// mean rate is exact and no rounding adds up.
///
/// Each datagram goes alone as long as a timer can keep the gap. Below [`Self::SHORTEST_WAIT`] they go in groups that are
/// due when their first datagram is. A sender that is late catches up at once, but what it owes beyond
/// [`Self::LARGEST_DEBT`] is given up.
#[derive(Debug, Clone)]
pub struct Pacer {
    gap: Option<Gap>,
    group: u64,
    origin: Duration,
    sent: u64,
    given_up: Duration,
}

/// What a [`Pacer`] allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowance {
    /// So many datagrams may be sent now; at least one.
    Now(u64),
    /// Nothing is to be sent before this time.
    At(Duration),
}

/// A gap in nanoseconds, as a fraction that is kept exact.
#[derive(Debug, Clone, Copy)]
struct Gap {
    numerator: u128,
    denominator: u128,
}

impl Pacer {
    /// Shortest wait that is worth a timer: a wake-up costs a few microseconds and may be tens late.
    pub const SHORTEST_WAIT: Duration = Duration::from_micros(50);
    /// How far a sender may fall behind and still make up for it; iperf has the same bound.
    pub const LARGEST_DEBT: Duration = Duration::from_secs(1);

    /// What an unlimited sender is allowed at a time.
    const UNLIMITED: u64 = 64;

    /// A schedule for datagrams of `length` bytes of payload, the first of which is due at `start`. A rate of zero, or of
    /// less than a millionth of a packet per second, is no limit.
    #[must_use]
    pub fn new(rate: Rate, length: usize, start: Duration) -> Self {
        let gap = Gap::of(rate, length);
        let just_below = Self::SHORTEST_WAIT.saturating_sub(Duration::from_nanos(1));
        let group = gap.map_or(1, |gap| gap.fitting_into(just_below));
        Self { gap, group, origin: start, sent: 0, given_up: Duration::ZERO }
    }

    /// When the next datagram is due; `None` without a limit.
    #[must_use]
    pub fn next_due(&self) -> Option<Duration> {
        self.due(self.sent)
    }

    /// What may be sent at `now`. Time must not run backwards.
    pub fn allowance(&mut self, now: Duration) -> Allowance {
        let Some(gap) = self.gap else {
            return Allowance::Now(Self::UNLIMITED);
        };
        let due = self.origin.saturating_add(gap.times(self.sent));
        let debt = now.saturating_sub(due);
        if debt > Self::LARGEST_DEBT {
            self.origin = self.origin.saturating_add(debt);
            self.given_up = self.given_up.saturating_add(debt);
        } else if now < due && self.sent.is_multiple_of(self.group) {
            return Allowance::At(due);
        }
        let due_until_now = gap.fitting_into(now.saturating_sub(self.origin)).max(self.sent + 1);
        let whole_groups = due_until_now.div_ceil(self.group) * self.group;
        Allowance::Now(whole_groups - self.sent)
    }

    /// Counts datagrams that were sent.
    pub fn record_sent(&mut self, count: u64) {
        self.sent = self.sent.saturating_add(count);
    }

    /// The time that was given up because the sender fell too far behind. The mean rate is lower by it.
    #[must_use]
    pub fn given_up(&self) -> Duration {
        self.given_up
    }

    /// How many datagrams would have been due in the time that was given up.
    #[must_use]
    pub fn datagrams_given_up(&self) -> u64 {
        match (self.gap, self.given_up.checked_sub(Duration::from_nanos(1))) {
            (Some(gap), Some(span)) => gap.fitting_into(span),
            _ => 0,
        }
    }

    /// How many datagrams are due before `end` and not sent; zero without a limit.
    #[must_use]
    pub fn unsent_before(&self, end: Duration) -> u64 {
        let Some(gap) = self.gap else {
            return 0;
        };
        let span = end.saturating_sub(self.origin).saturating_sub(Duration::from_nanos(1));
        gap.fitting_into(span).saturating_sub(self.sent)
    }

    fn due(&self, number: u64) -> Option<Duration> {
        self.gap.map(|gap| self.origin.saturating_add(gap.times(number)))
    }
}

impl Gap {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float to integer casts saturate, and not-a-number gives zero, which is no limit"
    )]
    fn of(rate: Rate, length: usize) -> Option<Self> {
        let (numerator, denominator) = match rate {
            Rate::Unlimited => return None,
            Rate::BitsPerSecond(rate) => {
                (length as u128 * 8 * NANOSECONDS_PER_SECOND, u128::from(rate))
            }
            Rate::PacketsPerSecond(rate) => (
                NANOSECONDS_PER_SECOND * PACKET_RATE_SCALE as u128,
                (rate * PACKET_RATE_SCALE).round() as u64 as u128,
            ),
        };
        (denominator > 0).then_some(Self { numerator: numerator.max(1), denominator })
    }

    fn times(self, count: u64) -> Duration {
        // Below 2^108 for the largest datagrams and counts, so it does not overflow.
        let nanoseconds = self.numerator * u128::from(count) / self.denominator;
        u64::try_from(nanoseconds).map_or(Duration::MAX, Duration::from_nanos)
    }

    /// How many datagrams are due within `span`, when the first is due at its start; at least one.
    fn fitting_into(self, span: Duration) -> u64 {
        let count = (span.as_nanos().saturating_add(1))
            .saturating_mul(self.denominator)
            .div_ceil(self.numerator);
        u64::try_from(count).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: Duration = Duration::from_secs(100);

    fn after(microseconds: u64) -> Duration {
        START + Duration::from_micros(microseconds)
    }

    fn pacer(rate: Rate) -> Pacer {
        Pacer::new(rate, 1470, START)
    }

    #[test]
    fn the_default_rate_sends_alone_every_eleven_milliseconds() {
        let mut pacer = pacer(Rate::BitsPerSecond(1_048_576));
        assert_eq!(pacer.allowance(START), Allowance::Now(1));
        pacer.record_sent(1);
        assert_eq!(
            pacer.allowance(START),
            Allowance::At(after(11_215) + Duration::from_nanos(209))
        );
        assert_eq!(pacer.unsent_before(after(1_000_000)), 89);
    }

    #[test]
    fn packet_rates_may_be_fractions() {
        let mut pacer = pacer(Rate::PacketsPerSecond(0.5));
        pacer.record_sent(1);
        assert_eq!(pacer.allowance(START), Allowance::At(after(2_000_000)));
    }

    #[test]
    fn gaps_that_no_timer_keeps_go_in_groups() {
        // 11.76 µs apart.
        let mut pacer = pacer(Rate::BitsPerSecond(1_000_000_000));
        assert_eq!(pacer.allowance(START), Allowance::Now(5));
        pacer.record_sent(2);
        assert_eq!(pacer.allowance(START), Allowance::Now(3));
        pacer.record_sent(3);
        assert_eq!(pacer.allowance(START), Allowance::At(after(58) + Duration::from_nanos(800)));
        // A wake-up 100 µs late: what is due by then, and the rest of its group.
        assert_eq!(pacer.allowance(after(160)), Allowance::Now(10));
    }

    #[test]
    fn a_gap_of_the_shortest_wait_goes_alone() {
        let mut pacer = pacer(Rate::PacketsPerSecond(20_000.0));
        assert_eq!(pacer.allowance(START), Allowance::Now(1));
    }

    #[test]
    fn a_late_sender_catches_up() {
        let mut pacer = pacer(Rate::PacketsPerSecond(1000.0));
        assert_eq!(pacer.allowance(after(900_000)), Allowance::Now(901));
        assert_eq!(pacer.given_up(), Duration::ZERO);
    }

    #[test]
    fn a_debt_of_more_than_a_second_is_given_up() {
        let mut pacer = pacer(Rate::PacketsPerSecond(1000.0));
        assert_eq!(pacer.allowance(after(3_000_000)), Allowance::Now(1));
        assert_eq!(pacer.given_up(), Duration::from_secs(3));
        pacer.record_sent(1);
        assert_eq!(pacer.allowance(after(3_000_000)), Allowance::At(after(3_001_000)));
    }

    #[test]
    fn no_rate_is_no_limit() {
        for rate in [
            Rate::Unlimited,
            Rate::BitsPerSecond(0),
            Rate::PacketsPerSecond(0.0),
            Rate::PacketsPerSecond(-1.0),
            Rate::PacketsPerSecond(f64::NAN),
        ] {
            assert!(matches!(pacer(rate).allowance(START), Allowance::Now(_)), "{rate:?}");
            assert_eq!(pacer(rate).next_due(), None);
        }
    }

    proptest! {
        #[test]
        fn a_sender_that_obeys_sends_what_the_rate_says(
            rate in 10_000_u64..20_000_000_000,
            length in 16_usize..65_508,
            lateness in 0_u64..80,
        ) {
            let mut pacer = Pacer::new(Rate::BitsPerSecond(rate), length, START);
            let (mut now, mut sent) = (START, 0_u64);
            let end = after(10_000_000);
            while now < end && sent < 20_000 {
                match pacer.allowance(now) {
                    Allowance::Now(count) => {
                        sent += count;
                        pacer.record_sent(count);
                    }
                    Allowance::At(due) => {
                        prop_assert!(due > now);
                        now = due + Duration::from_micros(lateness);
                    }
                }
            }
            let elapsed = (now - START).as_nanos();
            let bits = u128::from(sent) * length as u128 * 8 * NANOSECONDS_PER_SECOND;
            // One group ahead at most, and never behind by more than the lateness of one wake-up.
            let gap = length as u128 * 8 * NANOSECONDS_PER_SECOND;
            prop_assert!(bits <= elapsed * u128::from(rate) + gap * u128::from(pacer.group + 1));
            prop_assert!(bits + gap >= (elapsed - u128::from(lateness) * 1000) * u128::from(rate));
        }
    }
}
