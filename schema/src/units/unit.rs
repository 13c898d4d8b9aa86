use std::fmt;

use super::number::{self, Number};
use super::suggestion;

/// What a quantity measures. Two quantities can be compared only within one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// Bits per second.
    BitRate,
    /// Packets per second.
    PacketRate,
    /// Bytes.
    Bytes,
    /// Seconds.
    Time,
    /// A share, 1 for 100 %.
    Ratio,
    /// A plain number of things.
    Count,
    /// A DSCP, by its number.
    Dscp,
}

impl Dimension {
    /// The dimension as a noun with its article.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::BitRate => "a bit rate",
            Self::PacketRate => "a packet rate",
            Self::Bytes => "a number of bytes",
            Self::Time => "a time",
            Self::Ratio => "a percentage",
            Self::Count => "a plain number",
            Self::Dscp => "a DSCP",
        }
    }

    /// The spellings to recommend, smallest unit first; none for [`Dimension::Count`] and [`Dimension::Dscp`].
    pub fn main_units(self) -> impl Iterator<Item = &'static Unit> {
        UNITS.iter().filter(move |unit| unit.dimension == self && unit.spelling == Spelling::Main)
    }
}

/// Whether a unit's symbol is the one to recommend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Main,
    Alias,
}

/// A spelled-out unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    symbol: &'static str,
    dimension: Dimension,
    /// Power of ten that leads to the SI unit …
    tens: i32,
    /// … together with this factor.
    factor: u64,
    spelling: Spelling,
}

impl Unit {
    /// The unit spelled exactly so.
    #[must_use]
    pub fn find(symbol: &str) -> Option<&'static Self> {
        UNITS.iter().find(|unit| unit.symbol == symbol)
    }

    /// How it is written.
    #[must_use]
    pub fn symbol(&self) -> &'static str {
        self.symbol
    }

    /// What it measures.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// `number` of this unit in the SI unit (bit/s, packets/s, bytes, seconds, ratio).
    #[must_use]
    pub fn to_si(&self, number: f64) -> f64 {
        let text = number::decimal(number.abs(), 0);
        let magnitude = Number::split(&text).map_or(f64::NAN, |(number, _)| self.scale(number));
        magnitude.copysign(number)
    }

    #[expect(clippy::cast_precision_loss, reason = "the factors are 60, 3600 and powers of two")]
    pub(crate) fn scale(&self, number: Number<'_>) -> f64 {
        number.shifted(self.tens) * self.factor as f64
    }

    /// `number` of this unit in 10^`si_tens` of the SI unit, as an integer, cut; `None` when it is out of all range.
    pub(crate) fn scale_to_integer(&self, number: Number<'_>, si_tens: u32) -> Option<u128> {
        let tens = i32::try_from(si_tens).ok()?.checked_add(self.tens)?;
        let power = 10_u128.checked_pow(u32::try_from(tens).ok()?)?;
        number.times(power.checked_mul(u128::from(self.factor))?)
    }

    /// Why `symbol` is none of the units of `dimensions`, and what to write instead.
    pub(crate) fn explain_unknown(symbol: &str, dimensions: &[Dimension]) -> (String, String) {
        let hint = suggestion::hint(symbol, dimensions);
        let message = match Self::find(symbol) {
            Some(unit) => format!("`{symbol}` measures {}", unit.dimension.noun()),
            None if suggestion::is_ambiguous(symbol, dimensions) => {
                format!("`{symbol}` can mean more than one unit")
            }
            None => format!("unknown unit `{symbol}`"),
        };
        (message, hint)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.symbol)
    }
}

const fn unit(symbol: &'static str, dimension: Dimension, tens: i32, factor: u64) -> Unit {
    Unit { symbol, dimension, tens, factor, spelling: Spelling::Main }
}

const fn alias(symbol: &'static str, dimension: Dimension, tens: i32, factor: u64) -> Unit {
    Unit { symbol, dimension, tens, factor, spelling: Spelling::Alias }
}

const KIBI: u64 = 1 << 10;
const MEBI: u64 = 1 << 20;
const GIBI: u64 = 1 << 30;
const TEBI: u64 = 1 << 40;

