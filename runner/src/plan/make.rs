use std::net::SocketAddr;
use std::num::NonZeroU16;
use std::time::Duration;

use indexmap::IndexMap;
use linerate_engine::config::{Amount, ClientConfig, PermitKey, Rate};
use linerate_schema::results::ScenarioSummary;
use linerate_schema::scenario::{Case, Flow, Host, PortRange, Scenario};

use super::planned::{AddressFamily, Plan, PlannedCase, PlannedFlow, PlannedServer, Target};
use super::selection::Selection;
use super::server_sharing::{join_or_add, key_choice};
use super::target::{external_ports, family, reachable_ports, target_address, transport};
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
    let ports = if external { external_ports(flow) } else { reachable_ports(flow) };
    let address = target_address(flow, family, hosts);
    let config = example_config(flow, family, ports, hosts);
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
            ports,
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
    ports: Option<PortRange>,
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
    let port = ports.map_or(DEFAULT_PORT, PortRange::first);
    let server = SocketAddr::new(family.loopback(), port);
    let ports = ports.map_or(NonZeroU16::MIN, PortRange::count);
    let server_transport = flow.server.options.transport.as_ref().map(|transport| transport.value);
    let transport = server_transport.unwrap_or(transport(flow));
    client_config(&flow.options, ClientNeeds { server, zone: None, ports, transport, permit_key })
}

/// What a flow's traffic takes, as far as it is known.
#[derive(Default)]
struct Cost {
    time: Option<Duration>,
    /// Payload bytes of all streams, both ways.
    bytes: Option<u64>,
    /// Rate of all streams, both ways; absent when unlimited.
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
        let ways =
            u16::from(config.direction.has_forward()) + u16::from(config.direction.has_reverse());
        let bits_per_second = rate.map(|rate| rate * f64::from(streams) * f64::from(ways));
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
                bytes: Some(bytes.saturating_mul(u64::from(streams) * u64::from(ways))),
                bits_per_second,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use linerate_schema::Spanned;
    use linerate_schema::scenario::{
        ClientOptions, Direction, PortChoice, ServerOptions, Transport,
    };
    use linerate_schema::units::{BitRate, ByteCount, PacketRate, Seconds, SendRate};

    use super::*;
    use crate::fixtures::{case, flow, flow_with, given, ports, scenario, server};

    fn plan(flows: Vec<Flow>) -> PlannedCase {
        let plan = make_plan(&scenario(vec![case("case", flows)]), &Selection::default());
        plan.cases.into_iter().next().expect("one case")
    }

    fn seconds(seconds: f64) -> Option<Spanned<Seconds>> {
        given(Seconds(Duration::from_secs_f64(seconds)))
    }

    fn udp_at(rate: SendRate) -> ClientOptions {
        ClientOptions {
            transport: given(Transport::Udp),
            bitrate: given(rate),
            length: given(ByteCount(1000)),
            ..ClientOptions::default()
        }
    }

    #[test]
    fn a_case_takes_as_long_as_its_last_flow() {
        let late = ClientOptions { start: seconds(3.0), time: seconds(2.5), ..Default::default() };
        let case = plan(vec![flow_with("late", late), flow_with("early", Default::default())]);
        assert_eq!(case.expected, Some(Duration::from_secs(10)));
        assert_eq!(case.flows[0].expected, Some(Duration::from_secs_f64(2.5)));
        assert_eq!(case.expected_bytes, None);
    }

    #[test]
    fn bytes_are_known_where_the_rate_is() {
        let bits = SendRate::Bits(BitRate(8e6));
        let options = ClientOptions { time: seconds(2.0), parallel: given(3), ..udp_at(bits) };
        let case = plan(vec![flow_with("bits", options)]);
        assert_eq!(case.expected_bytes, Some(6_000_000));
        assert_eq!(case.flows[0].bits_per_second, Some(24e6));

        let packets = SendRate::Packets(PacketRate(100.0));
        let case = plan(vec![flow_with("packets", udp_at(packets))]);
        assert_eq!(case.expected_bytes, Some(1_000_000));
    }

