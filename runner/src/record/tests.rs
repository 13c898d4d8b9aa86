//! Whole cases, from hand-made engine events to results.

use std::time::Duration;

use linerate_engine::config::{ClientConfig, ServerConfig};
use linerate_engine::error::EngineError;
use linerate_engine::event::{
    Datagrams, EventKind, Figures, Interval, Latency, Role, StreamId, StreamStarted, TcpSample,
    Totals,
};
use linerate_schema::results::{
    DatagramCounts, FlowFailureKind, FlowResult, ReceiverSource, TcpState, Verdict, WriteCounts,
};
use linerate_schema::scenario::{
    ClientOptions, Direction, Flow, PortChoice, ServerOptions, Transport,
};
use linerate_schema::units::{ByteCount, Seconds};
use proptest::prelude::*;

use super::*;
use crate::engine_config::{ClientNeeds, ServerNeeds, client_config, server_config};
use crate::fixtures::{case, flow_with, given, scenario, server};
use crate::plan::{PlannedCase, Selection, make_plan};

const SERVER: &str = "127.0.0.1:5001";
const CLIENT: &str = "127.0.0.1:4001";

fn planned(flows: Vec<Flow>) -> PlannedCase {
    let plan = make_plan(&scenario(vec![case("case", flows)]), &Selection::default());
    plan.cases.into_iter().next().expect("one case")
}

fn udp() -> ClientOptions {
    ClientOptions { transport: given(Transport::Udp), ..ClientOptions::default() }
}

fn reverse() -> ClientOptions {
    ClientOptions { direction: given(Direction::Reverse), ..ClientOptions::default() }
}

fn external(options: ClientOptions) -> Flow {
    Flow {
        server: server(None, "legacy", ServerOptions::default()),
        ..flow_with("client", options)
    }
}

/// A record whose clients and servers have been set up as a run does it.
fn record(case: &PlannedCase) -> CaseRecord<'_> {
    let mut record = CaseRecord::new(case, "scenario.yaml");
    for position in 0..case.servers.len() {
        record.server_listens(position, listening(case, position), SERVER.parse().unwrap());
    }
    for flow in 0..case.flows.len() {
        record.client_starts(flow, client(case, flow));
    }
    record
}

fn client(case: &PlannedCase, flow: usize) -> ClientConfig {
    let server = SERVER.parse().unwrap();
    let needs = ClientNeeds { server, transport: case.flows[flow].transport, permit_key: None };
    client_config(&case.case.flows[flow].options, needs).unwrap()
}

fn listening(case: &PlannedCase, server: usize) -> ServerConfig {
    let needs = ServerNeeds {
        transport: case.servers[server].transport,
        port: PortChoice::Auto,
        ipv6: false,
        interval: None,
        longest_gap: Duration::ZERO,
        permit_key: None,
    };
    server_config(&ServerOptions::default(), needs).unwrap()
}

fn started(stream: u32, role: Role, local: &str, peer: &str) -> EventKind {
    EventKind::StreamStarted(StreamStarted {
        stream: StreamId(stream),
        role,
        local: local.parse().unwrap(),
        peer: peer.parse().unwrap(),
        connect_time: Some(Duration::from_millis(2)),
        tcp: None,
        peer_version: Some("2.2.1".to_owned()),
    })
}

fn totals(stream: u32, role: Role, figures: Figures) -> Totals {
    Totals { stream: StreamId(stream), role, duration: Duration::from_secs(10), figures }
}

fn bytes(bytes: u64) -> Figures {
    Figures { bytes, calls: 10, ..Figures::default() }
}

fn ended(stream: u32, role: Role, figures: Figures) -> EventKind {
    EventKind::StreamEnded(totals(stream, role, figures))
}

fn failed(stream: u32, error: EngineError, totals: Option<Totals>) -> EventKind {
    EventKind::StreamFailed { stream: StreamId(stream), error, totals }
}

