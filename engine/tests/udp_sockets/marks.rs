//! What receivers know of the marks of their datagrams.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use linerate_engine::config::{ClientConfig, Direction, ServerConfig, SocketOptions};
use linerate_engine::event::{ReceivedMarks, Totals};

use crate::events::{client_config, datagrams, run, server_config, start_server};

fn marked() -> SocketOptions {
    SocketOptions { tos: Some(0xb9), ttl: Some(9), ..SocketOptions::default() }
}

/// All data datagrams carry these marks.
fn assert_all(received: &Totals, (tos, ttl): (u8, u8)) {
    let count = datagrams(received).received;
    assert!(count > 0);
    let marks = received.figures.marks.as_ref().expect("the system tells marks");
    let expected = ReceivedMarks { tos: vec![(tos, count)], ttl: vec![(ttl, count)] };
    assert_eq!(*marks, expected);
}

#[test]
fn a_server_sees_the_marks_of_its_client_on_both_families() {
    for (bound, asked) in [
        (IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::LOCALHOST)),
        (IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)),
        (IpAddr::V6(Ipv6Addr::UNSPECIFIED), IpAddr::V4(Ipv4Addr::LOCALHOST)),
    ] {
        let (server, at_server) = start_server(&ServerConfig { address: bound, ..server_config() });
        let server = SocketAddr::new(asked, server.address().port());
        let at_client = run(&ClientConfig { socket: marked(), ..client_config(server) });
        at_client.wait_for_ends(1);
        at_server.wait_for_ends(1);
        assert_all(&at_server.totals()[0], (0xb9, 9));
        assert_eq!(at_client.totals()[0].figures.marks, None, "a sender receives nothing");
    }
}

#[test]
fn a_client_sees_the_marks_of_a_server_that_sends() {
    let (server, at_server) = start_server(&server_config());
    let at_client = run(&ClientConfig {
        direction: Direction::Reverse,
        socket: SocketOptions { ttl: None, ..marked() },
        ..client_config(server.address())
    });
    at_client.wait_for_ends(1);
    at_server.wait_for_ends(1);
    assert_all(&at_client.totals()[0], (0xb9, 64));
}

#[test]
fn a_server_that_overrides_the_mark_sends_its_own() {
    let socket = SocketOptions { tos: Some(0x28), ..SocketOptions::default() };
    let (server, _at_server) = start_server(&ServerConfig { socket, ..server_config() });
    let at_client = run(&ClientConfig {
        direction: Direction::Reverse,
        socket: marked(),
        ..client_config(server.address())
    });
    at_client.wait_for_ends(1);
    assert_all(&at_client.totals()[0], (0x28, 64));
}

#[test]
fn intervals_have_the_marks_of_their_own_datagrams() {
    let (server, at_server) = start_server(&ServerConfig {
        interval: Some(std::time::Duration::from_millis(100)),
        ..server_config()
    });
    let at_client = run(&ClientConfig { socket: marked(), ..client_config(server.address()) });
    at_client.wait_for_ends(1);
    at_server.wait_for_ends(1);
    let intervals = at_server.intervals(1);
    assert!(!intervals.is_empty());
    for interval in intervals {
        let received = interval.figures.datagrams.expect("UDP").received;
        let marks = interval.figures.marks.expect("the system tells marks");
        assert_eq!(marks.tos, [(0xb9, received)]);
    }
}
