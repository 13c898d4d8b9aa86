use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::ServerOptions;

/// What a client says about its server.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerReference {
    /// Its name under `servers`.
    Named(String),
    /// Its options, in place.
    InPlace(Box<ServerOptions>),
}

impl<'de> Deserialize<'de> for ServerReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ReferenceVisitor)
    }
}

struct ReferenceVisitor;

impl<'de> Visitor<'de> for ReferenceVisitor {
    type Value = ServerReference;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a server, or its options such as `{ host: wan, port: 5001 }`")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<ServerReference, E> {
        Ok(ServerReference::Named(name.to_owned()))
    }

    /// Server names may be numbers.
    fn visit_u64<E: Error>(self, number: u64) -> Result<ServerReference, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ServerReference, A::Error> {
        ServerOptions::deserialize(MapAccessDeserializer::new(map))
            .map(|options| ServerReference::InPlace(Box::new(options)))
    }
}

impl JsonSchema for ServerReference {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ServerReference".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The name of a server, or its options in place.",
            "anyOf": [
                { "type": "string" },
                { "type": "integer", "minimum": 0 },
                generator.subschema_for::<ServerOptions>(),
            ],
        })
    }
}
