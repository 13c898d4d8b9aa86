use std::net::SocketAddr;
use std::time::Duration;

use indexmap::IndexMap;
use linerate_engine::config::{Amount, ClientConfig, PermitKey, Rate};
use linerate_schema::results::ScenarioSummary;
use linerate_schema::scenario::{Case, Flow, Host, Scenario};

use super::planned::{AddressFamily, Plan, PlannedCase, PlannedFlow, PlannedServer, Target};
use super::selection::Selection;
use super::server_sharing::{join_or_add, key_choice};
use super::target::{external_port, family, reachable_port, target_address, transport};
use crate::engine_config::{
    ClientNeeds, ConfigError, DEFAULT_PORT, KeyChoice, client_config, client_options_in_effect,
    iperf_client_command,
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
    let external = matches!(hosts.get(&flow.server.host), Some(Host::External { .. }));
    let port = if external { external_port(flow) } else { reachable_port(flow) };
    let address = target_address(flow, family, hosts);
    let config = example_config(flow, family, port, hosts);
    let (cost, options, command, streams) = match &config {
        Ok(config) => (
            Cost::of(config),
            client_options_in_effect(&flow.options, config),
            iperf_client_command(config, &address),
            config.parallel.get(),
        ),
        Err(_) => (Cost::default(), IndexMap::new(), String::new(), 1),
    };
    let wanted = || PlannedServer::wanted_by(flow, position, family, config.as_ref().ok());
    let started = (!external).then(|| join_or_add(servers, wanted()));
    PlannedFlow {
        name: flow.name.clone(),
        host: flow.host.clone(),
        target: Target {
            host: flow.server.host.clone(),
            server: flow.server.name.clone(),
            address,
            port,
            started,
        },
        family,
        transport: transport(flow),
        direction: flow.options.direction.as_ref().map(|d| d.value).unwrap_or_default(),
        streams,
        start: flow.options.start.as_ref().map_or(Duration::ZERO, |start| start.value.0),
        expected: cost.time,
        expected_bytes: cost.bytes,
        bits_per_second: cost.bits_per_second,
        options,
        iperf_client_command: command,
        problem: config.err(),
    }
}

/// The configuration as far as it is known before the server has an address; it also finds contradictions.
fn example_config(
    flow: &Flow,
    family: AddressFamily,
    port: Option<u16>,
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
    let server = SocketAddr::new(family.loopback(), port.unwrap_or(DEFAULT_PORT));
    let server_transport = flow.server.options.transport.as_ref().map(|transport| transport.value);
    let transport = server_transport.unwrap_or(transport(flow));
    client_config(&flow.options, ClientNeeds { server, transport, permit_key })
}

/// What a flow's traffic takes, as far as it is known.
#[derive(Default)]
struct Cost {
    time: Option<Duration>,
    /// Payload bytes of all streams.
    bytes: Option<u64>,
    /// Rate of all streams; absent when unlimited.
    bits_per_second: Option<f64>,
}

impl Cost {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "estimates; a float that is too large becomes the largest integer"
    )]
    fn of(config: &ClientConfig) -> Self {
        let streams = config.parallel.get();
        let rate = match config.rate {
            Rate::Unlimited => None,
            Rate::BitsPerSecond(bits) => Some(bits as f64),
            Rate::PacketsPerSecond(packets) => Some(packets * config.length.bytes() as f64 * 8.0),
        };
        let bits_per_second = rate.map(|rate| rate * f64::from(streams));
        match config.amount {
            Amount::Time(time) => Self {
                time: Some(time),
                bytes: bits_per_second.map(|rate| (rate / 8.0 * time.as_secs_f64()).round() as u64),
                bits_per_second,
            },
            Amount::Bytes(bytes) => Self {
                time: rate
                    .map(|rate| bytes as f64 * 8.0 / rate)
                    .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
                bytes: Some(bytes.saturating_mul(streams.into())),
                bits_per_second,
            },
        }
    }
}
