use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

use super::text::{self, Forms};
use super::{Dimension, Unit, UnitError};

/// A span of time, 0 to 10^9 s, exact to the nanosecond.
///
/// Written as a plain number of seconds or with a unit (`500 ms`, `10s`, `2min`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seconds(pub Duration);

const FORMS: Forms = Forms {
    noun: "a time",
    accepted: "a time such as `10s`, `500 ms`, `100 us`, `2min`, `1h` or a plain number of seconds",
};

/// The longest time that is accepted, in seconds.
const LONGEST: u64 = 1_000_000_000;

const NANOSECONDS: u128 = 1_000_000_000;

impl FromStr for Seconds {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (number, symbol) = FORMS.split(text)?;
        let nanoseconds = match Unit::find(symbol) {
            _ if symbol.is_empty() => number.times(NANOSECONDS),
            Some(unit) if unit.dimension() == Dimension::Time => unit.scale_to_integer(number, 9),
            _ if symbol.starts_with(':') => {
                let message = format!("`{}` is not a time in one unit", text.trim());
                return Err(UnitError::new(message, "write for example `90s` or `1.5min`"));
            }
            _ if symbol.contains(|c: char| c.is_ascii_digit()) => {
                return Err(FORMS.error(format!("`{}` joins several units, use one", text.trim())));
            }
            _ => return Err(FORMS.unknown_unit(symbol, &[Dimension::Time])),
        };
        match nanoseconds.and_then(duration) {
            Some(Duration::ZERO) if number.shifted(0) > 0.0 => {
                Err(FORMS.error(format!("`{}` is less than 1 ns", text.trim())))
            }
            Some(duration) if duration <= Duration::from_secs(LONGEST) => Ok(Self(duration)),
            _ => Err(FORMS.error(format!("`{}` is more than {LONGEST} s", text.trim()))),
        }
    }
}

fn duration(nanoseconds: u128) -> Option<Duration> {
    let seconds = u64::try_from(nanoseconds / NANOSECONDS).ok()?;
    let rest = u32::try_from(nanoseconds % NANOSECONDS).ok()?;
    Some(Duration::new(seconds, rest))
}

/// Seconds, or below 1 s the largest unit that leaves at least 1, with all digits: `1.5 s`, `500 ms`, `100 us`.
impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.as_nanos();
        let (size, places, symbol) = match nanoseconds {
            0 => (NANOSECONDS, 9, "s"),
            n if n < 1000 => (1, 0, "ns"),
            n if n < 1_000_000 => (1000, 3, "us"),
            n if n < NANOSECONDS => (1_000_000, 6, "ms"),
            _ => (NANOSECONDS, 9, "s"),
        };
        let whole = nanoseconds / size;
        let fraction = format!(".{:0places$}", nanoseconds % size);
        let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
        f.pad(&format!("{whole}{fraction} {symbol}"))
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer, &FORMS)
    }
}

impl JsonSchema for Seconds {
    fn schema_name() -> Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        text::quantity_schema(
            "A time: a number of seconds, or a number with one of the units ns, us, ms, s, min, h.",
            &[Dimension::Time],
            &[],
            &["10s", "500 ms", "2min"],
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_form_of_a_time_is_read() {
        let table = [
            ("10", Duration::from_secs(10)),
            ("0.1", Duration::from_millis(100)),
            ("10s", Duration::from_secs(10)),
            ("500 ms", Duration::from_millis(500)),
            ("1.5s", Duration::from_millis(1500)),
            ("100us", Duration::from_micros(100)),
            ("100 \u{b5}s", Duration::from_micros(100)),
            ("7 ns", Duration::from_nanos(7)),
            ("2min", Duration::from_secs(120)),
            ("1.5 h", Duration::from_secs(5400)),
            ("0", Duration::ZERO),
        ];
        for (text, time) in table {
            assert_eq!(text.parse(), Ok(Seconds(time)), "{text}");
        }
    }

    #[test]
    fn wrong_times_say_what_to_write() {
        let table = [
            (
                "2m",
                "`m` can mean more than one unit, a time is wanted; did you mean `min` (minutes) or `ms` (milliseconds)?",
            ),
            ("10 sec", "unknown unit `sec`, a time is wanted; did you mean `s`?"),
            (
                "1 Mbit/s",
                "`Mbit/s` measures a bit rate, a time is wanted; write one of `ns`, `us`, `ms`, `s`, `min`, `h`",
            ),
            (
                "1min30s",
                "`1min30s` joins several units, use one; write a time such as `10s`, `500 ms`, `100 us`, `2min`, `1h` or a plain number of seconds",
            ),
            (
                "-1",
                "`-1` is negative, a time is not; write a time such as `10s`, `500 ms`, `100 us`, `2min`, `1h` or a plain number of seconds",
            ),
            (
                "0.1 ns",
                "`0.1 ns` is less than 1 ns; write a time such as `10s`, `500 ms`, `100 us`, `2min`, `1h` or a plain number of seconds",
            ),
            (
                "1e10",
                "`1e10` is more than 1000000000 s; write a time such as `10s`, `500 ms`, `100 us`, `2min`, `1h` or a plain number of seconds",
            ),
        ];
        for (text, message) in table {
            assert_eq!(text.parse::<Seconds>().unwrap_err().to_string(), message, "{text}");
        }
    }

    #[test]
    fn floats_of_a_file_are_exact_decimals() {
        let read = |json: &str| serde_json::from_str::<Seconds>(json).unwrap();
        assert_eq!(read("0.1"), Seconds(Duration::from_millis(100)));
        assert_eq!(read("10"), Seconds(Duration::from_secs(10)));
        assert_eq!(read("1e-9"), Seconds(Duration::from_nanos(1)));
    }

    proptest! {
        #[test]
        fn a_printed_time_reads_back(
            nanoseconds in prop_oneof![0..=1_000_000_000_000_000_000_u64, 0..2_000_000_000_u64, 0..5000_u64],
        ) {
            let time = Seconds(Duration::from_nanos(nanoseconds));
            prop_assert_eq!(time.to_string().parse(), Ok(time));
        }

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC{0,12}|[0-9.eE+-]{0,6} ?[a-zA-Z/%]{0,6}") {
            let _ = text.parse::<Seconds>();
        }
    }
}