/// A flow of one stream whose ends told this, after they had started.
fn one_flow(
    case: &PlannedCase,
    of_client: Vec<EventKind>,
    of_server: Vec<EventKind>,
) -> FlowResult {
    let (at_client, at_server) = match case.flows[0].direction {
        Direction::Forward => (Role::Sender, Role::Receiver),
        Direction::Reverse => (Role::Receiver, Role::Sender),
    };
    let mut record = record(case);
    record.handle_client(0, started(1, at_client, CLIENT, SERVER));
    of_client.into_iter().for_each(|event| record.handle_client(0, event));
    if !of_server.is_empty() {
        record.handle_server(0, started(1, at_server, SERVER, CLIENT));
        of_server.into_iter().for_each(|event| record.handle_server(0, event));
    }
    record.finish().remove(0)
}

fn failure(flow: &FlowResult) -> (FlowFailureKind, &str) {
    assert_eq!(flow.verdict, Verdict::Error);
    let failure = flow.failure.as_ref().expect("a failure");
    (failure.kind, &failure.message)
}

#[test]
fn a_forward_flow_has_the_clients_figures_as_sender_and_the_servers_as_receiver() {
    let case = planned(vec![flow_with("client", ClientOptions::default())]);
    let sender = Figures { calls: 80, errors: 1, ..bytes(10_000_000) };
    let flow = one_flow(
        &case,
        vec![ended(1, Role::Sender, sender)],
        vec![ended(1, Role::Receiver, bytes(9_000_000))],
    );
    assert_eq!((flow.verdict, &flow.failure), (Verdict::Pass, &None));
    let (sender, receiver) = (flow.sender.unwrap(), flow.receiver.unwrap());
    assert_eq!(sender.writes, Some(WriteCounts { writes: 80, errors: 1 }));
    assert_eq!((sender.transfer_bytes, sender.reads), (10_000_000, None));
    assert_eq!(receiver.throughput_bits_per_second, 7_200_000.0);
    assert_eq!((receiver.reads, receiver.writes), (Some(10), None));
    assert_eq!(flow.receiver_source, Some(ReceiverSource::Measured));
    let stream = &flow.streams[0];
    assert_eq!(stream.client_address.as_deref(), Some(CLIENT));
    assert_eq!(stream.server_address.as_deref(), Some(SERVER));
    assert_eq!(stream.connect_seconds, Some(0.002));
    assert_eq!(flow.server.port, Some(5001));
    assert_eq!(flow.iperf_client_command, "iperf -c 127.0.0.1 -p 5001 -t 10");
    assert_eq!(flow.iperf_server_command.as_deref(), Some("iperf -s -p 5001"));
    assert_eq!((flow.location.line, flow.location.column), (7, 5));
}

#[test]
fn a_reverse_flow_has_them_the_other_way_round() {
    let case = planned(vec![flow_with("client", reverse())]);
    let flow = one_flow(
        &case,
        vec![ended(1, Role::Receiver, bytes(9_000_000))],
        vec![ended(1, Role::Sender, bytes(10_000_000))],
    );
    assert_eq!(flow.verdict, Verdict::Pass);
    assert_eq!(flow.sender.unwrap().transfer_bytes, 10_000_000);
    assert_eq!(flow.receiver.unwrap().transfer_bytes, 9_000_000);
}

#[test]
fn an_external_tcp_server_passes_by_its_sender_and_has_no_receiver() {
    let case = planned(vec![external(ClientOptions::default())]);
    let flow = one_flow(&case, vec![ended(1, Role::Sender, bytes(1000))], vec![]);
    assert_eq!((flow.verdict, &flow.receiver), (Verdict::Pass, &None));
    assert_eq!((flow.receiver_source, &flow.iperf_server_command), (None, &None));
    let silent = one_flow(&case, vec![ended(1, Role::Sender, bytes(0))], vec![]);
    assert_eq!(failure(&silent).0, FlowFailureKind::NoData);
}

