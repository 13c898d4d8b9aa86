//! Runs on hosts that invent their traffic.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use linerate_engine::cancel::Cancel;
use linerate_engine::config::{ClientConfig, ClientTransport};
use linerate_schema::results::{FlowFailureKind, RunResult, Verdict};
use linerate_schema::scenario::{
    ClientOptions, Flow, Host, PortChoice, Scenario, ServerOptions, Transport,
};
use linerate_schema::units::Seconds;

use super::fake_host::{Client, FakeHost, Servers};
use crate::event::{RunEvent, RunEventKind};
use crate::execute::{AfterFailure, Settings, run_on};
use crate::fixtures::{case, flow, flow_with, given, ports, scenario, server};
use crate::hosts::EngineHost;
use crate::plan::{Selection, make_plan};

/// Runs a scenario on a fake host; also gives the names of the events.
fn run(scenario: &Scenario, host: FakeHost, settings: &Settings, cancel: &Cancel) -> Ran {
    let host = Arc::new(host);
    let open = |host_kind: &Host| -> Option<Arc<dyn EngineHost>> {
        match host_kind {
            Host::Local { .. } => Some(Arc::clone(&host) as Arc<dyn EngineHost>),
            Host::External { .. } => None,
        }
    };
    let plan = make_plan(scenario, &Selection::default());
    let events = Mutex::new(Vec::new());
    let keep = |event| events.lock().unwrap().push(event);
    let result = run_on(&plan, settings, &open, keep, cancel);
    let clients = host.clients.lock().unwrap().clone();
    Ran { result, events: events.into_inner().unwrap(), clients }
}

struct Ran {
    result: RunResult,
    events: Vec<RunEvent>,
    clients: Vec<ClientConfig>,
}

impl Ran {
    fn flow_failure(&self, case: usize, flow: usize) -> (FlowFailureKind, &str) {
        let flow = &self.result.cases[case].flows[flow];
        assert_eq!(flow.verdict, Verdict::Error);
        let failure = flow.failure.as_ref().expect("a failure");
        (failure.kind, &failure.message)
    }

    fn verdicts(&self) -> Vec<Verdict> {
        self.result.cases.iter().map(|case| case.verdict).collect()
    }
}

fn settings() -> Settings {
    Settings::new(1)
}

/// A single flow whose client behaves like this, under the usual settings.
fn run_one(client: Client) -> Ran {
    let scenario = scenario(vec![case("only", vec![flow("client")])]);
    run(&scenario, FakeHost::new(client), &settings(), &Cancel::new())
}

fn event_names(events: &[RunEvent]) -> Vec<&'static str> {
    let name = |event: &RunEvent| match event.kind {
        RunEventKind::RunStarted { .. } => "run started",
        RunEventKind::CaseStarted { .. } => "case started",
        RunEventKind::FlowStarted { .. } => "flow started",
        RunEventKind::Interval { .. } => "interval",
        RunEventKind::CaseFinished { .. } => "case finished",
        RunEventKind::RunFinished { .. } => "run finished",
    };
    events.iter().map(name).collect()
}

#[test]
fn a_run_is_told_in_order_and_ends_with_a_result() {
    let ran = run_one(Client::Transfers);
    let told = event_names(&ran.events);
    let expected = [
        "run started",
        "case started",
        "flow started",
        "interval",
        "case finished",
        "run finished",
    ];
    assert_eq!(told, expected);
    assert!(ran.events.is_sorted_by_key(|event| event.elapsed));
    let result = &ran.result;
    assert_eq!((result.verdict, result.exit_code, result.interrupted), (Verdict::Pass, 0, false));
    assert_eq!((result.counts.pass, result.counts.total()), (1, 1));
    assert_eq!(result.hosts.len(), 1);
    assert_eq!(result.hosts[0].hostname.as_deref(), Some("fake"));
    let flow = &result.cases[0].flows[0];
    assert_eq!(flow.receiver.as_ref().unwrap().transfer_bytes, 1000);
    assert_eq!(flow.streams[0].receiver_intervals.len(), 1);
    assert_eq!(flow.iperf_server_command.as_deref(), Some("iperf -s -p 40000"));
    assert!(result.started_at.ends_with('Z'), "{}", result.started_at);
    let RunEventKind::RunFinished { result: told } = &ran.events[5].kind else {
        panic!("the last event")
    };
    assert_eq!(**told, ran.result);
}

