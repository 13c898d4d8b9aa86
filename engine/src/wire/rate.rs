//! The offered rate in its two words.

use super::bytes::{join, put_u32, split, u32_at};

/// The offered rate (`-b`) in two words, of which the upper one is shifted left by eight bits.
///
/// Usually bit/s; UDP clients that were given packets per second send that number itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rate {
    /// The low 32 bits.
    pub low: u32,
    /// The bits above 32, shifted left by eight: 24 of them fit.
    pub high: u32,
}

impl Rate {
    /// Largest rate that the words can carry: 2⁵⁶ − 1 bit/s.
    pub const MAX_BITS_PER_SECOND: u64 = (1 << 56) - 1;

    /// The words for a rate; more than [`Self::MAX_BITS_PER_SECOND`] saturates.
    #[must_use]
    pub fn from_bits_per_second(rate: u64) -> Self {
        let (high, low) = split(rate.min(Self::MAX_BITS_PER_SECOND));
        Self { low, high: high << 8 }
    }

    /// The rate; zero means that none was given.
    #[must_use]
    pub fn bits_per_second(self) -> u64 {
        join(self.high >> 8, self.low)
    }

    pub(super) fn read(bytes: &[u8], offset: usize) -> Self {
        Self { low: u32_at(bytes, offset), high: u32_at(bytes, offset + 4) }
    }

    pub(super) fn write(self, bytes: &mut [u8], offset: usize) {
        put_u32(bytes, offset, self.low);
        put_u32(bytes, offset + 4, self.high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_gigabits_set_the_ninth_bit_of_the_upper_word() {
        let rate = Rate::from_bits_per_second(5_000_000_000);
        assert_eq!(rate, Rate { low: 705_032_704, high: 256 });
        assert_eq!(rate.bits_per_second(), 5_000_000_000);
    }

    #[test]
    fn rates_that_do_not_fit_saturate() {
        assert_eq!(
            Rate::from_bits_per_second(u64::MAX).bits_per_second(),
            Rate::MAX_BITS_PER_SECOND
        );
    }
}
