//! Numbers as an integer word and a word of millionths.

use super::bytes::{put_u32, u32_at};

/// A non-negative number in two words: integer part and millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FixedPoint {
    /// Integer part.
    pub integer: u32,
    /// Fraction in millionths, 0 to 999 999 from an honest peer.
    pub millionths: u32,
}

impl FixedPoint {
    /// From a float: the fraction is cut to millionths, negative numbers and not-a-number become zero, and numbers
    /// above 2³² saturate.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "float to integer casts saturate, which is what is wanted"
    )]
    pub fn from_f64(value: f64) -> Self {
        let integer = value as u32;
        // The small addition undoes a binary fraction just below the decimal that was meant (0.7 − 0.69999…).
        let millionths = ((value - f64::from(integer)) * 1e6 + 1e-4) as u32;
        Self { integer, millionths: millionths.min(999_999) }
    }

    /// The number as a float.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.integer) + f64::from(self.millionths) / 1e6
    }

    pub(super) fn read(bytes: &[u8], offset: usize) -> Self {
        Self { integer: u32_at(bytes, offset), millionths: u32_at(bytes, offset + 4) }
    }

    pub(super) fn write(self, bytes: &mut [u8], offset: usize) {
        put_u32(bytes, offset, self.integer);
        put_u32(bytes, offset + 4, self.millionths);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_a_second_period_is_cut_to_millionths() {
        assert_eq!(FixedPoint::from_f64(1.0 / 0.3), FixedPoint { integer: 3, millionths: 333_333 });
    }

    #[test]
    fn decimals_survive_although_they_are_not_binary() {
        assert_eq!(FixedPoint::from_f64(60.7), FixedPoint { integer: 60, millionths: 700_000 });
        assert_eq!(FixedPoint::from_f64(0.999_999), FixedPoint { integer: 0, millionths: 999_999 });
    }

    #[test]
    fn numbers_outside_the_range_saturate() {
        assert_eq!(FixedPoint::from_f64(-1.0), FixedPoint::default());
        assert_eq!(FixedPoint::from_f64(f64::NAN), FixedPoint::default());
        assert_eq!(
            FixedPoint::from_f64(1e12),
            FixedPoint { integer: u32::MAX, millionths: 999_999 }
        );
    }
}