#[test]
fn a_peer_that_vanishes_leaves_partial_figures_and_an_error() {
    let ran = run_one(Client::LosesItsPeer);
    assert_eq!(ran.flow_failure(0, 0).0, FlowFailureKind::PeerVanished);
    assert_eq!(ran.result.cases[0].flows[0].receiver.as_ref().unwrap().transfer_bytes, 400);
    assert_eq!(ran.result.exit_code, 3);
}

#[test]
fn data_that_never_arrives_is_an_error() {
    let ran = run_one(Client::SendsIntoTheVoid);
    assert_eq!(ran.flow_failure(0, 0).0, FlowFailureKind::NoData);
    assert_eq!(ran.result.cases[0].flows[0].receiver, None);
}

#[test]
fn a_refused_connection_is_an_error_that_says_where() {
    let ran = run_one(Client::IsRefused);
    let (kind, message) = ran.flow_failure(0, 0);
    assert_eq!(kind, FlowFailureKind::Refused);
    assert!(message.contains("127.0.0.1:40000"), "{message}");
}

#[test]
fn an_engine_that_crashes_is_an_error_of_its_flow_only() {
    let ran = run_one(Client::Panics);
    assert_eq!(ran.verdicts(), [Verdict::Error]);
}

fn short(client: Client) -> Ran {
    let time = given(Seconds(Duration::from_millis(10)));
    let options =
        ClientOptions { time, transport: given(Transport::Udp), ..ClientOptions::default() };
    let scenario = scenario(vec![
        case("first", vec![flow_with("client", options)]),
        case("second", vec![Flow { host: "nowhere".to_owned(), ..flow("client") }]),
    ]);
    let settings = Settings { grace: Duration::from_millis(100), ..settings() };
    run(&scenario, FakeHost::new(client), &settings, &Cancel::new())
}

#[test]
fn a_flow_over_its_time_limit_is_stopped_and_a_timeout() {
    let ran = short(Client::SendsForEver);
    assert_eq!(ran.flow_failure(0, 0).0, FlowFailureKind::Timeout);
    let flow = &ran.result.cases[0].flows[0];
    assert_eq!(flow.sender.as_ref().unwrap().transfer_bytes, 500);
    assert_eq!(flow.receiver.as_ref().unwrap().transfer_bytes, 400);
    assert_eq!(ran.flow_failure(1, 0).0, FlowFailureKind::System);
    assert!(!ran.result.interrupted);
}

#[test]
fn a_client_that_never_ends_holds_up_nobody() {
    let ran = short(Client::Hangs);
    assert_eq!(ran.flow_failure(0, 0).0, FlowFailureKind::Timeout);
    assert_eq!(ran.verdicts().len(), 2);
}

#[test]
fn a_server_that_never_sees_the_end_is_stopped_and_an_error() {
    let ran = short(Client::LeavesItsServerWaiting);
    let (kind, message) = ran.flow_failure(0, 0);
    assert_eq!(kind, FlowFailureKind::Timeout);
    assert!(message.starts_with("the client gave no end of the stream"), "{message}");
}

#[test]
fn a_server_that_cannot_start_fails_the_flows_that_need_it_and_no_others() {
    let busy = |name: &str| Flow {
        server: server(
            Some("busy"),
            "local",
            ServerOptions {
                port: given(PortChoice::Fixed(ports("5001"))),
                ..ServerOptions::default()
            },
        ),
        ..flow(name)
    };
    let scenario = scenario(vec![
        case("mixed", vec![busy("a"), flow("fine"), busy("b")]),
        case("after", vec![flow("client")]),
    ]);
    let host =
        FakeHost { servers: Servers::FindTheirPortInUse, ..FakeHost::new(Client::Transfers) };
    let ran = run(&scenario, host, &settings(), &Cancel::new());
    for flow in [0, 2] {
        let (kind, message) = ran.flow_failure(0, flow);
        assert_eq!(kind, FlowFailureKind::ServerStart);
        assert!(message.contains("end the program that listens on this port"), "{message}");
    }
    assert_eq!(ran.result.cases[0].flows[1].verdict, Verdict::Pass);
    assert_eq!(ran.verdicts(), [Verdict::Error, Verdict::Pass]);
    assert_eq!(ran.clients.len(), 2);
}

