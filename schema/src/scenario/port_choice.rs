use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use super::PortRange;
use super::port_range::is_range;

/// A fixed port or several, or any free one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum PortChoice {
    /// A free port, chosen by the system when the server starts.
    #[default]
    Auto,
    /// This port, or each of these.
    Fixed(PortRange),
}

/// The form that reads back.
impl fmt::Display for PortChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.pad("auto"),
            Self::Fixed(ports) => ports.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for PortChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PortVisitor)
    }
}

struct PortVisitor;

impl Visitor<'_> for PortVisitor {
    type Value = PortChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a port from 1 to 65535, a range such as `5001-5004`, or `auto`")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<PortChoice, E> {
        match number.to_string().parse() {
            Ok(port) => Ok(PortChoice::Fixed(port)),
            Err(_) => {
                Err(E::custom(format!("{number} is not a port; write 1 to 65535, or `auto`")))
            }
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<PortChoice, E> {
        Err(E::custom(format!("{number} is not a port; write 1 to 65535, or `auto`")))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<PortChoice, E> {
        match text {
            "auto" => Ok(PortChoice::Auto),
            _ if is_range(text) => text.parse().map(PortChoice::Fixed).map_err(E::custom),
            _ if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Err(E::custom(format!(
                    "{text} is not a port; write 1 to 65535, or `auto`, without quotes"
                )))
            }
            _ => Err(E::invalid_type(serde::de::Unexpected::Str(text), &self)),
        }
    }
}

impl JsonSchema for PortChoice {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PortChoice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A port, a range of ports such as `5001-5004`, or `auto` for a free one.",
            "type": ["string", "integer"],
            "minimum": 1,
            "maximum": 65535,
            "pattern": r"^[0-9]{1,5} *- *[0-9]{1,5}$|^auto$|\{[{%]",
        })
    }
}
