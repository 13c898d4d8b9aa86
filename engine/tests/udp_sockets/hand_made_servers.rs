//! Clients of this engine against servers made by hand.

use std::net::{SocketAddr, UdpSocket};
use std::thread;
use std::time::Duration;

use linerate_engine::config::{Amount, ClientConfig, Direction};
use linerate_engine::error::EngineError;
use linerate_engine::wire::udp::{DatagramHeader, DatagramPrefix, FinReport, SequenceWidth};
use linerate_engine::wire::{BaseFlags, WireTime};

use crate::events::{PATIENCE, client_config, datagrams, run};

/// A socket on an address that no other test uses: its port stays closed when it is dropped.
fn socket() -> (UdpSocket, SocketAddr) {
    let socket = UdpSocket::bind("127.0.0.77:0").expect("a port");
    socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let address = socket.local_addr().expect("its address");
    (socket, address)
}

fn report() -> Vec<u8> {
    report_of(51)
}

/// The report about a flow of which two datagrams were lost, FIN included.
fn report_of(datagrams: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let flags = BaseFlags::VERSION1 | BaseFlags::SEQUENCE_64;
    let report = FinReport {
        flags,
        bytes: 9_800,
        duration: WireTime { seconds: 0, microseconds: 98_000 },
        lost: 2,
        out_of_order: 1,
        datagrams,
        jitter: WireTime { seconds: 0, microseconds: 77 },
        latency: None,
    };
    report.encode_into(&mut bytes);
    bytes
}

/// The next FIN, and where it came from.
fn next_fin(server: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut buffer = [0; 2048];
    loop {
        let (length, peer) = server.recv_from(&mut buffer).expect("a datagram");
        let datagram = &buffer[..length];
        let prefix = DatagramPrefix::decode(datagram, SequenceWidth::Bits64).expect("a prefix");
        if prefix.is_fin() {
            return (datagram.to_vec(), peer);
        }
    }
}

#[test]
fn a_client_of_a_silent_server_gives_up_and_tells_what_it_sent() {
    let (_server, address) = socket();
    let events = run(&client_config(address));
    let (error, totals) = events.failure();
    assert!(matches!(error, EngineError::NoReport { after } if after >= Duration::from_secs(2)));
    assert_eq!(datagrams(&totals.expect("totals")).sent, 50);
}

#[test]
fn a_closed_port_refuses_both_directions() {
    let (socket, address) = socket();
    drop(socket);
    for direction in [Direction::Forward, Direction::Reverse] {
        let events = run(&ClientConfig { direction, ..client_config(address) });
        assert_eq!(events.failure().0, EngineError::Refused, "{direction:?}");
    }
}

#[test]
fn a_long_flow_to_a_closed_port_ends_long_before_its_time() {
    let (socket, address) = socket();
    drop(socket);
    let amount = Amount::Time(Duration::from_secs(600));
    let events = run(&ClientConfig { amount, ..client_config(address) });
    let (error, totals) = events.failure();
    assert_eq!(error, EngineError::Refused);
    assert!(totals.expect("totals").figures.errors > 2);
}

#[test]
fn a_port_that_opens_late_is_found() {
    // An iperf server has no socket for a moment while it takes up a flow.
    let (socket, address) = socket();
    drop(socket);
    let answering = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        let server = UdpSocket::bind(address).expect("the port is free");
        server.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let (_, peer) = next_fin(&server);
        server.send_to(&report(), peer).expect("sent");
    });
    let events = run(&ClientConfig { amount: Amount::Bytes(100_000), ..client_config(address) });
    assert_eq!(events.reports().len(), 1);
    // The report is about the first 50 of 500.
    let (_, totals) = events.failure();
    assert!(totals.expect("totals").figures.errors > 0);
    answering.join().expect("the server");
}

#[test]
fn a_server_that_sends_nothing_gives_no_data() {
    let (_server, address) = socket();
    let events = run(&ClientConfig { direction: Direction::Reverse, ..client_config(address) });
    let (error, totals) = events.failure();
    assert!(matches!(error, EngineError::NoData { .. }), "{error}");
    assert_eq!(totals, None);
    assert!(events.started().is_empty());
}

