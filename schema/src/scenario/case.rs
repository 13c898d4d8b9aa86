use std::time::Duration;

use indexmap::IndexMap;

use super::{ClientOptions, Host, ServerOptions, TrafficClass};
use crate::assertion::Assertion;
use crate::results::Severity;
use crate::{Span, Spanned};

/// A scenario, read, expanded and checked.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Path of the file as it was given.
    pub file: String,
    /// Name of the scenario.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Tags that apply to every test.
    pub tags: Vec<String>,
    /// The hosts by name, in order; one local host `local` when the file names none.
    pub hosts: IndexMap<String, Host>,
    /// The cases of all tests, in order.
    pub cases: Vec<Case>,
}

/// A test after matrix expansion.
#[derive(Debug, Clone)]
pub struct Case {
    /// Unique in the scenario: the test's name and, with a matrix, its cell: `sweep [window=64K]`.
    pub id: String,
    /// The test's name, templates expanded.
    pub test: String,
    /// What the test is for.
    pub description: Option<String>,
    /// Tags of the test and of the scenario.
    pub tags: Vec<String>,
    /// The matrix cell: variable and value as text, in order.
    pub matrix: Vec<(String, String)>,
    /// The flows, in order.
    pub flows: Vec<Flow>,
    /// The assertions, in order.
    pub assertions: Vec<AssertionItem>,
    /// Where the test stands.
    pub span: Span,
}

/// One client entry: where it runs, what it talks to, and every option that the file gives for it
/// (its own keys over its profile's over the defaults).
#[derive(Debug, Clone)]
pub struct Flow {
    /// Key of the entry in `clients`; `client` for a single `client`.
    pub name: String,
    /// Name of the host it runs on.
    pub host: String,
    /// What it connects to.
    pub server: FlowServer,
    /// The options.
    pub options: ClientOptions,
    /// Where the entry stands.
    pub span: Span,
}

impl Flow {
    /// The facts that decide which metrics this flow has.
    #[must_use]
    pub fn traffic_class(&self, hosts: &IndexMap<String, Host>) -> TrafficClass {
        TrafficClass {
            transport: self.options.transport.as_ref().map(|t| t.value).unwrap_or_default(),
            direction: self.options.direction.as_ref().map(|d| d.value).unwrap_or_default(),
            trip_times: self.options.trip_times.as_ref().is_some_and(|t| t.value),
            intervals: self.options.interval.is_some(),
            interval: self.options.interval.as_ref().map(|interval| interval.value.0),
            time: sending_time(&self.options),
            external_server: matches!(hosts.get(&self.server.host), Some(Host::External { .. })),
        }
    }
}

/// The time of a client that gives none (iperf `-t`).
pub(crate) const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// How long a client with these options sends; none when it sends an amount.
pub(crate) fn sending_time(options: &ClientOptions) -> Option<Duration> {
    match (&options.time, &options.bytes) {
        (Some(time), _) => Some(time.value.0),
        (None, None) => Some(DEFAULT_TIME),
        (None, Some(_)) => None,
    }
}

/// The server that a flow connects to.
#[derive(Debug, Clone)]
pub struct FlowServer {
    /// Name under `servers`; absent when it was written in place.
    pub name: Option<String>,
    /// Name of the host it listens on.
    pub host: String,
    /// Its options.
    pub options: ServerOptions,
}

/// One item of `assert`.
#[derive(Debug, Clone)]
pub struct AssertionItem {
    /// The assertion as written, templates expanded, and its place: columns inside the text can be derived from it.
    pub text: Spanned<String>,
    /// The parsed assertion.
    pub assertion: Assertion,
    /// Whether a failure fails the run.
    pub severity: Severity,
    /// Why the author wants this limit.
    pub because: Option<String>,
}
