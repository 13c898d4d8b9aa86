use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

/// As many streams as a flow can have.
const MOST_PORTS: u16 = 1000;

/// One port, or consecutive ones: `5001`, `5001-5004`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PortRange {
    first: u16,
    last: u16,
}

impl PortRange {
    /// The lowest port, above 0.
    #[must_use]
    pub fn first(self) -> u16 {
        self.first
    }

    /// The highest port.
    #[must_use]
    pub fn last(self) -> u16 {
        self.last
    }

    /// Number of ports, at most 1000.
    #[must_use]
    pub fn count(self) -> NonZeroU16 {
        NonZeroU16::MIN.saturating_add(self.last - self.first)
    }

    /// Whether a port is in both.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// A single port.
impl From<NonZeroU16> for PortRange {
    fn from(port: NonZeroU16) -> Self {
        Self { first: port.get(), last: port.get() }
    }
}

/// `Err` says what is wrong and what to write.
impl FromStr for PortRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let port = |text: &str| match text.trim().parse::<u16>() {
            Ok(port) if port > 0 => Ok(port),
            _ => Err(format!("`{}` is not a port; write 1 to 65535", text.trim())),
        };
        let Some((first, last)) = text.split_once('-') else {
            let first = port(text)?;
            return Ok(Self { first, last: first });
        };
        let (first, last) = (port(first)?, port(last)?);
        if first > last {
            return Err(format!("the ports {first}-{last} are none; write `{last}-{first}`"));
        }
        if last - first >= MOST_PORTS {
            return Err(format!("{first}-{last} are more than {MOST_PORTS} ports; write fewer"));
        }
        Ok(Self { first, last })
    }
}

/// The form that reads back.
impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count().get() {
            1 => self.first.fmt(f),
            _ => f.pad(&format!("{}-{}", self.first, self.last)),
        }
    }
}

impl fmt::Debug for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<'de> Deserialize<'de> for PortRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RangeVisitor)
    }
}

struct RangeVisitor;

impl Visitor<'_> for RangeVisitor {
    type Value = PortRange;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a port from 1 to 65535, or a range such as `5001-5004`")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<PortRange, E> {
        number.to_string().parse().map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<PortRange, E> {
        Err(E::custom(format!("{number} is not a port; write 1 to 65535")))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<PortRange, E> {
        if !is_range(text) {
            return Err(E::invalid_type(serde::de::Unexpected::Str(text), &self));
        }
        text.parse().map_err(E::custom)
    }
}

/// Whether a text is meant as a range: a port alone is a number in a file.
pub(super) fn is_range(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.contains('-')
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ' '))
}

impl JsonSchema for PortRange {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PortRange".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A port, or a range of ports such as `5001-5004`.",
            "type": ["string", "integer"],
            "minimum": 1,
            "maximum": 65535,
            "pattern": r"^[0-9]{1,5} *- *[0-9]{1,5}$|\{[{%]",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_and_ranges_read_back() {
        for (text, first, last, count) in [
            ("5001", 5001, 5001, 1),
            ("5001-5004", 5001, 5004, 4),
            ("1-1000", 1, 1000, 1000),
            ("65535-65535", 65535, 65535, 1),
        ] {
            let range: PortRange = text.parse().unwrap();
            assert_eq!((range.first(), range.last(), range.count().get()), (first, last, count));
            assert_eq!(range.to_string().parse(), Ok(range));
        }
    }

    #[test]
    fn what_is_no_range_says_what_to_write() {
        for (text, message) in [
            ("0", "`0` is not a port; write 1 to 65535"),
            ("65536", "`65536` is not a port; write 1 to 65535"),
            ("5001-", "`` is not a port; write 1 to 65535"),
            ("5004-5001", "the ports 5004-5001 are none; write `5001-5004`"),
            ("1-1001", "1-1001 are more than 1000 ports; write fewer"),
        ] {
            assert_eq!(text.parse::<PortRange>(), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn ranges_overlap_where_they_share_a_port() {
        let overlap = |a: &str, b: &str| {
            let (a, b): (PortRange, PortRange) = (a.parse().unwrap(), b.parse().unwrap());
            assert_eq!(a.overlaps(b), b.overlaps(a));
            a.overlaps(b)
        };
        assert!(overlap("5001-5004", "5004"));
        assert!(overlap("5001-5004", "5002-5003"));
        assert!(!overlap("5001-5004", "5005-5006"));
    }
}