#[test]
fn an_interruption_stops_the_traffic_and_skips_the_rest() {
    let scenario = scenario(vec![
        case(
            "interrupted",
            vec![
                flow("running"),
                flow_with(
                    "waiting",
                    ClientOptions {
                        start: given(Seconds(Duration::from_secs(60))),
                        ..ClientOptions::default()
                    },
                ),
            ],
        ),
        case("never", vec![flow("client")]),
    ]);
    let cancel = Cancel::new();
    let interrupt = cancel.clone();
    let host = FakeHost {
        on_traffic: Box::new(move || interrupt.cancel()),
        ..FakeHost::new(Client::SendsForEver)
    };
    let ran = run(&scenario, host, &settings(), &cancel);
    assert_eq!(ran.flow_failure(0, 0).0, FlowFailureKind::Interrupted);
    assert_eq!(ran.flow_failure(0, 1).0, FlowFailureKind::Interrupted);
    let running = &ran.result.cases[0].flows[0];
    assert_eq!(running.sender.as_ref().unwrap().transfer_bytes, 500);
    assert_eq!(running.receiver.as_ref().unwrap().transfer_bytes, 400);
    assert_eq!(ran.verdicts(), [Verdict::Error, Verdict::Skipped]);
    assert_eq!(ran.result.cases[1].reason.as_deref(), Some("interrupted"));
    assert_eq!((ran.result.interrupted, ran.result.exit_code), (true, 130));
    assert_eq!(event_names(&ran.events).iter().filter(|name| **name == "case started").count(), 1);
}

#[test]
fn a_run_can_stop_at_the_first_failure() {
    let cases = ["first", "second"].map(|id| case(id, vec![flow("client")]));
    let scenario = scenario(cases.to_vec());
    let ran = run(&scenario, FakeHost::new(Client::IsRefused), &settings(), &Cancel::new());
    assert_eq!(ran.verdicts(), [Verdict::Error, Verdict::Error]);
    let stop = Settings { after_failure: AfterFailure::Stop, ..settings() };
    let ran = run(&scenario, FakeHost::new(Client::IsRefused), &stop, &Cancel::new());
    assert_eq!(ran.verdicts(), [Verdict::Error, Verdict::Skipped]);
    assert!(ran.result.cases[1].reason.as_ref().unwrap().starts_with("first failed"));
    assert_eq!(ran.result.exit_code, 3);
}

#[test]
fn flows_start_at_their_offsets_and_share_their_server() {
    let shared = |name: &str, start: u64| Flow {
        server: server(Some("sink"), "local", ServerOptions::default()),
        ..flow_with(
            name,
            ClientOptions {
                start: given(Seconds(Duration::from_millis(start))),
                permit_key: given("auto".to_owned()),
                ttl: given(u8::try_from(start).unwrap() + 1),
                ..ClientOptions::default()
            },
        )
    };
    let scenario = scenario(vec![case("case", vec![shared("late", 60), shared("early", 0)])]);
    let ran = run(&scenario, FakeHost::new(Client::Transfers), &settings(), &Cancel::new());
    assert_eq!(ran.verdicts(), [Verdict::Pass]);
    let order: Vec<_> = ran.clients.iter().map(|client| client.socket.ttl).collect();
    assert_eq!(order, [Some(1), Some(61)]);
    assert_eq!(ran.clients[0].server, ran.clients[1].server);
    assert_eq!(ran.clients[0].transport, ran.clients[1].transport, "one fresh key for both");
    let shown = serde_json::to_string(&ran.result).unwrap();
    let ClientTransport::Tcp(tcp) = &ran.clients[0].transport else { panic!("a TCP client") };
    assert!(!shown.contains(&tcp.permit_key.as_ref().expect("a key").0));
}