    #[test]
    fn time_is_known_for_an_amount_of_bytes_where_the_rate_is() {
        let amount = |bitrate| ClientOptions {
            bytes: given(ByteCount(1_000_000)),
            bitrate,
            parallel: given(2),
            ..ClientOptions::default()
        };
        let case = plan(vec![flow_with("fast", amount(None))]);
        assert_eq!((case.expected, case.expected_bytes), (None, Some(2_000_000)));
        let rate = given(SendRate::Bits(BitRate(8e6)));
        let case = plan(vec![flow_with("limited", amount(rate))]);
        assert_eq!(
            (case.expected, case.expected_bytes),
            (Some(Duration::from_secs(1)), Some(2_000_000))
        );
    }

    #[test]
    fn flows_that_name_the_same_server_share_it() {
        let named = |name: &str, options: ClientOptions| Flow {
            server: server(Some("sink"), "local", ServerOptions::default()),
            ..flow_with(name, options)
        };
        let fine = ClientOptions { interval: seconds(0.1), ..Default::default() };
        let coarse = ClientOptions { interval: seconds(1.0), ..Default::default() };
        let udp = udp_at(SendRate::Packets(PacketRate(10.0)));
        let key = ClientOptions { permit_key: given("auto".to_owned()), ..Default::default() };
        let case = plan(vec![
            named("a", coarse),
            named("b", fine),
            flow("in place"),
            flow("in place too"),
            named("udp", udp),
            named("keyed", key),
        ]);
        let started: Vec<_> = case.flows.iter().map(|flow| flow.target.started).collect();
        assert_eq!(started, [Some(0), Some(0), Some(1), Some(2), Some(3), Some(4)]);
        assert_eq!(case.servers[0].interval, Some(Duration::from_millis(100)));
        assert_eq!(case.servers[3].longest_gap, Duration::from_millis(100));
    }

    #[test]
    fn a_flow_goes_to_the_address_that_its_server_can_be_reached_at() {
        let target = |options: ClientOptions, host: &str, of_server: ServerOptions| {
            let flow = Flow { server: server(None, host, of_server), ..flow_with("flow", options) };
            let target = plan(vec![flow]).flows.remove(0).target;
            let port = target.first_port();
            (target.address, port, target.started)
        };
        let none = ClientOptions::default;
        let plain = ServerOptions::default;
        let at = |address: &str| address.to_owned();
        let table = [
            (target(none(), "local", plain()), (at("127.0.0.1"), None, Some(0))),
            (
                target(ClientOptions { ipv6: given(true), ..none() }, "local", plain()),
                (at("::1"), None, Some(0)),
            ),
            (
                target(none(), "local", ServerOptions { bind: given(at("127.0.0.9")), ..plain() }),
                (at("127.0.0.9"), None, Some(0)),
            ),
            (
                target(none(), "local", ServerOptions { bind: given(at("::")), ..plain() }),
                (at("::1"), None, Some(0)),
            ),
            (
                target(
                    ClientOptions { port: given(ports("81")), ..none() },
                    "local",
                    ServerOptions { port: given(PortChoice::Fixed(ports("80"))), ..plain() },
                ),
                (at("127.0.0.1"), Some(81), Some(0)),
            ),
            (target(none(), "legacy", plain()), (at("192.0.2.9"), Some(5001), None)),
            (
                target(ClientOptions { port: given(ports("5201")), ..none() }, "legacy", plain()),
                (at("192.0.2.9"), Some(5201), None),
            ),
        ];
        for (got, expected) in table {
            assert_eq!(got, expected);
        }
    }

    #[test]
    fn a_range_of_ports_has_a_stream_for_each_and_a_server_that_listens_at_all() {
        let range = given(PortChoice::Fixed(ports("5001-5003")));
        let of_server = Flow {
            server: server(None, "local", ServerOptions { port: range, ..Default::default() }),
            ..flow_with("of its server", ClientOptions::default())
        };
        let own = ClientOptions { port: given(ports("6001-6002")), ..ClientOptions::default() };
        let case = plan(vec![of_server, flow_with("its own", own)]);
        let shown: Vec<_> = case
            .flows
            .iter()
            .map(|flow| (flow.streams, flow.iperf_client_command.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                (3, "iperf -c 127.0.0.1 -p 5001 -t 10 -P 3 --incr-dstport"),
                (2, "iperf -c 127.0.0.1 -p 6001 -t 10 -P 2 --incr-dstport"),
            ]
        );
        assert_eq!(case.servers[1].port, PortChoice::Fixed(ports("6001-6002")));
        let json = serde_json::to_value(&case).unwrap();
        assert_eq!(json["servers"][0]["port"], "5001-5003");
        assert_eq!(json["flows"][1]["target"]["port"], "6001-6002");
    }

