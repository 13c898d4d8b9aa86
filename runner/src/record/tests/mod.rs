//! Whole cases, from hand-made engine events to results.

mod agreement;
mod failures;
mod figures;
mod totals;
mod two_ways;

use std::time::Duration;

use super::conclusion::{client_role, server_role};
use super::*;
use crate::engine_config::{ClientNeeds, ServerNeeds, client_config, server_config};
use crate::fixtures::{case, flow_with, given, scenario, server};
use crate::plan::{PlannedCase, Selection, make_plan};
use linerate_engine::config::{ClientConfig, ServerConfig};
use linerate_engine::error::EngineError;
use linerate_engine::event::{
    Datagrams, Event, EventKind, Figures, Interval, Latency, ReceivedMarks, Role, StreamId,
    StreamStarted, TcpSample, Totals,
};
use linerate_schema::results::{
    DatagramCounts, FlowFailureKind, FlowResult, Measurement, ReceiverSource, TcpState, Verdict,
    WriteCounts,
};
use linerate_schema::scenario::{
    ClientOptions, Direction, Flow, PortChoice, ServerOptions, Transport, Way,
};
use linerate_schema::units::{ByteCount, Seconds};

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

impl CaseRecord<'_> {
    fn client_tells(&mut self, flow: usize, kind: EventKind) {
        self.handle_client(flow, Event { at: Duration::ZERO, kind });
    }

    fn server_tells(&mut self, server: usize, kind: EventKind) {
        self.handle_server(server, Event { at: Duration::ZERO, kind });
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
    let needs = ClientNeeds::new(server, case.flows[flow].transport);
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
    let role = totals.as_ref().map(|totals| totals.role);
    EventKind::StreamFailed { stream: StreamId(stream), role, error, totals }
}

/// A flow of one stream whose ends told this, after they had started.
fn one_flow(
    case: &PlannedCase,
    of_client: Vec<EventKind>,
    of_server: Vec<EventKind>,
) -> FlowResult {
    let mut record = record(case);
    for way in case.flows[0].direction.ways() {
        record.client_tells(0, started(1, client_role(*way), CLIENT, SERVER));
    }
    of_client.into_iter().for_each(|event| record.client_tells(0, event));
    if !of_server.is_empty() {
        for way in case.flows[0].direction.ways() {
            record.server_tells(0, started(1, server_role(*way), SERVER, CLIENT));
        }
        of_server.into_iter().for_each(|event| record.server_tells(0, event));
    }
    record.finish().remove(0)
}

fn failure(flow: &FlowResult) -> (FlowFailureKind, &str) {
    assert_eq!(flow.verdict, Verdict::Error);
    let failure = flow.failure.as_ref().expect("a failure");
    (failure.kind, &failure.message)
}
