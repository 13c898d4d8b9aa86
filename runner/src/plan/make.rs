use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use indexmap::IndexMap;
use linerate_engine::config::{Amount, ClientConfig, ClientTransport, PermitKey, Rate};
use linerate_schema::results::ScenarioSummary;
use linerate_schema::scenario::{Case, Flow, Host, PortChoice, Scenario, Transport};

use super::planned::{AddressFamily, Plan, PlannedCase, PlannedFlow, PlannedServer, Target};
use super::selection::Selection;
use crate::engine_config::{
    ClientNeeds, ConfigError, DEFAULT_PORT, KeyChoice, client_config, client_options_in_effect,
};

/// Plans every case of a scenario. Cases that are not selected stay in the plan with the reason to skip them.
#[must_use]
pub fn make_plan(scenario: &Scenario, selection: &Selection) -> Plan {
    let cases = scenario.cases.iter().map(|case| plan_case(case, &scenario.hosts, selection));
    Plan {
        scenario: ScenarioSummary {
            name: scenario.name.clone(),
            description: scenario.description.clone(),
            file: scenario.file.clone(),
            tags: scenario.tags.clone(),
        },
        cases: cases.collect(),
        unmatched: selection.unmatched(&scenario.cases),
        hosts: scenario.hosts.clone(),
    }
}

fn plan_case(case: &Case, hosts: &IndexMap<String, Host>, selection: &Selection) -> PlannedCase {
    let mut servers = Vec::new();
    let flows: Vec<PlannedFlow> = case
        .flows
        .iter()
        .enumerate()
        .map(|(position, flow)| plan_flow(flow, position, hosts, &mut servers))
        .collect();
    PlannedCase {
        id: case.id.clone(),
        skip: selection.refusal(case),
        expected: flows
            .iter()
            .map(|flow| Some(flow.start + flow.expected?))
            .try_fold(Duration::ZERO, |longest, end| Some(longest.max(end?))),
        expected_bytes: flows
            .iter()
            .try_fold(0_u64, |sum, flow| Some(sum.saturating_add(flow.expected_bytes?))),
        servers,
        flows,
        case: case.clone(),
    }
}

fn plan_flow(
    flow: &Flow,
    position: usize,
    hosts: &IndexMap<String, Host>,
    servers: &mut Vec<PlannedServer>,
) -> PlannedFlow {
    let family = family(flow, hosts);
    let config = example_config(flow, family, hosts);
    let (expected, expected_bytes, bits_per_second) = match &config {
        Ok(config) => cost(config),
        Err(_) => (None, None, None),
    };
    let started = matches!(hosts.get(&flow.server.host), Some(Host::Local { .. }))
        .then(|| planned_server(flow, position, family, config.as_ref().ok(), servers));
    PlannedFlow {
        name: flow.name.clone(),
        host: flow.host.clone(),
        target: Target {
            host: flow.server.host.clone(),
            server: flow.server.name.clone(),
            address: target_address(flow, family, hosts),
            port: target_port(flow, started.is_some()),
            started,
        },
        transport: transport(flow),
        direction: flow.options.direction.as_ref().map(|d| d.value).unwrap_or_default(),
        streams: config.as_ref().map_or(1, |config| config.parallel.get()),
        start: flow.options.start.as_ref().map_or(Duration::ZERO, |start| start.value.0),
        expected,
        expected_bytes,
        bits_per_second,
        options: config
            .as_ref()
            .map(|config| client_options_in_effect(&flow.options, config))
            .unwrap_or_default(),
        problem: config.err(),
    }
}

/// The configuration as far as it is known before the server has an address; it also finds contradictions.
fn example_config(
    flow: &Flow,
    family: AddressFamily,
    hosts: &IndexMap<String, Host>,
) -> Result<ClientConfig, ConfigError> {
    match hosts.get(&flow.host) {
        Some(Host::Local { .. }) => {}
        Some(Host::External { .. }) => {
            return Err(ConfigError::ClientOnExternalHost { host: flow.host.clone() });
        }
        None => return Err(ConfigError::UnknownHost { host: flow.host.clone() }),
    }
    let external = match hosts.get(&flow.server.host) {
        Some(host) => matches!(host, Host::External { .. }),
        None => return Err(ConfigError::UnknownHost { host: flow.server.host.clone() }),
    };
    let permit_key = match key_choice(flow) {
        Some(KeyChoice::Fresh) if external => return Err(ConfigError::KeyForExternalServer),
        Some(KeyChoice::Fresh) => Some(PermitKey("fresh".to_owned())),
        Some(KeyChoice::Given(key)) => Some(PermitKey(key)),
        None => None,
    };
    let server = SocketAddr::new(family.loopback(), DEFAULT_PORT);
    client_config(&flow.options, ClientNeeds { server, permit_key })
}

/// Time, bytes and rate of a flow's traffic, as far as they are known.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "estimates; a float that is too large becomes the largest integer"
)]
fn cost(config: &ClientConfig) -> (Option<Duration>, Option<u64>, Option<f64>) {
    let streams = config.parallel.get();
    let rate = match config.rate {
        Rate::Unlimited => None,
        Rate::BitsPerSecond(bits) => Some(bits as f64),
        Rate::PacketsPerSecond(packets) => Some(packets * config.length.bytes() as f64 * 8.0),
    };
    let of_all = rate.map(|rate| rate * f64::from(streams));
    match config.amount {
        Amount::Time(time) => {
            let bytes = of_all.map(|rate| (rate / 8.0 * time.as_secs_f64()).round() as u64);
            (Some(time), bytes, of_all)
        }
        Amount::Bytes(bytes) => {
            let seconds = rate.map(|rate| bytes as f64 * 8.0 / rate);
            let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            (time, Some(bytes.saturating_mul(streams.into())), of_all)
        }
    }
}

