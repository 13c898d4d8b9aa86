use indexmap::IndexMap;
use schemars::{JsonSchema, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::ClientOptions;
use super::presence::Presence;
use crate::Spanned;
use crate::decode::Deferred;
use crate::results::Severity;

/// A test: traffic that runs together, and what must hold for it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(
    rename = "Test",
    extend(
        "required" = ["name"],
        "oneOf" = [{ "required": ["client"] }, { "required": ["clients"] }]
    )
)]
pub(crate) struct TestEntry {
    /// Name of the test, unique in the scenario.
    pub(crate) name: Presence<Spanned<String>>,
    /// What the test is for.
    pub(crate) description: Option<String>,
    /// Tags, for `--tag` and `--skip-tag`.
    pub(crate) tags: Vec<String>,
    /// The client of a test with one flow; assertions need not name it.
    #[schemars(with = "ClientOptions")]
    pub(crate) client: Option<Deferred>,
    /// The clients by name, for a test with several flows at once.
    #[schemars(with = "IndexMap<String, ClientOptions>")]
    pub(crate) clients: Option<IndexMap<Spanned<String>, Deferred>>,
    /// Values for variables: the test runs once for each combination.
    #[schemars(with = "IndexMap<String, MatrixValues>")]
    pub(crate) matrix: Option<Deferred>,
    /// What must hold, such as `throughput >= 900 Mbit/s`.
    pub(crate) assert: Vec<Spanned<AssertionEntry>>,
}

/// Describes the values of one variable of a matrix.
pub(crate) struct MatrixValues;

impl JsonSchema for MatrixValues {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MatrixValues".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        json_schema!({
            "description": "The values of a variable, or a template that gives a list.",
            "anyOf": [
                {
                    "type": "array",
                    "minItems": 1,
                    "items": { "type": ["string", "number", "boolean"] },
                },
                { "type": "string", "pattern": r"\{\{" },
            ],
        })
    }
}

/// One item of `assert`: the assertion, or a mapping with more about it.
#[derive(Debug)]
pub(crate) enum AssertionEntry {
    Check(String),
    Detailed(AssertionDetails),
}

/// An assertion with more about it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(extend("required" = ["check"]))]
pub(crate) struct AssertionDetails {
    /// The assertion, such as `p95(latency) < 20 ms`.
    pub(crate) check: Presence<Spanned<String>>,
    /// `error` (default) fails the run, `warn` is only reported.
    pub(crate) severity: Option<Severity>,
    /// Why you want this limit; reports repeat it beside a failure.
    pub(crate) because: Option<String>,
}

impl<'de> Deserialize<'de> for AssertionEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AssertionEntryVisitor)
    }
}

struct AssertionEntryVisitor;

impl<'de> Visitor<'de> for AssertionEntryVisitor {
    type Value = AssertionEntry;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an assertion such as `throughput >= 900 Mbit/s`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<AssertionEntry, E> {
        Ok(AssertionEntry::Check(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AssertionEntry, A::Error> {
        AssertionDetails::deserialize(MapAccessDeserializer::new(map)).map(AssertionEntry::Detailed)
    }
}

impl JsonSchema for AssertionEntry {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Assertion".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        json_schema!({
            "description": "What must hold: `[stat(] [flow.][sender.|receiver.]metric [)] operator value [clauses]`.",
            "anyOf": [
                { "type": "string", "examples": ["throughput >= 900 Mbit/s", "p95(latency) < 20 ms"] },
                generator.subschema_for::<AssertionDetails>(),
            ],
        })
    }
}