#[test]
fn copies_of_the_fin_and_other_datagrams_are_no_report() {
    let (server, address) = socket();
    let answering = thread::spawn(move || {
        let (fin, peer) = next_fin(&server);
        for noise in [&fin[..128], b"noise", &[0; 40][..], &[]] {
            server.send_to(noise, peer).expect("sent");
        }
        // The client asks again, and gets the report.
        let (again, _) = next_fin(&server);
        server.send_to(&report(), peer).expect("sent");
        (fin, again)
    });
    let events = run(&client_config(address));
    let read = &events.reports()[0];
    let counted = datagrams(read);
    assert_eq!((counted.sent, counted.received, counted.lost), (50, 48, 2));
    assert_eq!((read.figures.bytes, read.figures.jitter), (9_800, Some(Duration::from_micros(77))));
    assert_eq!(datagrams(&events.totals()[0]).sent, 50);

    let (fin, again) = answering.join().expect("the server");
    assert_eq!(fin[..4], again[..4], "a repeated FIN has the same number");
    assert!(DatagramHeader::decode(&again).expect("a header").test().is_some());
}

#[test]
fn a_server_that_reports_before_the_end_has_vanished_and_its_figures_are_kept() {
    let (server, address) = socket();
    let answering = thread::spawn(move || {
        let mut buffer = [0; 2048];
        for _ in 0..20 {
            let (_, peer) = server.recv_from(&mut buffer).expect("a datagram");
            server.connect(peer).expect("connected");
        }
        server.send(&report_of(20)).expect("sent");
        // The port closes: what comes from now on is refused.
    });
    let events = run(&client_config(address));
    answering.join().expect("the server");
    assert_eq!(datagrams(&events.reports()[0]).sent, 20);
    let (error, totals) = events.failure();
    let EngineError::PeerVanished { reason } = error else { panic!("{error}") };
    let expected = "it reported before the flow ended, and its figures cover 20 of ";
    assert!(reason.starts_with(expected), "{reason}");
    let totals = totals.expect("totals");
    assert!(totals.figures.errors > 0 && reason.ends_with("more were refused"), "{reason}");
}

#[test]
fn a_report_about_another_flow_than_was_sent_is_refused() {
    let (server, address) = socket();
    let answering = thread::spawn(move || {
        let (_, peer) = next_fin(&server);
        server.send_to(&report_of(1_000_000), peer).expect("sent");
    });
    let events = run(&client_config(address));
    answering.join().expect("the server");
    let (error, totals) = events.failure();
    let expected = "not the iperf 2 protocol: the server's report contradicts what was sent: \
                    1000000 datagrams, end marker included, of 51";
    assert_eq!(error.to_string(), expected);
    assert_eq!(datagrams(&totals.expect("totals")).sent, 50);
    assert!(events.reports().is_empty());
}

#[test]
fn a_server_that_stops_sending_has_vanished() {
    let (server, address) = socket();
    let sending = thread::spawn(move || {
        let mut buffer = [0; 2048];
        let (_, peer) = server.recv_from(&mut buffer).expect("a request");
        for sequence in 1..=10 {
            let mut datagram = [0; 200];
            let sent = WireTime { seconds: 1_800_000_000, microseconds: 0 };
            DatagramPrefix { sequence, sent }.encode_over(&mut datagram);
            server.send_to(&datagram, peer).expect("sent");
        }
        server
    });
    let amount = Amount::Time(Duration::from_millis(100));
    let direction = Direction::Reverse;
    let events = run(&ClientConfig { direction, amount, ..client_config(address) });
    drop(sending.join().expect("the server"));
    let (error, totals) = events.failure();
    assert_eq!(error.to_string(), "the peer vanished: no end marker came within 2.1 s");
    assert_eq!(datagrams(&totals.expect("totals")).received, 10);
}
