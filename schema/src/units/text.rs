//! How option values are read from text and from the scalars of a file, and how a schema describes them.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{Schema, json_schema};
use serde::de::{Deserializer, Error, Visitor};

use super::number::Number;
use super::{Dimension, Unit, UnitError};

/// What an option accepts, for its error texts and its schema.
pub(super) struct Forms {
    /// The quantity as a noun with its article.
    pub(super) noun: &'static str,
    /// The accepted forms with examples, after "write".
    pub(super) accepted: &'static str,
}

impl Forms {
    /// An error about `text`.
    pub(super) fn error(&self, message: impl Into<String>) -> UnitError {
        UnitError::new(message, format!("write {}", self.accepted))
    }

    /// Splits `text` into number and unit, neither of them judged.
    pub(super) fn split<'a>(&self, text: &'a str) -> Result<(Number<'a>, &'a str), UnitError> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(self.error(format!("{} is missing", self.noun)));
        }
        if trimmed.starts_with('-') {
            return Err(self.error(format!("`{trimmed}` is negative, {} is not", self.noun)));
        }
        let (number, unit) = Number::split(trimmed)
            .ok_or_else(|| self.error(format!("`{trimmed}` is not {}", self.noun)))?;
        let hint = match unit.bytes().next() {
            Some(b'_') => "write the digits without `_`".to_owned(),
            Some(b',') => format!("write a decimal point: `{}`", trimmed.replacen(',', ".", 1)),
            _ => return Ok((number, unit.trim_start())),
        };
        Err(UnitError::new(format!("`{trimmed}` is not {}", self.noun), hint))
    }

    /// The error about a unit that is none of the accepted ones.
    pub(super) fn unknown_unit(&self, symbol: &str, dimensions: &[Dimension]) -> UnitError {
        let (message, hint) = Unit::explain_unknown(symbol, dimensions);
        UnitError::new(format!("{message}, {} is wanted", self.noun), hint)
    }
}

/// iperf's suffixes: a lower-case letter counts in thousands, an upper-case letter in 1024s.
pub(super) fn iperf_factor(suffix: &str) -> Option<u64> {
    Some(match suffix {
        "" => 1,
        "k" => 1000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    })
}

/// Reads a string, an integer or a float through the type's `FromStr`.
pub(super) fn deserialize<'de, T, D>(deserializer: D, forms: &'static Forms) -> Result<T, D::Error>
where
    T: FromStr<Err = UnitError>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(ScalarVisitor { forms, value: PhantomData })
}

struct ScalarVisitor<T> {
    forms: &'static Forms,
    value: PhantomData<T>,
}

impl<T: FromStr<Err = UnitError>> Visitor<'_> for ScalarVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.forms.accepted)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
}

/// The schema of a scalar that is a plain number or a text with a unit of `dimensions` or one of `suffixes`.
///
/// Templates are let through: their value is not known before they are expanded.
pub(super) fn quantity_schema(
    description: &str,
    dimensions: &[Dimension],
    suffixes: &[&str],
    examples: &[&str],
) -> Schema {
    let units = super::unit::UNITS.iter().filter(|unit| dimensions.contains(&unit.dimension()));
    let symbols: Vec<&str> =
        units.map(|unit| unit.symbol()).chain(suffixes.iter().copied()).collect();
    let number = r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?";
    json_schema!({
        "description": description,
        "type": ["string", "number"],
        "minimum": 0,
        "pattern": format!(r"^\s*{number}\s*({})?\s*$|\{{[{{%]", symbols.join("|")),
        "examples": examples,
    })
}
