//! The amount word: how long or how much.

use std::time::Duration;

/// The amount word of a header: a time, a number of bytes, or nothing.
///
/// Negative values are a time in units of 10 ms, positive ones are bytes. An iperf client that shall run for ever
/// (`-t 0`) leaves +1000 here, which cannot be told from `-n 1000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Amount(pub i32);

/// What an [`Amount`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Send for this long.
    Time(Duration),
    /// Send this many bytes.
    Bytes(u64),
    /// The word is zero: no limit is given.
    Unlimited,
}

impl Amount {
    /// A time, rounded up to 10 ms so that the peer sends for all of it; iperf cuts. At least 10 ms and at most 2³¹ units
    /// (248 days), because zero would mean something else.
    #[must_use]
    pub fn from_time(time: Duration) -> Self {
        let units = time.as_nanos().div_ceil(10_000_000).max(1);
        Self(i32::try_from(units).map_or(i32::MIN, |units| -units))
    }

    /// A number of bytes. The word has 31 bits: larger amounts are cut to 2³¹ − 1, and zero stays zero (no limit).
    /// (iperf itself drops the upper bits, so that 3 GiB become 1 GiB.)
    #[must_use]
    pub fn from_bytes(bytes: u64) -> Self {
        Self(i32::try_from(bytes).unwrap_or(i32::MAX))
    }

    /// The meaning.
    #[must_use]
    pub fn limit(self) -> Limit {
        match self.0 {
            0 => Limit::Unlimited,
            negative if negative < 0 => {
                Limit::Time(Duration::from_millis(u64::from(negative.unsigned_abs()) * 10))
            }
            positive => Limit::Bytes(u64::from(positive.unsigned_abs())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_negative_units_of_ten_milliseconds() {
        assert_eq!(Amount::from_time(Duration::from_millis(1500)), Amount(-150));
        assert_eq!(Amount::from_time(Duration::from_millis(1501)), Amount(-151));
        assert_eq!(Amount(-1000).limit(), Limit::Time(Duration::from_secs(10)));
        assert_eq!(Amount(i32::MIN).limit(), Limit::Time(Duration::from_millis((1 << 31) * 10)));
    }

    #[test]
    fn times_never_turn_into_no_limit() {
        assert_eq!(Amount::from_time(Duration::ZERO), Amount(-1));
        assert_eq!(Amount::from_time(Duration::MAX), Amount(i32::MIN));
    }

    #[test]
    fn bytes_are_positive_and_saturate_at_31_bits() {
        assert_eq!(Amount::from_bytes(1_000_000), Amount(0x000f_4240));
        assert_eq!(Amount::from_bytes(3 << 30), Amount(i32::MAX));
        assert_eq!(Amount(1000).limit(), Limit::Bytes(1000));
        assert_eq!(Amount::from_bytes(0).limit(), Limit::Unlimited);
    }
}
