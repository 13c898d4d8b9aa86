//! Servers of this engine against clients made by hand.

use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

use linerate_engine::config::{ServerConfig, ServerTransport, SocketOptions, UdpServerOptions};
use linerate_engine::error::EngineError;
use linerate_engine::event::{Event, EventKind, Role};
use linerate_engine::net::Server;
use linerate_engine::wire::payload::fill_digits;
use linerate_engine::wire::udp::{DatagramPrefix, FinAnswer, FinReport, TestHeader};
use linerate_engine::wire::{Amount, BaseFlags, Extension, UpperFlags, Version, WireTime};

use crate::events::{Events, PATIENCE, datagrams, server_config, start_server};

const LENGTH: usize = 300;

/// A client whose clock counts its datagrams.
struct Client {
    socket: UdpSocket,
    header: Option<TestHeader>,
    clock: u32,
}

impl Client {
    fn new(server: &Server, header: Option<TestHeader>) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        socket.connect(server.address()).expect("connected");
        Self { socket, header, clock: 1_800_000_000 }
    }

    fn send(&mut self, sequence: i64) {
        self.clock += 1;
        self.send_at(sequence, self.clock);
    }

    /// Sends a datagram with the time `seconds`.
    fn send_at(&self, sequence: i64, seconds: u32) {
        let mut datagram = [0; LENGTH];
        fill_digits(&mut datagram);
        if let Some(header) = &self.header {
            header.encode_over(&mut datagram);
        }
        let sent = WireTime { seconds, microseconds: 0 };
        DatagramPrefix { sequence, sent }.encode_over(&mut datagram);
        self.socket.send(&datagram).expect("sent");
    }

    fn receive(&self) -> Vec<u8> {
        let mut buffer = [0; 2048];
        let length = self.socket.recv(&mut buffer).expect("an answer");
        buffer[..length].to_vec()
    }

    fn report(&self) -> FinReport {
        match FinAnswer::classify(&self.receive()) {
            FinAnswer::Report(report) => report,
            other => panic!("no report: {other:?}"),
        }
    }

    fn hears_nothing(&self) -> bool {
        self.socket.set_read_timeout(Some(Duration::from_millis(200))).expect("a timeout");
        self.socket.recv(&mut [0; 2048]).is_err()
    }
}

fn header(flags: BaseFlags, upper: UpperFlags, version: Version) -> TestHeader {
    let mut header = TestHeader::request();
    header.base.flags = header.base.flags | flags;
    header.base.buffer_length = 300;
    header.base.amount = Amount::from_time(Duration::from_millis(100));
    header.extension = Some(Extension { upper, version, ..Extension::of_this_version() });
    header.with_derived_words()
}

fn plain() -> TestHeader {
    header(BaseFlags::default(), UpperFlags::default(), Version::V2_1_8)
}

fn reverse(milliseconds: u64) -> TestHeader {
    let mut header = header(BaseFlags::VERSION2, UpperFlags::REVERSE, Version::V2_1_8);
    header.base.amount = Amount::from_time(Duration::from_millis(milliseconds));
    header
}

#[test]
fn flows_that_begin_in_the_same_instant_keep_their_first_datagrams() {
    let (server, events) = start_server(&server_config());
    let mut clients: Vec<_> = (0..40).map(|_| Client::new(&server, None)).collect();
    for sequence in [1, 2, 3, -4] {
        for client in &mut clients {
            client.send(sequence);
        }
    }
    events.wait_for_ends(40);
    for totals in events.totals() {
        let counted = datagrams(&totals);
        assert_eq!((counted.sent, counted.received, counted.out_of_order), (3, 3, 0));
        assert_eq!(totals.figures.bytes, 4 * 300);
    }
    for client in &clients {
        let report = client.report();
        assert_eq!((report.datagrams, report.lost, report.bytes), (4, 0, 1200));
    }
}

#[test]
fn lost_late_and_repeated_datagrams_are_told_apart() {
    let (server, events) = start_server(&server_config());
    let mut client = Client::new(&server, Some(plain()));
    // 7 and 8 are lost, 4 is late, 6 comes twice.
    for sequence in [1, 2, 3, 5, 4, 6, 6, 9, 10, -11] {
        client.send(sequence);
    }
    let report = client.report();
    assert_eq!((report.datagrams, report.lost, report.out_of_order), (11, 2, 2));
    events.wait_for_ends(1);
    let (_, totals) = (0, datagrams(&events.totals()[0]));
    assert_eq!((totals.sent, totals.received, totals.lost), (10, 8, 2));
    assert_eq!((totals.out_of_order, totals.duplicates), (1, Some(1)));
}

