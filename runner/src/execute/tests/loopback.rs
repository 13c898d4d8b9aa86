//! Real traffic within this process. Short runs: what matters is that all parts fit.

use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use linerate_engine::cancel::Cancel;
use linerate_engine::net::Server;
use linerate_schema::Spanned;
use linerate_schema::results::{FlowFailureKind, FlowResult, ReceiverSource, RunResult, Verdict};
use linerate_schema::scenario::{
    ClientOptions, Direction, Flow, Host, PortChoice, Scenario, ServerOptions, Transport,
};
use linerate_schema::units::{BitRate, ByteCount, Seconds, SendRate};
use socket2::{Domain, Socket, Type};

use crate::engine_config::{ServerNeeds, server_config};
use crate::event::{RunEvent, RunEventKind};
use crate::execute::{Settings, run};
use crate::fixtures::{at_line_7, case, flow, flow_with, given, ports, scenario, server};
use crate::plan::{Selection, make_plan};

fn run_all(scenario: &Scenario) -> RunResult {
    let plan = make_plan(scenario, &Selection::default());
    run(&plan, &Settings::new(1), |_| {}, &Cancel::new())
}

fn run_case(flows: Vec<Flow>) -> Vec<FlowResult> {
    run_all(&scenario(vec![case("case", flows)])).cases.remove(0).flows
}

fn run_flow(flow: Flow) -> FlowResult {
    run_case(vec![flow]).remove(0)
}

fn milliseconds(count: u64) -> Option<Spanned<Seconds>> {
    given(Seconds(Duration::from_millis(count)))
}

fn short() -> ClientOptions {
    ClientOptions {
        time: milliseconds(200),
        bitrate: given(SendRate::Bits(BitRate(20e6))),
        ..ClientOptions::default()
    }
}

fn short_udp() -> ClientOptions {
    ClientOptions { transport: given(Transport::Udp), length: given(ByteCount(1000)), ..short() }
}

/// Bytes at the receiver of a flow that must have passed.
fn received(flow: &FlowResult) -> u64 {
    assert_eq!((flow.verdict, &flow.failure), (Verdict::Pass, &None), "{}", flow.name);
    flow.receiver.as_ref().expect("a receiver").transfer_bytes
}

fn kind(flow: &FlowResult) -> FlowFailureKind {
    flow.failure.as_ref().expect("a failure").kind
}

#[test]
fn tcp_moves_data_in_both_directions() {
    for direction in [Direction::Forward, Direction::Reverse] {
        let options =
            ClientOptions { direction: given(direction), interval: milliseconds(100), ..short() };
        let flow = run_flow(flow_with("client", options));
        assert!(received(&flow) > 0);
        let stream = &flow.streams[0];
        assert_eq!(flow.receiver, stream.receiver);
        assert!(!stream.receiver_intervals.is_empty() && !stream.sender_intervals.is_empty());
        assert!(flow.sender.expect("a sender").tcp.is_some());
        assert!(stream.connect_seconds.is_some());
    }
}

#[test]
fn udp_moves_data_in_both_directions_and_counts_what_is_lost() {
    for direction in [Direction::Forward, Direction::Reverse] {
        let flow = run_flow(flow_with(
            "client",
            ClientOptions { direction: given(direction), ..short_udp() },
        ));
        received(&flow);
        assert_eq!(flow.receiver_source, Some(ReceiverSource::Measured));
        let counts = flow.receiver.unwrap().datagrams.expect("datagrams");
        assert_eq!(counts.sent, counts.received.unwrap() + counts.lost.unwrap());
        assert_eq!(flow.sender.unwrap().datagrams.expect("datagrams").sent, counts.sent);
    }
}

#[test]
fn an_amount_of_bytes_arrives_to_the_byte_on_every_stream() {
    let options = ClientOptions {
        bytes: given(ByteCount(1_000_000)),
        parallel: given(4),
        ..ClientOptions::default()
    };
    let flow = run_flow(flow_with("client", options));
    assert_eq!(received(&flow), 4_000_000);
    assert_eq!(flow.streams.len(), 4);
    for stream in &flow.streams {
        assert_eq!(stream.receiver.as_ref().unwrap().transfer_bytes, 1_000_000);
    }
}

#[test]
fn flows_of_a_case_share_a_server_and_keep_apart_in_the_results() {
    let shared = |name: &str, bytes| Flow {
        server: server(Some("sink"), "local", ServerOptions::default()),
        ..flow_with(
            name,
            ClientOptions {
                bytes: given(ByteCount(bytes)),
                permit_key: given("auto".to_owned()),
                parallel: given(2),
                ..ClientOptions::default()
            },
        )
    };
    let flows = run_case(vec![shared("a", 300_000), shared("b", 500_000)]);
    assert_eq!((received(&flows[0]), received(&flows[1])), (600_000, 1_000_000));
    assert_eq!(flows[0].server.port, flows[1].server.port);
}

#[test]
fn traffic_flows_over_ipv6_too() {
    let tcp = ClientOptions { ipv6: given(true), ..short() };
    let udp = ClientOptions { ipv6: given(true), ..short_udp() };
    let flows = run_case(vec![flow_with("tcp", tcp), flow_with("udp", udp)]);
    assert!(flows.iter().all(|flow| received(flow) > 0));
    assert_eq!(flows[0].server.address.as_deref(), Some("::1"));
}

#[test]
fn an_ipv4_flow_and_an_ipv6_flow_share_a_server() {
    let shared = |name: &str, ipv6| Flow {
        server: server(Some("sink"), "local", ServerOptions::default()),
        ..flow_with(name, ClientOptions { ipv6: given(ipv6), ..short() })
    };
    let flows = run_case(vec![shared("v4", false), shared("v6", true)]);
    assert!(flows.iter().all(|flow| received(flow) > 0));
}

