use std::time::Duration;

use indexmap::IndexMap;
use linerate_schema::results::ScenarioSummary;
use linerate_schema::scenario::{Case, Direction, Host, PortChoice, PortRange, Transport};
use serde::{Serialize, Serializer};

use crate::engine_config::{ConfigError, KeyChoice};

/// What a run will do, in the order of the scenario file.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// The scenario.
    pub scenario: ScenarioSummary,
    /// Every case of the scenario; those that will not run carry a reason.
    pub cases: Vec<PlannedCase>,
    /// Patterns of the selection that match no case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<String>,
    /// The hosts of the scenario.
    #[serde(skip)]
    pub hosts: IndexMap<String, Host>,
}

/// A case that will run, or the reason why it will not.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedCase {
    /// The case's id, unique in the plan.
    pub id: String,
    /// Why it will not run; absent when it will.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip: Option<String>,
    /// Time that its traffic takes; absent when a flow sends an amount of bytes at an unknown rate.
    #[serde(rename = "expected_seconds", serialize_with = "seconds")]
    pub expected: Option<Duration>,
    /// Payload bytes that all its flows send; absent when the rate of one is unknown.
    pub expected_bytes: Option<u64>,
    /// The servers that are started for it.
    pub servers: Vec<PlannedServer>,
    /// Its flows, in the order of the scenario.
    pub flows: Vec<PlannedFlow>,
    /// The case as the scenario has it; `flows` has the same order there.
    #[serde(skip)]
    pub case: Case,
}

/// A server that is started for a case, used by one or more of its flows.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedServer {
    /// Name under `servers`; absent when it was written in place.
    pub name: Option<String>,
    /// Name of the host it listens on.
    pub host: String,
    /// Transport protocol.
    pub transport: Transport,
    /// Port to listen on, or a range of them; absent when the system chooses.
    #[serde(serialize_with = "port")]
    pub port: PortChoice,
    /// Whether it listens on IPv6.
    #[serde(skip)]
    pub family: AddressFamily,
    /// The shortest interval that its flows ask for.
    #[serde(skip)]
    pub interval: Option<Duration>,
    /// The longest silence that its flows' rates can produce.
    #[serde(skip)]
    pub longest_gap: Duration,
    /// The key its clients must show.
    #[serde(skip)]
    pub permit_key: Option<KeyChoice>,
    /// Position in `flows` of the first flow that uses it, whose entry has the server's options.
    #[serde(skip)]
    pub first_flow: usize,
}

/// One flow: who talks to whom, for how long and how fast.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedFlow {
    /// The flow's name.
    pub name: String,
    /// Name of the host its client runs on.
    pub host: String,
    /// What it connects to.
    pub target: Target,
    /// The version of IP that it asks for.
    #[serde(skip)]
    pub family: AddressFamily,
    /// Transport protocol.
    pub transport: Transport,
    /// Who sends.
    pub direction: Direction,
    /// Number of connections.
    pub streams: u16,
    /// When it starts, from the start of the case.
    #[serde(rename = "start_seconds", serialize_with = "some_seconds")]
    pub start: Duration,
    /// How long it sends; absent for an amount of bytes at an unknown rate.
    #[serde(rename = "expected_seconds", serialize_with = "seconds")]
    pub expected: Option<Duration>,
    /// Payload bytes that all its streams send; absent when the rate is unknown.
    pub expected_bytes: Option<u64>,
    /// Target rate of all streams; absent when unlimited.
    pub bits_per_second: Option<f64>,
    /// Every option in effect, by its scenario key; secrets are redacted.
    pub options: IndexMap<String, String>,
    /// The iperf 2 command that would send the same traffic; a port that is not known yet is 5001, a key is redacted.
    pub iperf_client_command: String,
    /// Why it cannot run; a run reports it as an error of the flow.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "problem")]
    pub problem: Option<ConfigError>,
}

/// What a flow connects to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Target {
    /// Name of the host that the server listens on.
    pub host: String,
    /// Name under `servers`; absent when it was written in place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Address or DNS name.
    pub address: String,
    /// Port, or a range of them; absent when the system chooses it as the server starts.
    #[serde(rename = "port", serialize_with = "some_ports")]
    pub ports: Option<PortRange>,
    /// Position in `servers` of the case; absent when somebody else runs the server.
    pub started: Option<usize>,
}

impl Target {
    /// The port, the first of several; absent when the system chooses it as the server starts.
    #[must_use]
    pub fn first_port(&self) -> Option<u16> {
        self.ports.map(PortRange::first)
    }
}

/// A version of IP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressFamily {
    /// IPv4.
    Ipv4,
    /// IPv6; a server of this family serves IPv4 clients too.
    Ipv6,
}

impl Plan {
    /// The cases that will run, with their positions. None means that the selection is empty.
    pub fn selected(&self) -> impl Iterator<Item = (usize, &PlannedCase)> {
        self.cases.iter().enumerate().filter(|(_, case)| case.skip.is_none())
    }

    /// Time that the traffic of all selected cases takes; absent when that of one is unknown.
    #[must_use]
    pub fn expected(&self) -> Option<Duration> {
        self.selected().map(|(_, case)| case.expected).sum()
    }

    /// Payload bytes of all selected cases; absent when those of one are unknown.
    #[must_use]
    pub fn expected_bytes(&self) -> Option<u64> {
        let mut cases = self.selected();
        cases.try_fold(0_u64, |sum, (_, case)| Some(sum.saturating_add(case.expected_bytes?)))
    }
}

fn some_seconds<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(span.as_secs_f64())
}

fn seconds<S: Serializer>(span: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    span.map(|span| span.as_secs_f64()).serialize(serializer)
}

fn port<S: Serializer>(port: &PortChoice, serializer: S) -> Result<S::Ok, S::Error> {
    match port {
        PortChoice::Auto => serializer.serialize_none(),
        PortChoice::Fixed(ports) => some_ports(&Some(*ports), serializer),
    }
}

/// A single port is a number, a range is a text such as `5001-5004`.
fn some_ports<S: Serializer>(ports: &Option<PortRange>, serializer: S) -> Result<S::Ok, S::Error> {
    match ports {
        None => serializer.serialize_none(),
        Some(ports) if ports.count().get() == 1 => serializer.serialize_u16(ports.first()),
        Some(ports) => serializer.collect_str(ports),
    }
}

fn problem<S: Serializer>(problem: &Option<ConfigError>, serializer: S) -> Result<S::Ok, S::Error> {
    problem.as_ref().map(ToString::to_string).serialize(serializer)
}