    #[test]
    fn a_link_local_server_is_reached_through_its_interface() {
        let bound = ServerOptions { bind: given("fe80::1%eth0".to_owned()), ..Default::default() };
        let flow = Flow { server: server(None, "local", bound), ..flow("flow") };
        let flow = plan(vec![flow]).flows.remove(0);
        assert_eq!(flow.target.address, "fe80::1%eth0");
        assert_eq!(flow.family, AddressFamily::Ipv6);
    }

    #[test]
    fn what_cannot_run_says_why_in_the_plan() {
        let on_external = Flow { host: "legacy".to_owned(), ..flow("on external") };
        let nowhere = Flow { host: "nowhere".to_owned(), ..flow("nowhere") };
        let auto_key = Flow {
            server: server(None, "legacy", ServerOptions::default()),
            ..flow_with(
                "auto key",
                ClientOptions { permit_key: given("auto".to_owned()), ..Default::default() },
            )
        };
        let case = plan(vec![on_external, nowhere, auto_key, flow("fine")]);
        let problems: Vec<_> = case
            .flows
            .iter()
            .map(|flow| flow.problem.as_ref().map(ToString::to_string).unwrap_or_default())
            .collect();
        insta::assert_snapshot!(problems.join("\n"));
    }

    #[test]
    fn a_plan_prints_itself_as_text_and_as_json() {
        let bulk =
            ClientOptions { parallel: given(4), interval: seconds(1.0), ..Default::default() };
        let call = ClientOptions {
            direction: given(Direction::Reverse),
            start: seconds(2.0),
            time: seconds(5.0),
            ..udp_at(SendRate::Bits(BitRate(87_000.0)))
        };
        let external = Flow {
            server: server(None, "legacy", ServerOptions::default()),
            ..flow_with(
                "upload",
                ClientOptions { bytes: given(ByteCount(5_000_000)), ..Default::default() },
            )
        };
        let named = Flow {
            server: server(Some("sink"), "local", ServerOptions::default()),
            ..flow_with("bulk", bulk)
        };
        let mut nightly = case("nightly only", vec![flow("client")]);
        nightly.tags = vec!["nightly".to_owned()];
        let scenario = scenario(vec![
            case("load [streams=4]", vec![named, flow_with("call", call)]),
            case("upload", vec![external]),
            nightly,
        ]);
        let selection = Selection::new(
            vec!["load".to_owned(), "up*".to_owned(), "nightly*".to_owned(), "typo".to_owned()],
            Vec::new(),
            vec!["nightly".to_owned()],
        );
        let plan = make_plan(&scenario, &selection);
        insta::assert_snapshot!("plan_text", plan.to_string());
        insta::assert_json_snapshot!("plan_json", plan);
    }

    #[test]
    fn the_selection_can_be_empty() {
        let selection = Selection::new(vec!["nothing".to_owned()], Vec::new(), Vec::new());
        let plan = make_plan(&scenario(vec![case("a", vec![flow("client")])]), &selection);
        assert_eq!(plan.selected().count(), 0);
        assert_eq!(plan.cases[0].skip.as_deref(), Some("not selected by --only"));
        assert_eq!(plan.unmatched, ["nothing"]);
    }

    #[test]
    fn ten_thousand_cases_are_planned_in_order() {
        let cases = (0..10_000).map(|n| case(&format!("case [n={n}]"), vec![flow("a"), flow("b")]));
        let scenario = scenario(cases.collect());
        let plan = make_plan(&scenario, &Selection::new(vec!["case*".to_owned()], vec![], vec![]));
        assert_eq!(plan.cases.len(), 10_000);
        assert_eq!(plan.cases[5000].id, "case [n=5000]");
        assert_eq!(plan.expected(), Some(Duration::from_secs(100_000)));
    }
}
