//! Pacing of a byte stream.

use std::num::NonZeroU64;
use std::time::Duration;

/// A credit of bytes that starts at zero and grows with the rate; a write may be made whenever the credit is not negative,
/// and is subtracted from it afterwards (iperf 2, protocol page section 2.7).
///
/// So the first write is made at once, and because the credit has no upper limit a sender that was held up catches up:
/// over any stretch of time it is at most one write ahead of the rate. Time comes in as the length of time since the
/// start, and nothing accumulates but whole bytes, so the schedule cannot drift.
#[derive(Debug, Clone)]
pub struct ByteCredit {
    bits_per_second: NonZeroU64,
    charged: u64,
}

impl ByteCredit {
    /// A credit that grows by this rate from the start of the stream on.
    #[must_use]
    pub fn new(bits_per_second: NonZeroU64) -> Self {
        Self { bits_per_second, charged: 0 }
    }

    /// When the next write may be made, from the start of the stream.
    #[must_use]
    pub fn due(&self) -> Duration {
        let rate = u128::from(self.bits_per_second.get());
        let nanoseconds = (u128::from(self.charged) * 8 * 1_000_000_000).div_ceil(rate);
        let seconds = u64::try_from(nanoseconds / 1_000_000_000).unwrap_or(u64::MAX);
        // The remainder is below one thousand million, so it fits.
        Duration::new(seconds, u32::try_from(nanoseconds % 1_000_000_000).unwrap_or(0))
    }

    /// Takes a write off the credit.
    pub fn charge(&mut self, bytes: u64) {
        self.charged = self.charged.saturating_add(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credit(bits_per_second: u64) -> ByteCredit {
        ByteCredit::new(NonZeroU64::new(bits_per_second).unwrap())
    }

    #[test]
    fn the_first_write_is_due_at_once_and_the_next_when_it_is_paid_for() {
        let mut credit = credit(8_000_000);
        assert_eq!(credit.due(), Duration::ZERO);
        credit.charge(1_000);
        assert_eq!(credit.due(), Duration::from_millis(1));
        credit.charge(500);
        assert_eq!(credit.due(), Duration::from_micros(1_500));
    }

    #[test]
    fn a_sender_that_was_held_up_catches_up() {
        let mut credit = credit(8_000_000);
        let mut now = Duration::from_secs(1);
        let mut writes = 0;
        while credit.due() <= now {
            credit.charge(1_000);
            writes += 1;
            now += Duration::from_nanos(1);
        }
        assert_eq!(writes, 1_001);
    }

    #[test]
    fn a_rate_that_does_not_divide_evenly_does_not_drift() {
        let mut credit = credit(7);
        for _ in 0..7_000 {
            credit.charge(1);
        }
        assert_eq!(credit.due(), Duration::from_secs(8_000));
    }

    #[test]
    fn extreme_rates_and_amounts_do_not_overflow() {
        let mut slow = credit(1);
        slow.charge(u64::MAX);
        slow.charge(1);
        assert!(slow.due() > Duration::from_secs(u64::MAX / 2));
        let mut fast = credit(u64::MAX);
        fast.charge(1 << 40);
        assert!(fast.due() < Duration::from_micros(1));
    }
}
