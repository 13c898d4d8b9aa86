use super::{Dimension, Dscp, number};

/// Units for display, largest first: the power of ten from which each is used, and its symbol.
type Scale = &'static [(i32, &'static str)];

const BIT_RATES: Scale =
    &[(12, "Tbit/s"), (9, "Gbit/s"), (6, "Mbit/s"), (3, "kbit/s"), (0, "bit/s")];
const PACKET_RATES: Scale = &[(6, "Mpps"), (3, "kpps"), (0, "pps")];
const BYTES: Scale = &[(12, "TB"), (9, "GB"), (6, "MB"), (3, "kB"), (0, "B")];
const TIMES: Scale = &[(0, "s"), (-3, "ms"), (-6, "\u{b5}s"), (-9, "ns")];

/// Below so many bytes every byte counts: sizes of datagrams and segments.
const WHOLE_BYTES: f64 = 1e5;

/// Significant digits shown where nothing asks for more.
const DIGITS: usize = 3;

/// An `f64` has no more significant digits than this.
const ALL_DIGITS: usize = 17;
/// More digits than any measurement is good for.
const PRECISE_DIGITS: usize = 9;

impl Dimension {
    /// `si`, in the SI unit of this dimension, for people: three significant digits and a unit with SI prefix, such as
    /// `42.1 Mbit/s`, `0.05%`, `1.5 ms`. Whole counts keep all their digits, and so do packet and segment sizes.
    #[must_use]
    pub fn format(self, si: f64) -> String {
        self.format_digits(si, DIGITS)
    }

    /// Like [`Dimension::format`], with up to nine significant digits: for a limit, which must not be moved by rounding.
    #[must_use]
    pub fn format_precisely(self, si: f64) -> String {
        self.format_digits(si, PRECISE_DIGITS)
    }

    /// Like [`Dimension::format`], with as many digits as it takes to tell `si` from `other`.
    #[must_use]
    pub fn format_apart(self, si: f64, other: f64) -> String {
        let digits = (DIGITS..ALL_DIGITS)
            .find(|digits| self.format_digits(si, *digits) != self.format_digits(other, *digits));
        self.format_digits(si, digits.unwrap_or(DIGITS))
    }

    fn format_digits(self, si: f64, digits: usize) -> String {
        if !si.is_finite() {
            return si.to_string();
        }
        let value = rounded(si, digits);
        match self {
            Self::BitRate => prefixed(value, BIT_RATES),
            Self::PacketRate => prefixed(value, PACKET_RATES),
            Self::Bytes if si.fract() == 0.0 && si.abs() < WHOLE_BYTES => {
                format!("{} B", number::decimal(si, 0))
            }
            Self::Bytes => prefixed(value, BYTES),
            Self::Time => prefixed(value, TIMES),
            Self::Ratio => format!("{}%", number::decimal(value, 2)),
            Self::Count if si.fract() == 0.0 => number::decimal(si, 0),
            Self::Count => number::decimal(value, 0),
            Self::Dscp => {
                let name = number::decimal(si, 0);
                name.parse().map_or(name, |dscp: Dscp| dscp.to_string())
            }
        }
    }
}

/// `value` with so many significant decimal digits.
fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

fn prefixed(value: f64, scale: Scale) -> String {
    let fits = |tens: i32| value.abs() >= 10_f64.powi(tens) || (value == 0.0 && tens == 0);
    let smallest = scale.last().copied().unwrap_or((0, ""));
    let (tens, symbol) = scale.iter().copied().find(|(tens, _)| fits(*tens)).unwrap_or(smallest);
    format!("{} {symbol}", number::decimal(value, -tens))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_with_three_digits_and_a_prefix() {
        let table = [
            (Dimension::BitRate, 42_123_456.0, "42.1 Mbit/s"),
            (Dimension::BitRate, 50e6, "50 Mbit/s"),
            (Dimension::BitRate, 999_960.0, "1 Mbit/s"),
            (Dimension::BitRate, 1.234e10, "12.3 Gbit/s"),
            (Dimension::BitRate, 0.0, "0 bit/s"),
            (Dimension::PacketRate, 12_345.0, "12.3 kpps"),
            (Dimension::Bytes, 131_072.0, "131 kB"),
            (Dimension::Bytes, 65_483.0, "65483 B"),
            (Dimension::Bytes, 1457.5, "1.46 kB"),
            (Dimension::Time, 0.0015, "1.5 ms"),
            (Dimension::Time, 1e-6, "1 \u{b5}s"),
            (Dimension::Time, 12.3456, "12.3 s"),
            (Dimension::Time, -0.002, "-2 ms"),
            (Dimension::Time, 0.0, "0 s"),
            (Dimension::Ratio, 0.000_512_3, "0.0512%"),
            (Dimension::Ratio, 0.25, "25%"),
            (Dimension::Count, 123_456.0, "123456"),
            (Dimension::Count, 1.0 / 3.0, "0.333"),
            (Dimension::Dscp, 46.0, "ef"),
            (Dimension::Dscp, 5.0, "5"),
        ];
        for (dimension, si, text) in table {
            assert_eq!(dimension.format(si), text);
        }
    }

    #[test]
    fn a_near_miss_is_shown_with_enough_digits() {
        assert_eq!(Dimension::BitRate.format_apart(49_999_000.0, 50e6), "49.999 Mbit/s");
        assert_eq!(Dimension::BitRate.format_apart(42e6, 50e6), "42 Mbit/s");
        assert_eq!(Dimension::BitRate.format_apart(50e6, 50e6), "50 Mbit/s");
        assert_eq!(Dimension::Time.format_apart(0.020_000_1, 0.02), "20.0001 ms");
    }
}