#[test]
fn every_repeated_fin_gets_the_same_report() {
    let (server, events) = start_server(&server_config());
    let mut client = Client::new(&server, Some(plain()));
    for sequence in [1, 2, -3] {
        client.send(sequence);
    }
    let first = client.receive();
    for sequence in [-4, -5] {
        client.send(sequence);
        assert_eq!(client.receive(), first);
    }
    events.wait_for_ends(1);
    assert_eq!(events.started().len(), 1);
    assert_eq!(events.started()[0].peer_version.as_deref(), Some("2.1.8"));
    // Plain figures for a 2.1 client: it would show latency columns otherwise.
    assert_eq!(first[16], 0x88);
}

#[test]
fn data_of_a_flow_that_has_ended_starts_no_other() {
    let (server, events) = start_server(&server_config());
    let mut client = Client::new(&server, None);
    for sequence in [1, 2, 3, -4] {
        client.send(sequence);
    }
    let first = client.receive();
    client.send_at(2, 1_800_000_002);
    client.send(-4);
    assert_eq!(client.receive(), first);
    // A later time is another flow from the same port.
    client.send(1);
    client.send(-2);
    assert_eq!(client.report().datagrams, 2);
    events.wait_for_ends(2);
}

#[test]
fn a_client_that_starts_anew_in_mid_flow_is_another_flow() {
    let (server, events) = start_server(&server_config());
    let mut client = Client::new(&server, None);
    for sequence in [1, 2, 3, 1, 2, -3] {
        client.send(sequence);
    }
    assert_eq!(client.report().datagrams, 3);
    events.wait_for_ends(2);
    let (error, totals) = events.failures().into_iter().next().expect("a failure");
    assert!(error.to_string().contains("another flow began from its port"), "{error}");
    assert_eq!(datagrams(&totals.expect("totals")).received, 3);
}

#[test]
fn what_is_not_iperf_is_ignored() {
    let (server, events) = start_server(&server_config());
    let mut client = Client::new(&server, None);
    for garbage in [&b""[..], b"x", &[0; 15], &[0; 1000], &[0xff; 1000], b"GET / HTTP/1.1\r\n\r\n"]
    {
        client.socket.send(garbage).expect("sent");
    }
    // The end of a flow that nobody knows.
    client.send(-92);
    for sequence in [1, -2] {
        client.send(sequence);
    }
    assert_eq!(client.report().datagrams, 2);
    events.wait_for_ends(1);
    assert_eq!(events.started().len(), 1);
}

#[test]
fn a_client_that_vanishes_ends_by_the_idle_timeout() {
    let options = UdpServerOptions { idle_timeout: Duration::from_millis(300) };
    let (server, events) = start_server(&ServerConfig {
        transport: ServerTransport::Udp(options),
        interval: Some(Duration::from_millis(50)),
        ..server_config()
    });
    let mut client = Client::new(&server, None);
    for sequence in [1, 2, 4] {
        client.send(sequence);
    }
    events.wait_for_ends(1);
    let (error, totals) = events.failure();
    assert_eq!(error.to_string(), "the peer vanished: nothing came for 0.3 s");
    let counted = datagrams(&totals.expect("totals"));
    assert_eq!((counted.sent, counted.received, counted.lost), (4, 3, 1));
    // Empty intervals are reported while the server waits.
    assert!(events.intervals(1).len() >= 5, "{:#?}", events.intervals(1));
}

#[test]
fn clients_that_want_no_report_get_none() {
    let (server, events) = start_server(&server_config());
    let mut client = Client::new(
        &server,
        Some(header(BaseFlags::default(), UpperFlags::NO_UDP_FIN, Version::V2_1_8)),
    );
    for sequence in [1, -2, -3] {
        client.send(sequence);
    }
    events.wait_for_ends(1);
    assert!(client.hears_nothing());
}

#[test]
fn a_repeated_request_starts_no_second_sender() {
    let (server, events) = start_server(&server_config());
    let mut client = Client::new(&server, Some(reverse(100)));
    for _ in 0..20 {
        client.send(1);
    }
    events.wait_for_ends(1);
    let sent = datagrams(&events.totals()[0]).sent;
    let mut received = 0;
    // Data in order once, then three end markers.
    for expected in 1..=i64::try_from(sent).expect("few") {
        let datagram = client.receive();
        let prefix =
            DatagramPrefix::decode(&datagram, linerate_engine::wire::udp::SequenceWidth::Bits64);
        assert_eq!(prefix.expect("a prefix").sequence, expected);
        assert_eq!(datagram.len(), 300);
        received += 1;
    }
    assert_eq!(received, sent);
    for _ in 0..3 {
        assert_eq!(client.receive()[..4], (-i32::try_from(sent + 1).expect("few")).to_be_bytes());
    }
    assert!(client.hears_nothing());
    assert_eq!((events.started().len(), events.started()[0].role), (1, Role::Sender));
}