/// Every unit, by dimension and size. Symbols are matched with their case.
pub(super) const UNITS: &[Unit] = &[
    unit("bit/s", Dimension::BitRate, 0, 1),
    unit("kbit/s", Dimension::BitRate, 3, 1),
    unit("Mbit/s", Dimension::BitRate, 6, 1),
    unit("Gbit/s", Dimension::BitRate, 9, 1),
    unit("Tbit/s", Dimension::BitRate, 12, 1),
    alias("bps", Dimension::BitRate, 0, 1),
    alias("kbps", Dimension::BitRate, 3, 1),
    alias("Mbps", Dimension::BitRate, 6, 1),
    alias("Gbps", Dimension::BitRate, 9, 1),
    alias("Tbps", Dimension::BitRate, 12, 1),
    alias("Kibit/s", Dimension::BitRate, 0, KIBI),
    alias("Mibit/s", Dimension::BitRate, 0, MEBI),
    alias("Gibit/s", Dimension::BitRate, 0, GIBI),
    alias("B/s", Dimension::BitRate, 0, 8),
    alias("kB/s", Dimension::BitRate, 3, 8),
    alias("MB/s", Dimension::BitRate, 6, 8),
    alias("GB/s", Dimension::BitRate, 9, 8),
    alias("KiB/s", Dimension::BitRate, 0, 8 * KIBI),
    alias("MiB/s", Dimension::BitRate, 0, 8 * MEBI),
    alias("GiB/s", Dimension::BitRate, 0, 8 * GIBI),
    unit("pps", Dimension::PacketRate, 0, 1),
    unit("kpps", Dimension::PacketRate, 3, 1),
    unit("Mpps", Dimension::PacketRate, 6, 1),
    unit("B", Dimension::Bytes, 0, 1),
    unit("kB", Dimension::Bytes, 3, 1),
    unit("MB", Dimension::Bytes, 6, 1),
    unit("GB", Dimension::Bytes, 9, 1),
    unit("TB", Dimension::Bytes, 12, 1),
    unit("KiB", Dimension::Bytes, 0, KIBI),
    unit("MiB", Dimension::Bytes, 0, MEBI),
    unit("GiB", Dimension::Bytes, 0, GIBI),
    unit("TiB", Dimension::Bytes, 0, TEBI),
    alias("byte", Dimension::Bytes, 0, 1),
    alias("bytes", Dimension::Bytes, 0, 1),
    unit("ns", Dimension::Time, -9, 1),
    unit("us", Dimension::Time, -6, 1),
    alias("\u{b5}s", Dimension::Time, -6, 1),
    alias("\u{3bc}s", Dimension::Time, -6, 1),
    unit("ms", Dimension::Time, -3, 1),
    unit("s", Dimension::Time, 0, 1),
    unit("min", Dimension::Time, 0, 60),
    unit("h", Dimension::Time, 0, 3600),
    unit("%", Dimension::Ratio, -2, 1),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_convert_to_si() {
        let table = [
            ("bit/s", 50.0, 50.0),
            ("Mbit/s", 1.5, 1_500_000.0),
            ("Gbps", 1.0, 1e9),
            ("Kibit/s", 1.0, 1024.0),
            ("kB/s", 1.0, 8000.0),
            ("MiB/s", 2.0, 2.0 * 8.0 * 1_048_576.0),
            ("kpps", 1.5, 1500.0),
            ("kB", 1.0, 1000.0),
            ("KiB", 1.0, 1024.0),
            ("ns", 1.0, 1e-9),
            ("us", 100.0, 1e-4),
            ("\u{b5}s", 100.0, 1e-4),
            ("ms", 20.0, 0.02),
            ("min", 2.0, 120.0),
            ("h", 0.5, 1800.0),
            ("%", 0.1, 0.001),
        ];
        for (symbol, number, si) in table {
            let unit = Unit::find(symbol).expect(symbol);
            assert_eq!(unit.to_si(number), si, "{number} {symbol}");
            assert_eq!(unit.to_si(-number), -si, "-{number} {symbol}");
        }
    }

    #[test]
    fn symbols_are_unique() {
        for (index, unit) in UNITS.iter().enumerate() {
            assert!(UNITS[..index].iter().all(|other| other.symbol != unit.symbol), "{unit}");
        }
    }

    #[test]
    fn case_matters() {
        assert!(Unit::find("mbit/s").is_none());
        assert!(Unit::find("KB").is_none());
        assert!(Unit::find("S").is_none());
    }
}
