//! Flows whose data goes both ways.

use super::*;

fn duplex() -> PlannedCase {
    let options = ClientOptions { direction: given(Direction::FullDuplex), ..udp() };
    planned(vec![flow_with("client", options)])
}

fn failed_as(role: Role, error: EngineError, totals: Option<Totals>) -> EventKind {
    EventKind::StreamFailed { stream: StreamId(1), role: Some(role), error, totals }
}

fn lossy(sent: u64, lost: u64) -> Figures {
    let datagrams = Datagrams {
        sent,
        received: sent - lost,
        lost: i64::try_from(lost).unwrap(),
        out_of_order: 0,
        duplicates: Some(0),
        ..Datagrams::default()
    };
    Figures { datagrams: Some(datagrams), ..bytes((sent - lost) * 1470) }
}

#[test]
fn each_way_has_its_senders_and_its_receivers_figures() {
    let case = duplex();
    let flow = one_flow(
        &case,
        vec![ended(1, Role::Sender, lossy(100, 0)), ended(1, Role::Receiver, lossy(200, 7))],
        vec![ended(1, Role::Receiver, lossy(100, 3)), ended(1, Role::Sender, lossy(200, 0))],
    );
    assert_eq!((flow.verdict, &flow.failure), (Verdict::Pass, &None));
    let lost = |receiver: Option<&Measurement>| receiver.unwrap().datagrams.unwrap().lost;
    let sent = |sender: Option<&Measurement>| sender.unwrap().datagrams.unwrap().sent;
    let [forward, reverse] = [Way::Forward, Way::Reverse].map(|way| flow.way(way).unwrap());
    assert_eq!((sent(forward.sender), lost(forward.receiver)), (100, Some(3)));
    assert_eq!((sent(reverse.sender), lost(reverse.receiver)), (200, Some(7)));
    assert_eq!(reverse.receiver_source, Some(ReceiverSource::Measured));
    let stream = flow.streams[0].way(Way::Reverse, flow.direction).unwrap();
    assert_eq!((sent(stream.sender), lost(stream.receiver)), (200, Some(7)));
    assert_eq!((stream.client_address, stream.server_address), (Some(CLIENT), Some(SERVER)));
}

#[test]
fn a_flow_of_one_way_has_no_way_back() {
    let case = planned(vec![flow_with("client", udp())]);
    let flow = one_flow(
        &case,
        vec![ended(1, Role::Sender, lossy(100, 0))],
        vec![ended(1, Role::Receiver, lossy(100, 3))],
    );
    assert_eq!((flow.reverse.as_ref(), flow.streams[0].reverse.as_ref()), (None, None));
    assert_eq!(flow.way(Way::Reverse), None);
    assert!(flow.way(Way::Forward).is_some());
}

#[test]
fn the_way_that_failed_is_named() {
    let no_data =
        || failed_as(Role::Receiver, EngineError::NoData { after: Duration::from_secs(2) }, None);
    let case = duplex();
    let flow = one_flow(
        &case,
        vec![ended(1, Role::Sender, lossy(100, 0)), no_data()],
        vec![ended(1, Role::Receiver, lossy(100, 3)), ended(1, Role::Sender, lossy(200, 0))],
    );
    let (kind, message) = failure(&flow);
    assert_eq!(kind, FlowFailureKind::NoData);
    insta::assert_snapshot!(message);
    assert!(flow.receiver.is_some(), "the way that worked keeps its figures");

    let vanished = EngineError::PeerVanished { reason: "its port became unreachable".to_owned() };
    let flow = one_flow(
        &case,
        vec![
            failed_as(Role::Sender, vanished, None),
            failed_as(Role::Receiver, EngineError::Refused, None),
        ],
        vec![],
    );
    let (kind, message) = failure(&flow);
    assert_eq!(kind, FlowFailureKind::Refused, "it tells more than that the peer vanished");
    assert!(!message.starts_with("reverse"), "{message}");
}

#[test]
fn a_stream_that_never_began_fails_both_ways_at_once() {
    let case = duplex();
    let mut record = record(&case);
    record.client_tells(0, failed(1, EngineError::Refused, None));
    assert_eq!(failure(&record.finish()[0]).0, FlowFailureKind::Refused);
}

#[test]
fn a_server_is_done_when_both_of_its_roles_are() {
    let case = duplex();
    let mut record = record(&case);
    for role in [Role::Sender, Role::Receiver] {
        record.client_tells(0, started(1, role, CLIENT, SERVER));
        record.server_tells(0, started(1, role, SERVER, CLIENT));
        record.client_tells(0, ended(1, role, lossy(100, 0)));
    }
    record.server_tells(0, ended(1, Role::Receiver, lossy(100, 0)));
    assert_eq!(record.server_progress(), ServerProgress::Running);
    assert_eq!(record.flows_in_progress(), [0]);
    record.server_tells(0, ended(1, Role::Sender, lossy(100, 0)));
    assert_eq!(record.server_progress(), ServerProgress::Done);
}

#[test]
fn an_external_server_tells_nothing_of_what_it_received() {
    let options = ClientOptions { direction: given(Direction::FullDuplex), ..udp() };
    let case = planned(vec![external(options)]);
    let flow = one_flow(
        &case,
        vec![ended(1, Role::Sender, lossy(100, 0)), ended(1, Role::Receiver, lossy(200, 7))],
        vec![],
    );
    assert_eq!((flow.verdict, &flow.failure), (Verdict::Pass, &None));
    assert_eq!(flow.receiver, None);
    let reverse = flow.reverse.unwrap();
    assert!(reverse.receiver.is_some() && reverse.sender.is_none());
}