#[test]
fn an_external_udp_server_reports_what_it_received() {
    let case = planned(vec![external(udp())]);
    let sent = Figures {
        datagrams: Some(Datagrams { sent: 100, ..Datagrams::default() }),
        ..bytes(147_000)
    };
    let received = Figures {
        datagrams: Some(Datagrams {
            sent: 100,
            received: 97,
            lost: 3,
            out_of_order: 1,
            duplicates: None,
        }),
        jitter: Some(Duration::from_micros(150)),
        ..bytes(142_590)
    };
    let report = EventKind::ServerReport {
        stream: StreamId(1),
        totals: totals(1, Role::Receiver, received),
    };
    let flow = one_flow(&case, vec![report, ended(1, Role::Sender, sent.clone())], vec![]);
    assert_eq!(flow.verdict, Verdict::Pass);
    assert_eq!(flow.receiver_source, Some(ReceiverSource::ServerReport));
    let counts = DatagramCounts {
        sent: 100,
        received: Some(97),
        lost: Some(3),
        out_of_order: Some(1),
        duplicates: None,
    };
    let receiver = flow.receiver.unwrap();
    assert_eq!(receiver.datagrams, Some(counts));
    assert_eq!(receiver.jitter_seconds, Some(0.000_15));
    let only_sent = DatagramCounts { sent: 100, ..DatagramCounts::default() };
    assert_eq!(flow.sender.unwrap().datagrams, Some(only_sent));

    let after = Duration::from_secs(2);
    let no_report =
        failed(1, EngineError::NoReport { after }, Some(totals(1, Role::Sender, sent.clone())));
    let flow = one_flow(&case, vec![no_report], vec![]);
    assert_eq!(failure(&flow).0, FlowFailureKind::NoReport);
    assert!(flow.sender.is_some() && flow.receiver.is_none());
    let silent = one_flow(&case, vec![ended(1, Role::Sender, sent)], vec![]);
    assert_eq!(failure(&silent).0, FlowFailureKind::NoReport);
}

#[test]
fn a_lost_report_takes_nothing_from_what_our_receiver_measured() {
    let case = planned(vec![flow_with("client", udp())]);
    let after = Duration::from_secs(2);
    let no_report =
        || failed(1, EngineError::NoReport { after }, Some(totals(1, Role::Sender, bytes(1000))));
    let flow = one_flow(&case, vec![no_report()], vec![ended(1, Role::Receiver, bytes(900))]);
    assert_eq!((flow.verdict, &flow.failure), (Verdict::Pass, &None));
    assert_eq!(flow.notes.len(), 1);

    let vanished = EngineError::PeerVanished { reason: "silent for 10 s".to_owned() };
    let partial = failed(1, vanished, Some(totals(1, Role::Receiver, bytes(900))));
    let flow = one_flow(&case, vec![no_report()], vec![partial]);
    let (kind, message) = failure(&flow);
    assert_eq!(kind, FlowFailureKind::NoReport);
    assert!(message.contains("its figures are partial"), "{message}");
    assert_eq!(flow.receiver.unwrap().transfer_bytes, 900);

    let flow = one_flow(&case, vec![no_report()], vec![]);
    assert_eq!(failure(&flow).0, FlowFailureKind::NoData);
}

#[test]
fn a_flow_whose_data_never_arrived_is_an_error() {
    let udp = planned(vec![flow_with("client", udp())]);
    let unseen = one_flow(&udp, vec![ended(1, Role::Sender, bytes(1000))], vec![]);
    assert_eq!(failure(&unseen).0, FlowFailureKind::NoData);
    assert!(unseen.receiver.is_none());
    let none = Figures { datagrams: Some(Datagrams::default()), ..bytes(0) };
    let empty = one_flow(
        &udp,
        vec![ended(1, Role::Sender, bytes(1000))],
        vec![ended(1, Role::Receiver, none)],
    );
    assert_eq!(failure(&empty).0, FlowFailureKind::NoData);

    let tcp = planned(vec![flow_with("client", ClientOptions::default())]);
    let only_header = one_flow(
        &tcp,
        vec![ended(1, Role::Sender, bytes(131_072))],
        vec![ended(1, Role::Receiver, bytes(64))],
    );
    let (kind, message) = failure(&only_header);
    assert_eq!(kind, FlowFailureKind::NoData);
    assert!(message.contains("only the test header (64 bytes)"), "{message}");
    let short = one_flow(
        &tcp,
        vec![ended(1, Role::Sender, bytes(100))],
        vec![ended(1, Role::Receiver, bytes(100))],
    );
    assert_eq!(short.verdict, Verdict::Pass);
}

