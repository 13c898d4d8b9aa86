use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

use super::text::{self, Forms};
use super::{Dimension, Unit, UnitError, number};

/// Bits per second, 0 to 10^15.
///
/// Written as a plain number of bit/s, with an iperf suffix (`100m` = 100 · 1000², `100M` = 100 · 1024²) or with a
/// spelled-out unit (`50 Mbit/s`, `1.5 Gbit/s`, `10 MB/s`).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct BitRate(pub f64);

const FORMS: Forms = Forms {
    noun: "a bit rate",
    accepted: "a rate such as `50 Mbit/s`, `1.5 Gbit/s`, `10 MB/s`, `100m` (m = 1000², M = 1024²) or a plain number of \
               bit/s",
};

/// The highest rate that is accepted, in bit/s.
const HIGHEST: f64 = 1e15;

/// The suffixes of iperf's `-b`.
pub(super) const SUFFIXES: &[&str] = &["k", "m", "g", "K", "M", "G"];

impl FromStr for BitRate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (number, symbol) = FORMS.split(text)?;
        let rate = match (text::iperf_factor(symbol), Unit::find(symbol)) {
            (Some(factor), _) => scaled(number, factor),
            (None, Some(unit)) if unit.dimension() == Dimension::BitRate => unit.scale(number),
            _ => return Err(FORMS.unknown_unit(symbol, &[Dimension::BitRate])),
        };
        if rate > HIGHEST {
            return Err(FORMS.error(format!("`{}` is more than 1000 Tbit/s", text.trim())));
        }
        Ok(Self(rate))
    }
}

#[expect(clippy::cast_precision_loss, reason = "iperf's factors are below 2^53")]
fn scaled(number: number::Number<'_>, factor: u64) -> f64 {
    number.shifted(0) * factor as f64
}

/// The largest unit that leaves at least 1, and all digits: `1.048576 Mbit/s`.
impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tens, symbol) = match self.0.abs() {
            rate if rate < 1e3 => (0, "bit/s"),
            rate if rate < 1e6 => (-3, "kbit/s"),
            rate if rate < 1e9 => (-6, "Mbit/s"),
            _ => (-9, "Gbit/s"),
        };
        f.pad(&format!("{} {symbol}", number::decimal(self.0, tens)))
    }
}

impl<'de> Deserialize<'de> for BitRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer, &FORMS)
    }
}

impl JsonSchema for BitRate {
    fn schema_name() -> Cow<'static, str> {
        "BitRate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        text::quantity_schema(
            "A bit rate: a number of bit/s, a number with iperf's suffix (k, m, g count in thousands, K, M, G in \
             1024s), or with a unit such as Mbit/s.",
            &[Dimension::BitRate],
            SUFFIXES,
            &["50 Mbit/s", "1.5 Gbit/s", "100m"],
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_form_of_a_rate_is_read() {
        let table = [
            ("50 Mbit/s", 50e6),
            ("50Mbit/s", 50e6),
            (" 1.5 Gbit/s ", 1.5e9),
            ("87 kbit/s", 87e3),
            ("10Mbps", 10e6),
            ("10 MB/s", 80e6),
            ("1 Mibit/s", 1_048_576.0),
            ("100m", 100e6),
            ("100 m", 100e6),
            ("1M", 1_048_576.0),
            ("1K", 1024.0),
            ("2g", 2e9),
            ("1048576", 1_048_576.0),
            ("1e6", 1e6),
            ("0", 0.0),
        ];
        for (text, rate) in table {
            assert_eq!(text.parse(), Ok(BitRate(rate)), "{text}");
        }
    }

    #[test]
    fn wrong_rates_say_what_to_write() {
        let table = [
            (
                "50 Mb/s",
                "`Mb/s` can mean more than one unit, a bit rate is wanted; did you mean `Mbit/s` (bits) or `MB/s` (bytes)?",
            ),
            ("50 Mbit", "unknown unit `Mbit`, a bit rate is wanted; did you mean `Mbit/s`?"),
            (
                "50 ms",
                "`ms` measures a time, a bit rate is wanted; write one of `bit/s`, `kbit/s`, `Mbit/s`, `Gbit/s`, `Tbit/s`",
            ),
            (
                "fast",
                "`fast` is not a bit rate; write a rate such as `50 Mbit/s`, `1.5 Gbit/s`, `10 MB/s`, `100m` (m = 1000², M = 1024²) or a plain number of bit/s",
            ),
        ];
        for (text, message) in table {
            assert_eq!(text.parse::<BitRate>().unwrap_err().to_string(), message, "{text}");
        }
        for (text, start) in [
            ("", "a bit rate is missing; "),
            ("-5", "`-5` is negative, a bit rate is not; "),
            ("2000 Tbit/s", "`2000 Tbit/s` is more than 1000 Tbit/s; "),
            ("1e400", "`1e400` is more than 1000 Tbit/s; "),
        ] {
            let error = text.parse::<BitRate>().unwrap_err().to_string();
            assert!(error.starts_with(start), "{text}: {error}");
        }
    }

    #[test]
    fn scalars_of_any_kind_are_read() {
        let read = |json: &str| serde_json::from_str::<BitRate>(json);
        assert_eq!(read("\"50 Mbit/s\"").unwrap(), BitRate(50e6));
        assert_eq!(read("1000").unwrap(), BitRate(1000.0));
        assert_eq!(read("1.5").unwrap(), BitRate(1.5));
        assert!(read("-1").is_err());
        assert!(read("true").unwrap_err().to_string().contains("expected a rate such as"));
    }

    #[test]
    fn rates_print_with_a_readable_prefix() {
        for (rate, text) in [
            (0.0, "0 bit/s"),
            (999.5, "999.5 bit/s"),
            (87e3, "87 kbit/s"),
            (1_048_576.0, "1.048576 Mbit/s"),
            (40e9, "40 Gbit/s"),
        ] {
            assert_eq!(BitRate(rate).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn a_printed_rate_reads_back(rate in 0.0..=1e15_f64) {
            prop_assert_eq!(BitRate(rate).to_string().parse(), Ok(BitRate(rate)));
        }

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC{0,12}|[0-9.eE+-]{0,6} ?[a-zA-Z/%]{0,6}") {
            let _ = text.parse::<BitRate>();
        }
    }
}
