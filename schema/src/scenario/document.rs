use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::host::HostEntry;
use super::presence::Presence;
use super::test_entry::TestEntry;
use super::{ClientOptions, ServerOptions};
use crate::Spanned;
use crate::decode::Deferred;

/// A scenario of linerate: network traffic to send, and what must hold for it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(rename = "Scenario", extend("required" = ["linerate", "tests"]))]
pub(crate) struct ScenarioDocument {
    /// Version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub(crate) linerate: Presence<Spanned<u32>>,
    /// Name of the scenario. Default: the name of the file.
    pub(crate) name: Option<Spanned<String>>,
    /// What it is for.
    pub(crate) description: Option<String>,
    /// Tags that apply to every test.
    pub(crate) tags: Vec<String>,
    /// Variables for `{{ … }}`, in order; one may use those before it. `--var NAME=VALUE` overrides them.
    #[schemars(with = "IndexMap<String, serde_json::Value>")]
    pub(crate) vars: Option<Deferred>,
    /// The hosts by name. Default: one local host, `local`.
    pub(crate) hosts: Option<IndexMap<Spanned<String>, Presence<HostEntry>>>,
    /// Servers by name; each is started for the tests that use it.
    #[schemars(with = "IndexMap<String, ServerOptions>")]
    pub(crate) servers: IndexMap<Spanned<String>, Deferred>,
    /// Named client options, for `use`.
    #[schemars(with = "IndexMap<String, ClientOptions>")]
    pub(crate) profiles: IndexMap<Spanned<String>, Deferred>,
    /// Options that apply where an entry gives none.
    pub(crate) defaults: Defaults,
    /// The tests, in the order in which they run.
    #[schemars(with = "Vec<TestEntry>", length(min = 1))]
    pub(crate) tests: Presence<Vec<Deferred>>,
}

/// Options that apply where an entry gives none.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Defaults {
    /// Options of every client.
    #[schemars(with = "ClientOptions")]
    pub(crate) client: Option<Deferred>,
    /// Options of every server.
    #[schemars(with = "ServerOptions")]
    pub(crate) server: Option<Deferred>,
}