/// Position of the flow's server in `servers`, which grows if no flow before uses the same.
fn planned_server(
    flow: &Flow,
    position: usize,
    family: AddressFamily,
    config: Option<&ClientConfig>,
    servers: &mut Vec<PlannedServer>,
) -> usize {
    let wanted = PlannedServer {
        name: flow.server.name.clone(),
        host: flow.server.host.clone(),
        transport: transport(flow),
        port: listening_port(flow),
        family,
        interval: flow.options.interval.as_ref().map(|interval| interval.value.0),
        longest_gap: config.map(gap).unwrap_or_default(),
        permit_key: key_choice(flow),
        first_flow: position,
    };
    match servers.iter().position(|server| server.is_shared_with(&wanted)) {
        Some(position) => {
            servers[position].join(&wanted);
            position
        }
        None => {
            servers.push(wanted);
            servers.len() - 1
        }
    }
}

impl PlannedServer {
    /// Two flows share a server when they name the same entry and ask for the same kind of socket.
    fn is_shared_with(&self, other: &Self) -> bool {
        self.name.is_some()
            && (&self.name, &self.host, self.transport, self.port, &self.permit_key)
                == (&other.name, &other.host, other.transport, other.port, &other.permit_key)
    }

    /// Adds what another flow needs of the same server.
    fn join(&mut self, other: &Self) {
        if other.family == AddressFamily::Ipv6 {
            self.family = AddressFamily::Ipv6;
        }
        self.interval = match (self.interval, other.interval) {
            (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        self.longest_gap = self.longest_gap.max(other.longest_gap);
    }
}

/// Time between two datagrams of a stream at the wanted rate.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn gap(config: &ClientConfig) -> Duration {
    let seconds = match (config.rate, &config.transport) {
        (Rate::BitsPerSecond(bits), ClientTransport::Udp) => {
            config.length.bytes() as f64 * 8.0 / bits as f64
        }
        (Rate::PacketsPerSecond(packets), ClientTransport::Udp) => 1.0 / packets,
        _ => 0.0,
    };
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

fn transport(flow: &Flow) -> Transport {
    flow.options.transport.as_ref().map(|t| t.value).unwrap_or_default()
}

fn key_choice(flow: &Flow) -> Option<KeyChoice> {
    flow.options.permit_key.as_ref().map(|key| KeyChoice::of(key))
}

/// The port that the server listens on: its own, else the one that its client names.
fn listening_port(flow: &Flow) -> PortChoice {
    match (&flow.server.options.port, &flow.options.port) {
        (Some(port), _) if port.value != PortChoice::Auto => port.value,
        (_, Some(port)) => PortChoice::Fixed(port.value),
        _ => PortChoice::Auto,
    }
}

/// The port that the client connects to, where it is known before the server has started.
fn target_port(flow: &Flow, started: bool) -> Option<u16> {
    if let Some(port) = &flow.options.port {
        return Some(port.value);
    }
    match flow.server.options.port.as_ref().map(|port| port.value) {
        Some(PortChoice::Fixed(port)) => Some(port),
        _ => (!started).then_some(DEFAULT_PORT),
    }
}

/// IPv6 when the flow or its server asks for it, or when an address that the scenario gives is one.
fn family(flow: &Flow, hosts: &IndexMap<String, Host>) -> AddressFamily {
    let asked = [&flow.options.ipv6, &flow.server.options.ipv6];
    let given = [
        hosts.get(&flow.server.host).and_then(Host::address),
        flow.server.options.bind.as_ref().map(|bind| bind.value.as_str()),
    ];
    let is_ipv6 = asked.into_iter().flatten().any(|ipv6| ipv6.value)
        || given.into_iter().flatten().any(|text| literal(text).is_some_and(|a| a.is_ipv6()));
    if is_ipv6 { AddressFamily::Ipv6 } else { AddressFamily::Ipv4 }
}

/// The address that the client connects to: the host's, else the one that the server listens on, else loopback.
fn target_address(flow: &Flow, family: AddressFamily, hosts: &IndexMap<String, Host>) -> String {
    let of_host = hosts.get(&flow.server.host).and_then(Host::address).map(str::to_owned);
    let of_server = || {
        let bind = literal(&flow.server.options.bind.as_ref()?.value)?;
        (!bind.is_unspecified()).then(|| bind.to_string())
    };
    of_host.or_else(of_server).unwrap_or_else(|| family.loopback().to_string())
}

fn literal(text: &str) -> Option<IpAddr> {
    text.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

impl AddressFamily {
    /// The loopback address.
    #[must_use]
    pub fn loopback(self) -> IpAddr {
        match self {
            Self::Ipv4 => Ipv4Addr::LOCALHOST.into(),
            Self::Ipv6 => Ipv6Addr::LOCALHOST.into(),
        }
    }
}
