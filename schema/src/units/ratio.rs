use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use super::text::{self, Forms};
use super::{Dimension, Unit, UnitError, number};

/// A share between 0 and 1, written as a percentage: `0.1%`. A number without `%` is refused, since `0.5` can mean both.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Ratio(pub f64);

const FORMS: Forms =
    Forms { noun: "a percentage", accepted: "a percentage from `0%` to `100%`, such as `0.1%`" };

impl FromStr for Ratio {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (number, symbol) = FORMS.split(text)?;
        let ratio = match Unit::find(symbol) {
            Some(unit) if unit.dimension() == Dimension::Ratio => unit.scale(number),
            _ if symbol.is_empty() => {
                return Err(FORMS.error(format!("`{}` has no `%`", text.trim())));
            }
            _ => return Err(FORMS.unknown_unit(symbol, &[Dimension::Ratio])),
        };
        if ratio > 1.0 {
            return Err(FORMS.error(format!("`{}` is more than 100%", text.trim())));
        }
        Ok(Self(ratio))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}%", number::decimal(self.0, 2)))
    }
}

impl<'de> Deserialize<'de> for Ratio {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer, &FORMS)
    }
}

impl JsonSchema for Ratio {
    fn schema_name() -> Cow<'static, str> {
        "Ratio".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A percentage with its sign.",
            "type": "string",
            "pattern": r"^\s*[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*%\s*$|\{[{%]",
            "examples": ["0.1%", "5%"],
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn percentages_are_read() {
        for (text, ratio) in
            [("5%", 0.05), ("0.1 %", 0.001), ("100%", 1.0), ("0%", 0.0), ("99.9%", 0.999)]
        {
            assert_eq!(text.parse(), Ok(Ratio(ratio)), "{text}");
        }
    }

    #[test]
    fn wrong_percentages_say_what_to_write() {
        let table = [
            ("0.5", "`0.5` has no `%`; write a percentage from `0%` to `100%`, such as `0.1%`"),
            ("5 percent", "unknown unit `percent`, a percentage is wanted; did you mean `%`?"),
            (
                "101%",
                "`101%` is more than 100%; write a percentage from `0%` to `100%`, such as `0.1%`",
            ),
        ];
        for (text, message) in table {
            assert_eq!(text.parse::<Ratio>().unwrap_err().to_string(), message, "{text}");
        }
        assert!(serde_json::from_str::<Ratio>("0.5").is_err());
    }

    proptest! {
        #[test]
        fn a_printed_percentage_reads_back(ratio in 0.0..=1.0_f64) {
            prop_assert_eq!(Ratio(ratio).to_string().parse(), Ok(Ratio(ratio)));
        }
    }
}
