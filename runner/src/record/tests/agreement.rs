use super::*;

fn datagrams(sent: u64, received: u64, length: u64) -> Figures {
    let lost = i64::try_from(sent - received).unwrap();
    let datagrams = Datagrams { sent, received, lost, ..Datagrams::default() };
    Figures { datagrams: Some(datagrams), ..bytes(received * length) }
}

fn report_of(figures: Figures, seconds: u64) -> EventKind {
    let duration = Duration::from_secs(seconds);
    let totals = Totals { duration, ..totals(1, Role::Receiver, figures) };
    EventKind::ServerReport { stream: StreamId(1), totals }
}

#[test]
fn a_report_that_covers_a_part_of_the_datagrams_is_an_error_with_partial_figures() {
    let case = planned(vec![external(udp())]);
    let sent = || ended(1, Role::Sender, datagrams(171, 171, 1470));
    let flow = one_flow(&case, vec![report_of(datagrams(85, 85, 1470), 10), sent()], vec![]);
    let (kind, message) = failure(&flow);
    assert_eq!(kind, FlowFailureKind::PeerVanished);
    assert!(message.contains("cover 85 of 171 datagrams"), "{message}");
    assert_eq!(flow.receiver.unwrap().datagrams.unwrap().received, Some(85));
    let flow = one_flow(&case, vec![report_of(datagrams(171, 85, 1470), 10), sent()], vec![]);
    assert_eq!(flow.verdict, Verdict::Pass);
}

#[test]
fn a_report_over_a_part_of_the_time_is_an_error_unless_loss_explains_it() {
    let case = planned(vec![external(udp())]);
    let reported = |received, seconds| {
        let sent = ended(1, Role::Sender, datagrams(1000, 1000, 1470));
        let report = report_of(datagrams(1000, received, 1470), seconds);
        one_flow(&case, vec![report, sent], vec![])
    };
    let short = reported(1000, 5);
    let (kind, message) = failure(&short);
    assert_eq!(kind, FlowFailureKind::PeerVanished);
    assert!(message.contains("cover 5.00 of 10.00 s"), "{message}");
    assert_eq!(reported(500, 5).verdict, Verdict::Pass);
    assert_eq!(reported(1000, 9).verdict, Verdict::Pass);
}

#[test]
fn sequence_numbers_that_the_sender_never_sent_are_no_loss() {
    let case = planned(vec![flow_with("client", udp())]);
    let flow = one_flow(
        &case,
        vec![ended(1, Role::Sender, datagrams(100, 100, 1470))],
        vec![ended(1, Role::Receiver, datagrams(2_000_000, 101, 1470))],
    );
    let (kind, message) = failure(&flow);
    assert_eq!(kind, FlowFailureKind::Protocol);
    assert!(message.contains("sequence numbers that the sender never sent"), "{message}");
}

#[test]
fn a_udp_server_that_stops_before_the_bytes_asked_for_is_an_error_and_loss_is_not() {
    let amount = ClientOptions {
        transport: given(Transport::Udp),
        bytes: given(ByteCount(1_000_000)),
        ..reverse()
    };
    let case = planned(vec![external(amount)]);
    let got = |figures| one_flow(&case, vec![ended(1, Role::Receiver, figures)], vec![]);
    let early = got(datagrams(248, 248, 1470));
    let (kind, message) = failure(&early);
    assert_eq!(kind, FlowFailureKind::PeerVanished);
    assert!(message.contains("after 364560 of 1000000 bytes"), "{message}");
    assert_eq!(failure(&got(datagrams(300, 248, 1470))).0, FlowFailureKind::PeerVanished);
    assert_eq!(got(datagrams(681, 248, 1470)).verdict, Verdict::Pass);
}

#[test]
fn an_answer_of_somebody_else_than_our_server_is_an_error() {
    let cases = [
        (ClientOptions::default(), Role::Sender),
        (reverse(), Role::Receiver),
        (udp(), Role::Sender),
        (ClientOptions { transport: given(Transport::Udp), ..reverse() }, Role::Receiver),
    ];
    for (options, role) in cases {
        let is_udp = role == Role::Sender && options.transport == given(Transport::Udp);
        let case = planned(vec![flow_with("client", options)]);
        let mut told = vec![ended(1, role, datagrams(100, 100, 1470))];
        if is_udp {
            told.insert(0, report_of(datagrams(100, 100, 1470), 10));
        }
        let flow = one_flow(&case, told, vec![]);
        let (kind, message) = failure(&flow);
        assert_eq!(kind, FlowFailureKind::NoData);
        assert!(message.contains("saw nothing of this flow"), "{message}");
    }
}

/// Our flow of 100 datagrams got no report, and a stream of somebody else, from `peer`, was at our server.
fn lost_beside_a_stranger(peer: &str, figures: Figures, early: bool) -> FlowResult {
    let case = planned(vec![flow_with("client", udp())]);
    let mut record = record(&case);
    let server = [started(1, Role::Receiver, SERVER, peer), ended(1, Role::Receiver, figures)];
    if early {
        server.clone().into_iter().for_each(|event| record.server_tells(0, event));
        record.client_starts(0, client(&case, 0));
    }
    record.client_tells(0, started(1, Role::Sender, CLIENT, SERVER));
    let sent = Some(totals(1, Role::Sender, datagrams(100, 100, 1470)));
    let after = Duration::from_secs(2);
    record.client_tells(0, failed(1, EngineError::NoReport { after }, sent));
    if !early {
        server.into_iter().for_each(|event| record.server_tells(0, event));
    }
    record.finish().remove(0)
}

#[test]
fn a_stranger_never_stands_in_for_a_flow_that_was_lost() {
    let alike = || datagrams(100, 100, 1470);
    let cases = [
        ("10.9.9.9:4001", alike(), false),
        ("10.9.9.9:77", alike(), false),
        ("10.9.9.9:77", datagrams(200, 200, 1470), false),
        (CLIENT, alike(), true),
    ];
    for (peer, figures, early) in cases {
        let flow = lost_beside_a_stranger(peer, figures, early);
        assert_eq!(flow.verdict, Verdict::Error, "{peer} {early}");
    }
    let flow = lost_beside_a_stranger("10.9.9.9:77", datagrams(200, 200, 1470), false);
    assert!(flow.receiver.is_none());
    assert_eq!(lost_beside_a_stranger(CLIENT, alike(), false).verdict, Verdict::Pass);
}