/// A scenario whose host `far` is external, at 127.0.0.1; and a flow to a server there.
fn scenario_with_external(options: ClientOptions, port: u16) -> Scenario {
    let options = ClientOptions { port: given(ports(&port.to_string())), ..options };
    let to_far = Flow {
        server: server(None, "far", ServerOptions::default()),
        ..flow_with("client", options)
    };
    let mut scenario = scenario(vec![case("case", vec![to_far])]);
    let address = at_line_7("127.0.0.1".to_owned());
    scenario.hosts.insert("far".to_owned(), Host::External { address });
    scenario
}

#[test]
fn an_external_server_is_used_and_never_started() {
    for (transport, options) in [(Transport::Tcp, short()), (Transport::Udp, short_udp())] {
        let needs = ServerNeeds {
            transport,
            port: PortChoice::Auto,
            ipv6: false,
            interval: None,
            longest_gap: Duration::ZERO,
            permit_key: None,
        };
        let config = server_config(&ServerOptions::default(), needs).unwrap();
        let external = Server::start(&config, Arc::new(|_| {})).unwrap();
        let port = external.address().port();
        let result = run_all(&scenario_with_external(options, port));
        let flow = &result.cases[0].flows[0];
        assert_eq!((flow.verdict, &flow.failure), (Verdict::Pass, &None), "{transport}");
        let source = match transport {
            Transport::Tcp => None,
            Transport::Udp => Some(ReceiverSource::ServerReport),
        };
        assert_eq!(flow.receiver_source, source);
        assert_eq!(flow.receiver.is_some(), source.is_some());
        assert_eq!(flow.iperf_server_command, None);
    }
}

#[test]
fn a_full_duplex_flow_is_measured_both_ways() {
    let options = ClientOptions {
        direction: given(Direction::FullDuplex),
        parallel: given(2),
        interval: milliseconds(50),
        ..short_udp()
    };
    let flow = run_flow(flow_with("call", options));
    let forward = received(&flow);
    let reverse = flow.reverse.as_ref().expect("a way back");
    let back = reverse.receiver.as_ref().expect("a receiver");
    // 20 Mbit/s for 0.2 s in two streams, in datagrams of 1000 bytes.
    for bytes in [forward, back.transfer_bytes] {
        assert!((800_000..1_100_000).contains(&bytes), "{bytes}");
    }
    assert_eq!(reverse.sender.as_ref().expect("a sender").transfer_bytes, back.transfer_bytes);
    for stream in &flow.streams {
        let way = stream.reverse.as_ref().expect("a way back");
        assert!(!way.receiver_intervals.is_empty() && !way.sender_intervals.is_empty());
        assert!(!stream.receiver_intervals.is_empty() && !stream.sender_intervals.is_empty());
    }
}

#[test]
fn nothing_at_the_other_end_is_an_error() {
    // A bound socket that does not listen keeps others away from its port and refuses every connection.
    let deaf = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    deaf.bind(&"127.0.0.1:0".parse::<SocketAddr>().unwrap().into()).unwrap();
    let port = deaf.local_addr().unwrap().as_socket().unwrap().port();
    let result = run_all(&scenario_with_external(short(), port));
    assert_eq!(kind(&result.cases[0].flows[0]), FlowFailureKind::Refused);
    assert_eq!(result.exit_code, 3);

    // A socket that takes everything and never answers.
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let result = run_all(&scenario_with_external(short_udp(), port));
    let flow = &result.cases[0].flows[0];
    assert_eq!(kind(flow), FlowFailureKind::NoReport);
    assert!(flow.sender.as_ref().is_some_and(|sender| sender.transfer_bytes > 0));
    assert_eq!(flow.receiver, None);
}

#[test]
fn a_port_in_use_fails_its_flow_and_leaves_the_others_alone() {
    let taken = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = PortChoice::Fixed(ports(&taken.local_addr().unwrap().port().to_string()));
    let options = ServerOptions { port: given(port), ..ServerOptions::default() };
    let busy = Flow { server: server(Some("busy"), "local", options), ..flow("busy") };
    let flows = run_case(vec![busy, flow_with("fine", short())]);
    assert_eq!(kind(&flows[0]), FlowFailureKind::ServerStart);
    assert!(received(&flows[1]) > 0);
}

#[test]
fn an_interruption_keeps_what_was_measured() {
    let endless = |options| ClientOptions {
        time: given(Seconds(Duration::from_secs(600))),
        interval: milliseconds(50),
        ..options
    };
    let flows = vec![flow_with("tcp", endless(short())), flow_with("udp", endless(short_udp()))];
    let scenario = scenario(vec![case("endless", flows), case("never", vec![flow("client")])]);
    let plan = make_plan(&scenario, &Selection::default());
    let cancel = Cancel::new();
    let (interrupt, told) = (cancel.clone(), Mutex::new([0, 0]));
    let watch = |event: RunEvent| {
        if let RunEventKind::Interval { flow, .. } = event.kind {
            let mut told = told.lock().unwrap();
            told[usize::from(flow == "udp")] += 1;
            if told.iter().all(|intervals| *intervals >= 2) {
                interrupt.cancel();
            }
        }
    };
    let result = run(&plan, &Settings::new(1), watch, &cancel);
    for flow in &result.cases[0].flows {
        assert_eq!(kind(flow), FlowFailureKind::Interrupted, "{}", flow.name);
        assert!(flow.receiver.as_ref().expect("partial figures").transfer_bytes > 0);
        assert!(flow.sender.as_ref().expect("partial figures").transfer_bytes > 0);
    }
    assert_eq!(result.cases[1].verdict, Verdict::Skipped);
    assert_eq!(result.exit_code, 130);
}