#[test]
fn a_server_that_stops_sending_early_is_an_error_even_in_good_form() {
    let timed = ClientOptions { time: given(Seconds(Duration::from_secs(20))), ..reverse() };
    let case = planned(vec![external(timed)]);
    let flow = one_flow(&case, vec![ended(1, Role::Receiver, bytes(1000))], vec![]);
    let (kind, message) = failure(&flow);
    assert_eq!(kind, FlowFailureKind::PeerVanished);
    assert!(message.contains("after 10.00 of 20.00 s"), "{message}");

    let amount = ClientOptions { bytes: given(ByteCount(1001)), ..reverse() };
    let case = planned(vec![external(amount)]);
    let flow = one_flow(&case, vec![ended(1, Role::Receiver, bytes(1000))], vec![]);
    assert!(failure(&flow).1.contains("after 1000 of 1001 bytes"));
    let flow = one_flow(&case, vec![ended(1, Role::Receiver, bytes(1001))], vec![]);
    assert_eq!(flow.verdict, Verdict::Pass);
}

#[test]
fn every_engine_error_says_what_happened_and_what_to_do() {
    let case = planned(vec![flow_with("client", ClientOptions::default())]);
    let after = Duration::from_secs(10);
    let reason = || "the system's words".to_owned();
    let errors = [
        EngineError::Refused,
        EngineError::ConnectTimeout { after },
        EngineError::Unreachable { reason: reason() },
        EngineError::KeyRefused,
        EngineError::PeerVanished { reason: reason() },
        EngineError::NoReport { after },
        EngineError::NoData { after },
        EngineError::Protocol { reason: reason() },
        EngineError::System { operation: "set the window".to_owned(), reason: reason() },
        EngineError::Cancelled,
    ];
    let lines = errors.map(|error| {
        let mut record = record(&case);
        record.handle_client(0, failed(1, error, None));
        let flow = record.finish().remove(0);
        let (kind, message) = failure(&flow);
        format!("{}: {message}", kind.as_str())
    });
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_end_that_knows_the_cause_is_believed() {
    let case = planned(vec![flow_with("client", ClientOptions::default())]);
    let vanished = || EngineError::PeerVanished { reason: "connection reset".to_owned() };
    let flow = one_flow(
        &case,
        vec![failed(1, vanished(), None)],
        vec![failed(1, EngineError::KeyRefused, None)],
    );
    assert_eq!(failure(&flow).0, FlowFailureKind::KeyRefused);
    let flow = one_flow(
        &case,
        vec![ended(1, Role::Sender, bytes(1000))],
        vec![failed(1, vanished(), Some(totals(1, Role::Receiver, bytes(500))))],
    );
    let (kind, message) = failure(&flow);
    assert_eq!(kind, FlowFailureKind::PeerVanished);
    assert!(message.starts_with("the client ended before its time"), "{message}");
    assert_eq!(flow.receiver.unwrap().transfer_bytes, 500);
}

#[test]
fn a_flow_that_was_interrupted_keeps_its_partial_figures() {
    let case = planned(vec![flow_with("client", ClientOptions::default())]);
    let mut record = record(&case);
    record.handle_client(0, started(1, Role::Sender, CLIENT, SERVER));
    record.handle_server(0, started(1, Role::Receiver, SERVER, CLIENT));
    record.flow_is_cut_short(0, CutShort::Interrupted);
    let of = |role, count| Some(totals(1, role, bytes(count)));
    record.handle_client(0, failed(1, EngineError::Cancelled, of(Role::Sender, 700)));
    record.handle_server(0, failed(1, EngineError::Cancelled, of(Role::Receiver, 600)));
    let flow = record.finish().remove(0);
    assert_eq!(failure(&flow).0, FlowFailureKind::Interrupted);
    assert_eq!(flow.streams[0].failure, flow.failure);
    assert_eq!(flow.receiver.unwrap().transfer_bytes, 600);
}

#[test]
fn a_flow_over_its_time_limit_is_a_timeout_whatever_its_ends_say() {
    let case = planned(vec![flow_with("client", ClientOptions::default())]);
    let mut record = record(&case);
    record.handle_client(0, started(1, Role::Sender, CLIENT, SERVER));
    record.flow_is_cut_short(0, CutShort::TimeLimit(Duration::from_secs(40)));
    let flow = record.finish().remove(0);
    let (kind, message) = failure(&flow);
    assert_eq!(kind, FlowFailureKind::Timeout);
    assert!(message.contains("within 40 s"), "{message}");
}

#[test]
fn one_failed_stream_of_several_fails_the_flow_and_is_named() {
    let options = ClientOptions { parallel: given(2), ..ClientOptions::default() };
    let case = planned(vec![flow_with("client", options)]);
    let ports = ["127.0.0.1:4001", "127.0.0.1:4002"];
    let mut record = record(&case);
    for (stream, port) in (1..).zip(ports) {
        record.handle_client(0, started(stream, Role::Sender, port, SERVER));
        record.handle_server(0, started(stream, Role::Receiver, SERVER, port));
    }
    record.handle_client(0, ended(1, Role::Sender, bytes(1000)));
    record.handle_server(0, ended(1, Role::Receiver, bytes(1000)));
    let vanished = EngineError::PeerVanished { reason: "reset".to_owned() };
    record.handle_client(0, failed(2, vanished.clone(), None));
    assert_eq!(record.server_progress(), ServerProgress::Orphaned);
    record.handle_server(0, failed(2, vanished, None));
    assert_eq!(record.server_progress(), ServerProgress::Done);
    let flow = record.finish().remove(0);
    let (kind, message) = failure(&flow);
    assert_eq!(kind, FlowFailureKind::PeerVanished);
    assert!(message.starts_with("stream 2 of 2: "), "{message}");
    assert_eq!(flow.receiver.unwrap().transfer_bytes, 1000);
}

#[test]
fn a_stream_that_never_came_to_be_fails_the_flow() {
    let options = ClientOptions { parallel: given(2), ..ClientOptions::default() };
    let case = planned(vec![flow_with("client", options)]);
    let flow = one_flow(
        &case,
        vec![ended(1, Role::Sender, bytes(1000))],
        vec![ended(1, Role::Receiver, bytes(1000))],
    );
    assert!(failure(&flow).1.contains("only 1 of 2 streams ran"));
}

#[test]
fn servers_are_awaited_only_for_streams_that_have_begun() {
    let case = planned(vec![flow_with("client", ClientOptions::default())]);
    let mut record = record(&case);
    assert_eq!(record.server_progress(), ServerProgress::Done);
    record.handle_client(0, started(1, Role::Sender, CLIENT, SERVER));
    assert_eq!(record.server_progress(), ServerProgress::Orphaned);
    record.handle_client(0, ended(1, Role::Sender, bytes(1)));
    assert_eq!(record.server_progress(), ServerProgress::Missing);
    record.handle_server(0, started(1, Role::Receiver, SERVER, "127.0.0.1:9"));
    assert_eq!(record.flow_of(0, StreamId(1)), None);
    record.handle_server(0, started(2, Role::Receiver, SERVER, CLIENT));
    assert_eq!(record.server_progress(), ServerProgress::Running);
    assert_eq!(record.flow_of(0, StreamId(2)), Some(0));
    assert_eq!(record.flows_in_progress(), [0]);
    record.handle_server(0, ended(2, Role::Receiver, bytes(1)));
    assert_eq!(record.server_progress(), ServerProgress::Done);
    let notes = record.finish().remove(0).notes;
    assert_eq!(notes, ["the server also served 1 stream of clients outside this case"]);
}

#[test]
fn intervals_of_both_ends_are_kept_and_lose_at_least_nothing() {
    let case = planned(vec![flow_with("client", udp())]);
    let interval = |role, start: u64, lost| {
        let datagrams = Datagrams { sent: 10, received: 10, lost, ..Datagrams::default() };
        EventKind::Interval(Interval {
            stream: StreamId(1),
            role,
            start: Duration::from_secs(start),
            end: Duration::from_secs(start + 1),
            figures: Figures { datagrams: Some(datagrams), ..bytes(14_700) },
        })
    };
    let flow = one_flow(
        &case,
        vec![interval(Role::Sender, 0, 0), ended(1, Role::Sender, bytes(29_400))],
        vec![
            interval(Role::Receiver, 0, 2),
            interval(Role::Receiver, 1, -2),
            ended(1, Role::Receiver, bytes(29_400)),
        ],
    );
    let stream = &flow.streams[0];
    assert_eq!(stream.sender_intervals.len(), 1);
    let lost: Vec<_> = stream
        .receiver_intervals
        .iter()
        .map(|interval| interval.measurement.datagrams.unwrap().lost)
        .collect();
    assert_eq!(lost, [Some(2), Some(0)]);
    assert_eq!(stream.receiver_intervals[1].start_seconds, 1.0);
    assert_eq!(stream.receiver_intervals[1].measurement.throughput_bits_per_second, 117_600.0);
}

#[test]
fn remarks_reach_the_flow_they_are_about() {
    let named = |name: &str| Flow {
        server: server(Some("sink"), "local", ServerOptions::default()),
        ..flow_with(name, ClientOptions::default())
    };
    let case = planned(vec![named("a"), named("b")]);
    let mut record = record(&case);
    for (flow, port) in ["127.0.0.1:4001", "127.0.0.1:4002"].into_iter().enumerate() {
        let stream = u32::try_from(flow).unwrap() + 1;
        record.handle_client(flow, started(1, Role::Sender, port, SERVER));
        record.handle_server(0, started(stream, Role::Receiver, SERVER, port));
    }
    let note = |stream: Option<u32>, text: &str| EventKind::Note {
        stream: stream.map(StreamId),
        text: text.to_owned(),
    };
    record.handle_client(0, note(Some(1), "the window was rounded"));
    record.handle_server(0, note(Some(2), "the MSS was refused"));
    record.handle_server(0, note(None, "no receive offload"));
    let flows = record.finish();
    assert_eq!(flows[0].notes, ["stream 1: the window was rounded", "server: no receive offload"]);
    assert_eq!(flows[1].notes, ["server: the MSS was refused", "server: no receive offload"]);
}

#[test]
fn a_single_datagram_has_no_rate_and_odd_latencies_are_left_out() {
    let latency = Latency { count: 1, mean: f64::NAN, ..Latency::default() };
    let figures = Figures { latency: Some(latency), ..bytes(1470) };
    let instant = Totals { duration: Duration::ZERO, ..totals(1, Role::Receiver, figures) };
    let measurement = measurement(&instant);
    assert_eq!(measurement.throughput_bits_per_second, 0.0);
    assert_eq!(measurement.latency, None);
}

fn any_figures() -> impl Strategy<Value = Figures> {
    let tcp = (1_u64..1_000_000, 0_u64..1000, 1000_u64..10_000_000, 500_u32..1500);
    (1_u64..1 << 40, 1_u64..1 << 30, 0_u64..1000, 0_u64..1000, tcp, 0_u64..10_000).prop_map(
        |(bytes, calls, received, lost, (rtt, retransmits, window, mss), jitter)| Figures {
            bytes,
            calls,
            errors: lost,
            datagrams: Some(Datagrams {
                sent: received + lost,
                received,
                lost: i64::try_from(lost).unwrap(),
                out_of_order: lost / 2,
                duplicates: Some(lost / 3),
            }),
            jitter: Some(Duration::from_micros(jitter)),
            latency: Some(Latency {
                count: received + 1,
                negative: 0,
                mean: 0.002,
                min: 0.001,
                max: 0.003,
                stdev: 0.0001,
                bins: vec![(2_000_000, received + 1)],
            }),
            tcp: Some(TcpSample {
                rtt: Duration::from_micros(rtt),
                rtt_variation: Duration::from_micros(rtt / 2),
                retransmits,
                congestion_window: window,
                mss,
            }),
        },
    )
}

proptest! {
    #[test]
    fn totals_are_the_sum_of_the_streams(
        streams in prop::collection::vec((any_figures(), 1_u64..100_000), 1..6)
    ) {
        let options = ClientOptions { parallel: given(6), ..ClientOptions::default() };
        let case = planned(vec![flow_with("client", options)]);
        let mut record = record(&case);
        for (stream, (figures, milliseconds)) in (1_u32..).zip(&streams) {
            let local = format!("127.0.0.1:{}", 4000 + stream);
            record.handle_client(0, started(stream, Role::Sender, &local, SERVER));
            record.handle_server(0, started(stream, Role::Receiver, SERVER, &local));
            let duration = Duration::from_millis(*milliseconds);
            for role in [Role::Sender, Role::Receiver] {
                let totals = Totals { stream: StreamId(stream), role, duration, figures: figures.clone() };
                match role {
                    Role::Sender => record.handle_client(0, EventKind::StreamEnded(totals)),
                    Role::Receiver => record.handle_server(0, EventKind::StreamEnded(totals)),
                }
            }
        }
        let flow = record.finish().remove(0);
        let (sender, receiver) = (flow.sender.unwrap(), flow.receiver.unwrap());
        let sum = |of: fn(&Figures) -> u64| streams.iter().map(|(figures, _)| of(figures)).sum::<u64>();
        let rates: f64 = flow.streams.iter().map(|s| s.receiver.as_ref().unwrap().throughput_bits_per_second).sum();

        prop_assert_eq!(receiver.transfer_bytes, sum(|f| f.bytes));
        prop_assert!((receiver.throughput_bits_per_second - rates).abs() <= rates * 1e-12);
        let longest = streams.iter().map(|(_, milliseconds)| *milliseconds).max().unwrap();
        prop_assert!((receiver.duration_seconds - longest as f64 / 1e3).abs() < 1e-9);
        let counts = receiver.datagrams.unwrap();
        prop_assert_eq!(counts.received, Some(sum(|f| f.datagrams.unwrap().received)));
        prop_assert_eq!(counts.lost, Some(sum(|f| f.datagrams.unwrap().lost.unsigned_abs())));
        prop_assert_eq!(counts.sent, counts.received.unwrap() + counts.lost.unwrap());
        prop_assert_eq!(sender.datagrams.unwrap().sent, counts.sent);
        prop_assert_eq!(receiver.latency.unwrap().samples, sum(|f| f.latency.as_ref().unwrap().count));
        let worst = streams.iter().filter_map(|(figures, _)| figures.jitter).max().unwrap();
        prop_assert_eq!(receiver.jitter_seconds, Some(worst.as_secs_f64()));
        prop_assert_eq!(sender.writes, Some(WriteCounts { writes: sum(|f| f.calls), errors: sum(|f| f.errors) }));
        prop_assert_eq!(receiver.reads, Some(sum(|f| f.calls)));
        let TcpState { rtt_seconds, retransmits, congestion_window_bytes, mss_bytes, .. } = sender.tcp.unwrap();
        prop_assert_eq!(retransmits, sum(|f| f.tcp.unwrap().retransmits));
        prop_assert_eq!(congestion_window_bytes, sum(|f| f.tcp.unwrap().congestion_window));
        prop_assert_eq!(u64::from(mss_bytes), streams.iter().map(|(f, _)| u64::from(f.tcp.unwrap().mss)).min().unwrap());
        let mean = streams.iter().map(|(f, _)| f.tcp.unwrap().rtt.as_secs_f64()).sum::<f64>() / streams.len() as f64;
        prop_assert!((rtt_seconds - mean).abs() < 1e-12);
    }
}
