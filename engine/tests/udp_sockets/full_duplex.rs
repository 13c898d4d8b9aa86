//! Data both ways at the same time.

use std::net::UdpSocket;
use std::thread;
use std::time::Duration;

use linerate_engine::cancel::Cancel;
use linerate_engine::config::{Amount, ClientConfig, Direction, Rate, ServerConfig};
use linerate_engine::error::EngineError;
use linerate_engine::event::{EventKind, Role, StreamId};
use linerate_engine::net::run_client;
use linerate_engine::wire::udp::{DatagramPrefix, TestHeader};
use linerate_engine::wire::{self, BaseFlags, Extension, UpperFlags, WireTime};

use crate::events::{
    Events, PATIENCE, assert_same, client_config, datagrams, run, server_config, start_server,
};

fn duplex(server: std::net::SocketAddr) -> ClientConfig {
    ClientConfig { direction: Direction::FullDuplex, ..client_config(server) }
}

/// The error of the only stream in this role.
fn error_as(events: &Events, role: Role) -> EngineError {
    let errors: Vec<_> = events
        .all()
        .into_iter()
        .filter_map(|kind| match kind {
            EventKind::StreamFailed { role: Some(of), error, .. } if of == role => Some(error),
            _ => None,
        })
        .collect();
    let [error] = errors.as_slice() else { panic!("one failure as {role:?}: {errors:?}") };
    error.clone()
}

#[test]
fn each_end_tells_what_it_sent_and_what_it_received() {
    let interval = Some(Duration::from_millis(50));
    let (server, at_server) = start_server(&ServerConfig { interval, ..server_config() });
    let at_client = run(&ClientConfig { interval, trip_times: true, ..duplex(server.address()) });
    at_client.wait_for_ends(2);
    at_server.wait_for_ends(2);
    for (sender, receiver) in [(&at_client, &at_server), (&at_server, &at_client)] {
        let (sent, received) =
            (&sender.totals_as(Role::Sender), &receiver.totals_as(Role::Receiver));
        assert_same(&sent[0], &received[0]);
        let latency = received[0].figures.latency.as_ref().expect("trip-times");
        assert_eq!(latency.count, datagrams(&received[0]).received);
        for (end, role) in [(sender, Role::Sender), (receiver, Role::Receiver)] {
            let of_role = |events: &Events| {
                let mut intervals = events.intervals(1);
                intervals.retain(|interval| interval.role == role);
                intervals
            };
            let bytes: u64 = of_role(end).iter().map(|interval| interval.figures.bytes).sum();
            // The end marker may fall into a remainder that is too short to report.
            let all = sent[0].figures.bytes;
            assert!((all - 200..=all).contains(&bytes), "{bytes} in intervals as {role:?}");
        }
    }
    assert_eq!(at_client.reports(), [], "nobody reports in full-duplex tests");
    for (end, local) in [(&at_client, None), (&at_server, Some(server.address()))] {
        let started = end.started();
        assert_eq!(started.len(), 2);
        assert_ne!(started[0].role, started[1].role);
        assert_eq!((started[0].stream, started[1].stream), (StreamId(1), StreamId(1)));
        assert_eq!((started[0].local, started[0].peer), (started[1].local, started[1].peer));
        assert!(local.is_none_or(|local| started[0].local == local));
    }
}

#[test]
fn a_server_that_does_not_send_fails_the_way_back_only() {
    let silent = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let events = run(&duplex(silent.local_addr().expect("its address")));
    events.wait_for_ends(2);
    let error = error_as(&events, Role::Receiver);
    assert_eq!(error.to_string(), "no data from the peer within 2.0 s");
    assert!(events.all().iter().any(|kind| matches!(kind, EventKind::StreamEnded(totals)
        if totals.role == Role::Sender && datagrams(totals).sent == 50)));
}

#[test]
fn a_closed_port_refuses_both_ways() {
    let socket = UdpSocket::bind("127.0.0.78:0").expect("a port");
    let address = socket.local_addr().expect("its address");
    drop(socket);
    let rate = Rate::PacketsPerSecond(100.0);
    let amount = Amount::Time(Duration::from_secs(600));
    let events = run(&ClientConfig { amount, rate, ..duplex(address) });
    events.wait_for_ends(2);
    assert_eq!(error_as(&events, Role::Receiver), EngineError::Refused);
    assert_eq!(error_as(&events, Role::Sender), EngineError::Refused);
}

/// A client of iperf that dies after its first datagrams: the server ends two seconds after the announced time.
#[test]
fn a_client_that_falls_silent_does_not_keep_the_server_busy() {
    let (server, events) = start_server(&server_config());
    let client = UdpSocket::bind("127.0.0.1:0").expect("a port");
    client.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let mut header = TestHeader::request();
    header.base.flags = header.base.flags | BaseFlags::VERSION2;
    header.base.amount = wire::Amount::from_time(Duration::from_millis(100));
    let upper = UpperFlags::FULL_DUPLEX | UpperFlags::NO_UDP_FIN;
    header.extension = Some(Extension { upper, ..Extension::of_this_version() });
    let mut datagram = [0; 1470];
    header.with_derived_words().encode_over(&mut datagram);
    for sequence in 1..=2 {
        let sent = WireTime { seconds: 1_800_000_000, microseconds: 0 };
        DatagramPrefix { sequence, sent }.encode_over(&mut datagram);
        client.send_to(&datagram, server.address()).expect("sent");
    }
    // Its data comes all the same.
    client.recv(&mut datagram).expect("data");
    events.wait_for_ends(2);
    let error = error_as(&events, Role::Receiver);
    assert_eq!(error.to_string(), "the peer vanished: no end marker came within 2.1 s");
}

#[test]
fn both_roles_of_a_stream_that_is_stopped_end() {
    let (server, at_server) = start_server(&server_config());
    let amount = Amount::Time(Duration::from_secs(600));
    let config = ClientConfig { amount, ..duplex(server.address()) };
    let (events, cancel) = (Events::default(), Cancel::new());
    thread::scope(|scope| {
        scope.spawn(|| run_client(&config, &events.sink(), &cancel));
        events.wait_for_starts(2);
        at_server.wait_for_starts(2);
        cancel.cancel();
    });
    events.wait_for_ends(2);
    for role in [Role::Sender, Role::Receiver] {
        assert_eq!(error_as(&events, role), EngineError::Cancelled);
    }
    server.stop();
    at_server.wait_for_ends(2);
    for (error, totals) in at_server.failures() {
        let vanished = matches!(error, EngineError::PeerVanished { .. });
        assert!(vanished || error == EngineError::Cancelled, "{error}");
        assert!(totals.expect("totals").figures.bytes > 0);
    }
    assert_eq!(at_server.failures().len(), 2);
}

#[test]
fn a_flow_from_the_same_port_takes_the_place_of_one_that_is_still_sent_to() {
    let (server, at_server) = start_server(&server_config());
    let bind = UdpSocket::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address");
    let amount = Amount::Time(Duration::from_secs(600));
    let config = ClientConfig { amount, bind: Some(bind), ..duplex(server.address()) };
    let (events, cancel) = (Events::default(), Cancel::new());
    thread::scope(|scope| {
        scope.spawn(|| run_client(&config, &events.sink(), &cancel));
        at_server.wait_for_starts(2);
        events.wait_for_starts(2);
        cancel.cancel();
    });
    let again = run(&ClientConfig { bind: Some(bind), ..duplex(server.address()) });
    again.wait_for_ends(2);
    assert_eq!(again.failures(), []);
    at_server.wait_for_ends(4);
    assert_eq!(at_server.failures().len(), 2);
}
