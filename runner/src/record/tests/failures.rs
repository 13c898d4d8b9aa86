use super::*;

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
        record.client_tells(0, failed(1, error, None));
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
    record.client_tells(0, started(1, Role::Sender, CLIENT, SERVER));
    record.server_tells(0, started(1, Role::Receiver, SERVER, CLIENT));
    record.flow_is_cut_short(0, CutShort::Interrupted);
    let of = |role, count| Some(totals(1, role, bytes(count)));
    record.client_tells(0, failed(1, EngineError::Cancelled, of(Role::Sender, 700)));
    record.server_tells(0, failed(1, EngineError::Cancelled, of(Role::Receiver, 600)));
    let flow = record.finish().remove(0);
    assert_eq!(failure(&flow).0, FlowFailureKind::Interrupted);
    assert_eq!(flow.streams[0].failure, flow.failure);
    assert_eq!(flow.receiver.unwrap().transfer_bytes, 600);
}

#[test]
fn a_flow_over_its_time_limit_is_a_timeout_whatever_its_ends_say() {
    let case = planned(vec![flow_with("client", ClientOptions::default())]);
    let mut record = record(&case);
    record.client_tells(0, started(1, Role::Sender, CLIENT, SERVER));
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
        record.client_tells(0, started(stream, Role::Sender, port, SERVER));
        record.server_tells(0, started(stream, Role::Receiver, SERVER, port));
    }
    record.client_tells(0, ended(1, Role::Sender, bytes(1000)));
    record.server_tells(0, ended(1, Role::Receiver, bytes(1000)));
    let vanished = EngineError::PeerVanished { reason: "reset".to_owned() };
    record.client_tells(0, failed(2, vanished.clone(), None));
    assert_eq!(record.server_progress(), ServerProgress::Orphaned);
    record.server_tells(0, failed(2, vanished, None));
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
fn a_server_that_got_every_byte_of_a_regular_client_cannot_have_lost_it() {
    let case = planned(vec![flow_with("client", ClientOptions::default())]);
    let with_arrived = |arrived| {
        let late = EngineError::PeerVanished { reason: "it closed after 0.1 s of 1 s".to_owned() };
        let of_server = Some(totals(1, Role::Receiver, bytes(arrived)));
        one_flow(&case, vec![ended(1, Role::Sender, bytes(1000))], vec![failed(1, late, of_server)])
    };
    assert_eq!(with_arrived(1000).failure, None);
    assert_eq!(failure(&with_arrived(999)).0, FlowFailureKind::PeerVanished);
}

#[test]
fn a_peer_that_does_not_come_to_its_end_is_not_said_to_have_ended() {
    let case = planned(vec![external(ClientOptions::default())]);
    let message = |reason: &str| {
        let error = EngineError::PeerVanished { reason: reason.to_owned() };
        let totals = Some(totals(1, Role::Sender, bytes(1000)));
        let flow = one_flow(&case, vec![failed(1, error, totals)], vec![]);
        failure(&flow).1.to_owned()
    };
    let lingers = message("it did not close the connection within 10.1 s of the end");
    assert!(lingers.contains("did not end in time (it did not close"), "{lingers}");
    let key = message("it reset the connection without having acknowledged the test");
    assert!(key.ends_with("if it asks for a permit key, give one"), "{key}");
}

#[test]
fn what_the_system_refuses_to_one_stream_is_the_message_of_the_flow() {
    let options = ClientOptions { parallel: given(3), ..ClientOptions::default() };
    let case = planned(vec![flow_with("client", options)]);
    let mut record = record(&case);
    let vanished = EngineError::PeerVanished { reason: "reset".to_owned() };
    record.client_tells(0, failed(1, vanished, None));
    for stream in [2, 3] {
        let error = EngineError::System {
            operation: "create a socket".to_owned(),
            reason: "Too many open files (os error 24)".to_owned(),
        };
        record.client_tells(0, failed(stream, error, None));
    }
    let flow = record.finish().remove(0);
    let (kind, message) = failure(&flow);
    assert_eq!(kind, FlowFailureKind::System);
    assert!(
        message.starts_with("2 of 3 streams: failed to create a socket: Too many"),
        "{message}"
    );
    assert!(
        message.contains("ulimit -n") && message.ends_with("(and 1 for other reasons)"),
        "{message}"
    );
}
