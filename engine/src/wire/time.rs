//! Times on the wire: seconds and microseconds, absolute or signed.

use std::time::Duration;

use super::bytes::{i32_at, put_i32, put_u32, u32_at};

const NANOSECONDS_PER_SECOND: i64 = 1_000_000_000;
const MICROSECONDS_PER_SECOND: i64 = 1_000_000;

/// A moment of the wall clock: seconds since 1970-01-01 UTC and microseconds. Also used for lengths of time that cannot
/// be negative. A peer may send 1 000 000 microseconds or more; arithmetic takes them as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct WireTime {
    /// Whole seconds.
    pub seconds: u32,
    /// Microseconds, 0 to 999 999 from an honest peer.
    pub microseconds: u32,
}

impl WireTime {
    /// The time that a bounceback request carries where the server shall put its own.
    pub const UNSET: Self = Self { seconds: u32::MAX, microseconds: u32::MAX };

    /// From a duration since the epoch; nanoseconds are cut off, seconds saturate at `u32::MAX` (year 2106).
    #[must_use]
    pub fn from_since_epoch(since_epoch: Duration) -> Self {
        let seconds = u32::try_from(since_epoch.as_secs()).unwrap_or(u32::MAX);
        Self { seconds, microseconds: since_epoch.subsec_micros() }
    }

    /// The duration since the epoch.
    #[must_use]
    pub fn since_epoch(self) -> Duration {
        Duration::from_secs(u64::from(self.seconds))
            + Duration::from_micros(u64::from(self.microseconds))
    }

    /// Nanoseconds since the epoch.
    #[must_use]
    pub fn nanoseconds_since_epoch(self) -> i64 {
        i64::from(self.seconds) * NANOSECONDS_PER_SECOND + i64::from(self.microseconds) * 1000
    }

    /// Nanoseconds from `earlier` to `self`; negative when `self` comes first (clocks that differ).
    #[must_use]
    pub fn nanoseconds_since(self, earlier: Self) -> i64 {
        self.nanoseconds_since_epoch() - earlier.nanoseconds_since_epoch()
    }

    /// Both words are zero: the field was not filled.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }

    pub(super) fn read(bytes: &[u8], offset: usize) -> Self {
        Self { seconds: u32_at(bytes, offset), microseconds: u32_at(bytes, offset + 4) }
    }

    pub(super) fn write(self, bytes: &mut [u8], offset: usize) {
        put_u32(bytes, offset, self.seconds);
        put_u32(bytes, offset + 4, self.microseconds);
    }
}

/// A length of time that may be negative, as the UDP report writes it: both parts carry the sign, cut towards zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SignedTime {
    /// Whole seconds.
    pub seconds: i32,
    /// Microseconds, −999 999 to 999 999 from an honest peer.
    pub microseconds: i32,
}

impl SignedTime {
    /// From nanoseconds, cut towards zero to microseconds; seconds saturate.
    #[must_use]
    pub fn from_nanoseconds(nanoseconds: i64) -> Self {
        let microseconds = nanoseconds / 1000;
        let limit = i32::MAX;
        let seconds = i32::try_from(microseconds / MICROSECONDS_PER_SECOND)
            .unwrap_or(if nanoseconds < 0 { -limit } else { limit });
        // The remainder is below one million in size, so it fits.
        let microseconds = i32::try_from(microseconds % MICROSECONDS_PER_SECOND).unwrap_or(0);
        Self { seconds, microseconds }
    }

    /// From seconds, cut towards zero to microseconds. Not-a-number gives zero; infinities saturate.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "float to integer casts saturate, which is what is wanted"
    )]
    pub fn from_seconds(seconds: f64) -> Self {
        // Cutting happens here in microseconds: 1e9 would turn 0.000016 into 15999.999… nanoseconds.
        Self::from_nanoseconds(((seconds * 1e6) as i64).saturating_mul(1000))
    }

    /// The length in nanoseconds.
    #[must_use]
    pub fn nanoseconds(self) -> i64 {
        i64::from(self.seconds) * NANOSECONDS_PER_SECOND + i64::from(self.microseconds) * 1000
    }

    /// The length in seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        f64::from(self.seconds) + f64::from(self.microseconds) / 1e6
    }

    pub(super) fn read(bytes: &[u8], offset: usize) -> Self {
        Self { seconds: i32_at(bytes, offset), microseconds: i32_at(bytes, offset + 4) }
    }

    pub(super) fn write(self, bytes: &mut [u8], offset: usize) {
        put_i32(bytes, offset, self.seconds);
        put_i32(bytes, offset + 4, self.microseconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_of_clocks_that_disagree_is_negative() {
        let sent = WireTime { seconds: 10, microseconds: 5 };
        let received = WireTime { seconds: 9, microseconds: 999_999 };
        assert_eq!(received.nanoseconds_since(sent), -6_000);
        assert_eq!(sent.nanoseconds_since(received), 6_000);
    }

    #[test]
    fn duration_is_cut_to_microseconds() {
        let time = WireTime::from_since_epoch(Duration::new(1_796_072_653, 232_837_999));
        assert_eq!(time, WireTime { seconds: 1_796_072_653, microseconds: 232_837 });
        assert_eq!(time.since_epoch(), Duration::new(1_796_072_653, 232_837_000));
    }

    #[test]
    fn seconds_beyond_2106_saturate() {
        assert_eq!(WireTime::from_since_epoch(Duration::MAX).seconds, u32::MAX);
    }

    #[test]
    fn negative_lengths_carry_the_sign_in_both_parts() {
        assert_eq!(
            SignedTime::from_nanoseconds(-1_500_000_900),
            SignedTime { seconds: -1, microseconds: -500_000 }
        );
        assert_eq!(SignedTime::from_nanoseconds(-1_500_000_900).nanoseconds(), -1_500_000_000);
        assert_eq!(SignedTime::from_seconds(-0.000_016).microseconds, -16);
        assert_eq!(SignedTime::from_nanoseconds(i64::MIN).seconds, -i32::MAX);
        assert_eq!(SignedTime::from_seconds(f64::NAN), SignedTime::default());
    }
}
