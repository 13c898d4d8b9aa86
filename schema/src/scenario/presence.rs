use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};

/// A key that its mapping must have: a value that was refused is not missing, its problem was reported already.
#[derive(Debug, Clone, Default)]
pub(crate) enum Presence<T> {
    /// The key is not there.
    #[default]
    Missing,
    /// The key is there, its value is reported as wrong.
    Refused,
    /// The value.
    Given(T),
}

impl<T> Presence<T> {
    pub(crate) fn given(self) -> Option<T> {
        match self {
            Self::Given(value) => Some(value),
            Self::Missing | Self::Refused => None,
        }
    }

    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Presence<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(PresenceVisitor(std::marker::PhantomData))
    }
}

struct PresenceVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PresenceVisitor<T> {
    type Value = Presence<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_none<E>(self) -> Result<Presence<T>, E> {
        Ok(Presence::Refused)
    }

    /// A template whose result is `none`.
    fn visit_unit<E>(self) -> Result<Presence<T>, E> {
        Ok(Presence::Missing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Presence<T>, D::Error> {
        T::deserialize(deserializer).map(Presence::Given)
    }
}

impl<T: JsonSchema> JsonSchema for Presence<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