#[test]
fn a_server_stops_sending_to_a_client_that_is_gone() {
    let (server, events) = start_server(&server_config());
    let mut client = Client::new(&server, Some(reverse(600_000)));
    client.send(1);
    client.receive();
    drop(client);
    events.wait_for_ends(1);
    let (error, totals) = events.failure();
    assert!(matches!(error, EngineError::PeerVanished { .. }), "{error}");
    assert!(datagrams(&totals.expect("totals")).sent > 0);
}

#[test]
fn a_mode_that_is_not_served_is_told() {
    for (flags, upper, words) in [
        (BaseFlags::default(), UpperFlags::ISOCHRONOUS, "isochronous frames"),
        (BaseFlags::VERSION1, UpperFlags::default(), "a trade-off test"),
    ] {
        let (server, events) = start_server(&server_config());
        let mut client = Client::new(&server, Some(header(flags, upper, Version::V2_1_8)));
        for sequence in [1, 2, -3] {
            client.send(sequence);
        }
        events.wait_for_ends(1);
        assert_eq!(events.notes().len(), 1);
        assert!(events.notes()[0].contains(words), "{}", events.notes()[0]);
    }
}

#[test]
fn more_flows_than_a_server_takes_are_ignored_and_told() {
    let (server, events) = start_server(&server_config());
    let mut datagram = [0; 16];
    let sent = WireTime { seconds: 1_800_000_000, microseconds: 0 };
    DatagramPrefix { sequence: 1, sent }.encode_over(&mut datagram);
    let sources: Vec<_> =
        (1..=21).flat_map(|third| (1..=200).map(move |last| [127, 1, third, last])).collect();
    let mut sent = 0;
    // A hundred at a time, so that none is lost in the buffer.
    for some in sources.chunks(100) {
        for source in some {
            let socket = UdpSocket::bind((Ipv4Addr::from(*source), 0)).expect("an address");
            socket.send_to(&datagram, server.address()).expect("sent");
        }
        sent += some.len();
        events.wait_for_starts(sent.min(4096));
    }
    events.wait_until("the server says so", |all| {
        all.iter().any(|kind| matches!(kind, EventKind::Note { .. }))
    });
    assert_eq!(events.started().len(), 4096);
    assert!(events.notes()[0].contains("new ones are ignored"), "{:?}", events.notes());
    server.stop();
    events.wait_for_ends(4096);
}

#[test]
fn drops_in_the_own_receive_buffer_are_told() {
    let events = Events::default();
    let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
    let may_go_on = std::sync::Mutex::new(may_go_on);
    let sink = events.sink();
    let socket = SocketOptions { window: Some(1), ..SocketOptions::default() };
    let config = ServerConfig { socket, ..server_config() };
    // The server does not read while it waits here.
    let server = Server::start(
        &config,
        std::sync::Arc::new(move |event: Event| {
            let started = matches!(event.kind, EventKind::StreamStarted(_));
            sink(event);
            if started {
                may_go_on.lock().expect("no panic").recv().expect("the test goes on");
            }
        }),
    )
    .expect("the server starts");
    let mut client = Client::new(&server, None);
    client.send(1);
    events.wait_for_starts(1);
    for sequence in 2..=200 {
        client.send(sequence);
    }
    go_on.send(()).expect("the server waits");
    // The buffer is small, but an answer shows that it was emptied before.
    let report = loop {
        client.send(-201);
        client.socket.set_read_timeout(Some(Duration::from_millis(50))).expect("a timeout");
        if let Ok(length) = client.socket.recv(&mut [0; 2048]) {
            assert_eq!(length, 128);
            break datagrams(&events.totals()[0]);
        }
    };
    assert!(report.lost > 100);
    let note = events.notes().pop().expect("a note");
    // An end marker may have been dropped, too.
    let dropped: i64 =
        note.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
    assert!((report.lost..report.lost + 5).contains(&dropped), "{note}, {} lost", report.lost);
}

#[test]
fn a_stopped_server_reports_its_flows_as_cancelled() {
    let (server, events) = start_server(&server_config());
    let mut receiving = Client::new(&server, None);
    let mut sending = Client::new(&server, Some(reverse(600_000)));
    receiving.send(1);
    sending.send(1);
    events.wait_for_starts(2);
    server.stop();
    assert_cancelled(&events);
}

fn assert_cancelled(events: &Events) {
    events.wait_for_ends(2);
    for (error, totals) in events.failures() {
        assert_eq!(error, EngineError::Cancelled);
        assert!(totals.is_some());
    }
}
