use super::*;

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
            ..Datagrams::default()
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
        ..DatagramCounts::default()
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
fn servers_are_awaited_only_for_streams_that_have_begun() {
    let case = planned(vec![flow_with("client", ClientOptions::default())]);
    let mut record = record(&case);
    assert_eq!(record.server_progress(), ServerProgress::Done);
    record.client_tells(0, started(1, Role::Sender, CLIENT, SERVER));
    assert_eq!(record.server_progress(), ServerProgress::Orphaned);
    record.client_tells(0, ended(1, Role::Sender, bytes(1)));
    assert_eq!(record.server_progress(), ServerProgress::Missing);
    record.server_tells(0, started(1, Role::Receiver, SERVER, "127.0.0.1:9"));
    assert_eq!(record.flow_of(0, StreamId(1)), None);
    record.server_tells(0, started(2, Role::Receiver, SERVER, CLIENT));
    assert_eq!(record.server_progress(), ServerProgress::Running);
    assert_eq!(record.flow_of(0, StreamId(2)), Some(0));
    assert_eq!(record.flows_in_progress(), [0]);
    record.server_tells(0, ended(2, Role::Receiver, bytes(1)));
    assert_eq!(record.server_progress(), ServerProgress::Done);
    let notes = record.finish().remove(0).notes;
    assert_eq!(notes, ["the server also served 1 stream of clients outside this case"]);
}

#[test]
fn intervals_of_both_ends_are_kept_and_late_datagrams_are_lost_in_none() {
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
            interval(Role::Receiver, 0, 3),
            interval(Role::Receiver, 1, 2),
            interval(Role::Receiver, 2, -4),
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
    assert_eq!(lost, [Some(1), Some(0), Some(0)]);
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
        record.client_tells(flow, started(1, Role::Sender, port, SERVER));
        record.server_tells(0, started(stream, Role::Receiver, SERVER, port));
    }
    let note = |stream: Option<u32>, text: &str| EventKind::Note {
        stream: stream.map(StreamId),
        text: text.to_owned(),
    };
    record.client_tells(0, note(Some(1), "the window was rounded"));
    record.server_tells(0, note(Some(2), "the MSS was refused"));
    record.server_tells(0, note(None, "no receive offload"));
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
