use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

use super::text::{self, Forms};
use super::{Dimension, Unit, UnitError};

/// A number of bytes, 0 to 2^63 − 1.
///
/// Written as a plain number, with an iperf suffix (`64K` = 64 · 1024, `64k` = 64 · 1000) or with a spelled-out unit
/// (`10 MB`, `1 MiB`). What is left of a byte after the suffix or unit was applied is cut off, as iperf does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteCount(pub u64);

const FORMS: Forms = Forms {
    noun: "a number of bytes",
    accepted: "a size such as `1470`, `64K` (K = 1024, k = 1000), `10 MB` or `1 MiB`",
};

const SUFFIXES: &[&str] = &["k", "m", "g", "K", "M", "G"];

impl FromStr for ByteCount {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (number, symbol) = FORMS.split(text)?;
        let bytes = match (text::iperf_factor(symbol), Unit::find(symbol)) {
            (Some(1), _) if number.shifted(0).fract() != 0.0 => {
                return Err(
                    FORMS.error(format!("`{}` is not a whole number of bytes", text.trim()))
                );
            }
            (Some(factor), _) => number.times(u128::from(factor)),
            (None, Some(unit)) if unit.dimension() == Dimension::Bytes => {
                unit.scale_to_integer(number, 0)
            }
            _ => return Err(FORMS.unknown_unit(symbol, &[Dimension::Bytes])),
        };
        match bytes.and_then(|bytes| i64::try_from(bytes).ok()) {
            Some(0) if number.shifted(0) > 0.0 => {
                Err(FORMS.error(format!("`{}` is less than one byte", text.trim())))
            }
            Some(bytes) => Ok(Self(bytes.unsigned_abs())),
            None => Err(FORMS.error(format!("`{}` is more than 8 EiB", text.trim()))),
        }
    }
}

/// The largest unit that divides the count: `128 KiB`, `10 MB`, `1470 B`.
impl fmt::Display for ByteCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 8] = [
            (1 << 40, "TiB"),
            (1_000_000_000_000, "TB"),
            (1 << 30, "GiB"),
            (1_000_000_000, "GB"),
            (1 << 20, "MiB"),
            (1_000_000, "MB"),
            (1 << 10, "KiB"),
            (1000, "kB"),
        ];
        let (size, symbol) = UNITS
            .into_iter()
            .find(|(size, _)| self.0 > 0 && self.0.is_multiple_of(*size))
            .unwrap_or((1, "B"));
        f.pad(&format!("{} {symbol}", self.0 / size))
    }
}

impl<'de> Deserialize<'de> for ByteCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer, &FORMS)
    }
}

impl JsonSchema for ByteCount {
    fn schema_name() -> Cow<'static, str> {
        "ByteCount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        text::quantity_schema(
            "A number of bytes: a plain number, a number with iperf's suffix (k, m, g count in thousands, K, M, G in \
             1024s), or with a unit such as MB (1000²) or MiB (1024²).",
            &[Dimension::Bytes],
            SUFFIXES,
            &["1470", "64K", "10 MB"],
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_form_of_a_size_is_read() {
        let table = [
            ("1470", 1470),
            ("64K", 65_536),
            ("64k", 64_000),
            ("1.5K", 1536),
            ("1.3K", 1331),
            ("10m", 10_000_000),
            ("1G", 1 << 30),
            ("10 MB", 10_000_000),
            ("1 MiB", 1 << 20),
            ("1.5 KiB", 1536),
            ("200 B", 200),
            ("200 bytes", 200),
            ("1e3", 1000),
            ("9223372036854775807", 9_223_372_036_854_775_807),
            ("0", 0),
        ];
        for (text, bytes) in table {
            assert_eq!(text.parse(), Ok(ByteCount(bytes)), "{text}");
        }
    }

    #[test]
    fn wrong_sizes_say_what_to_write() {
        let table = [
            (
                "64 KB",
                "`KB` can mean more than one unit, a number of bytes is wanted; did you mean `kB` (1000) or `KiB` (1024)?",
            ),
            (
                "5 Mbit/s",
                "`Mbit/s` measures a bit rate, a number of bytes is wanted; write one of `B`, `kB`, `MB`, `GB`, `TB`, `KiB`, `MiB`, `GiB`, `TiB`",
            ),
            (
                "1.5",
                "`1.5` is not a whole number of bytes; write a size such as `1470`, `64K` (K = 1024, k = 1000), `10 MB` or `1 MiB`",
            ),
            (
                "0.0001 kB",
                "`0.0001 kB` is less than one byte; write a size such as `1470`, `64K` (K = 1024, k = 1000), `10 MB` or `1 MiB`",
            ),
            (
                "9223372036854775808",
                "`9223372036854775808` is more than 8 EiB; write a size such as `1470`, `64K` (K = 1024, k = 1000), `10 MB` or `1 MiB`",
            ),
            (
                "big",
                "`big` is not a number of bytes; write a size such as `1470`, `64K` (K = 1024, k = 1000), `10 MB` or `1 MiB`",
            ),
        ];
        for (text, message) in table {
            assert_eq!(text.parse::<ByteCount>().unwrap_err().to_string(), message, "{text}");
        }
    }

    #[test]
    fn sizes_print_with_a_unit_that_divides_them() {
        for (bytes, text) in [
            (0, "0 B"),
            (1470, "1470 B"),
            (131_072, "128 KiB"),
            (64_000, "64 kB"),
            (10_000_000, "10 MB"),
            (1 << 30, "1 GiB"),
        ] {
            assert_eq!(ByteCount(bytes).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn a_printed_size_reads_back(bytes in prop_oneof![0..=i64::MAX.unsigned_abs(), 0..5000_u64]) {
            prop_assert_eq!(ByteCount(bytes).to_string().parse(), Ok(ByteCount(bytes)));
        }

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC{0,12}|[0-9.eE+-]{0,6} ?[a-zA-Z/%]{0,6}") {
            let _ = text.parse::<ByteCount>();
        }
    }
}
