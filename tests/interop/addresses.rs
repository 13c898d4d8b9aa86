//! Streams at several addresses and ports, in both pairings: every stream arrives where it should, with all its bytes.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU16;
use std::time::Duration;

use linerate_engine::config::{Addressing, ClientConfig, Increment, ServerConfig};
use linerate_engine::event::{EventKind, Role, StreamStarted};
use linerate_tests::engine::{Events, bytes, client_config, run, server_config, start_server};
use linerate_tests::iperf::{csv_rows, peers};
use linerate_tests::port;

const LIMIT: Duration = Duration::from_secs(20);
const THREE: NonZeroU16 = NonZeroU16::new(3).expect("not zero");

fn started(events: &Events) -> Vec<StreamStarted> {
    let started = |kind| match kind {
        EventKind::StreamStarted(started) => Some(started),
        _ => None,
    };
    events.all().into_iter().filter_map(started).collect()
}

/// The bytes of three streams as iperf's server prints them.
fn served_bytes(stdout: &str) -> Vec<u64> {
    let mut served: Vec<u64> =
        csv_rows(stdout).into_iter().filter(|row| row.id >= 0).map(|row| row.bytes).collect();
    served.sort_unstable();
    served
}

#[test]
fn our_streams_reach_every_port_of_iperfs_range() {
    for iperf in peers() {
        for udp in [false, true] {
            let first = port::free_range(udp, 3);
            let range = format!("{first}-{}", first + 2);
            let transport: &[&str] = if udp { &["-u"] } else { &[] };
            let server = iperf.start(&[&["-s", "-p", &range, "-y", "C"], transport].concat());
            for step in 0..3 {
                port::wait_until_bound(first + step, udp, LIMIT);
            }
            let increment = Increment { destination_port: true, ..Increment::default() };
            let events = run(&ClientConfig {
                parallel: THREE,
                addressing: Addressing { increment, ..Addressing::default() },
                ..client_config(udp, SocketAddr::from((Ipv4Addr::LOCALHOST, first)))
            });
            let sent = events.wait_for_ended(Role::Sender, 3);
            let ports: BTreeSet<u16> = started(&events).iter().map(|s| s.peer.port()).collect();
            assert_eq!(ports, (first..first + 3).collect());
            let mut server = server;
            server.wait_for_stdout(LIMIT, |out| served_bytes(out).len() >= 3);
            let mut sent: Vec<u64> = sent.iter().map(|totals| totals.figures.bytes).collect();
            sent.sort_unstable();
            assert_eq!(served_bytes(&server.interrupt(LIMIT).stdout), sent, "udp: {udp}");
        }
    }
}

#[test]
fn iperfs_streams_reach_every_port_of_our_range() {
    for iperf in peers() {
        for arguments in [&[][..], &["-u"][..]] {
            let udp = !arguments.is_empty();
            let first = port::free_range(udp, 3);
            let (_server, events) =
                start_server(&ServerConfig { port: first, ports: THREE, ..server_config(udp) });
            let range = format!("{first}-{}", first + 2);
            let client = ["-c", "127.0.0.1", "-p", &range, "-t", "1", "-y", "C"];
            let finished = iperf.start(&[&client[..], arguments].concat()).finish_within(LIMIT);
            assert!(finished.status.success(), "{finished:?}");
            let received = events.wait_for_ended(Role::Receiver, 3);
            let ports: BTreeSet<u16> = started(&events).iter().map(|s| s.local.port()).collect();
            assert_eq!(ports, (first..first + 3).collect());
            let mut received: Vec<u64> =
                received.iter().map(|totals| totals.figures.bytes).collect();
            received.sort_unstable();
            let mut printed = served_bytes(&finished.stdout);
            // With UDP the server's report is printed beside each row.
            printed.dedup();
            received.dedup();
            assert_eq!(printed, received, "udp: {udp}");
        }
    }
}

#[test]
fn addresses_that_iperf_counts_up_are_seen_by_our_server() {
    for iperf in peers() {
        let (server, events) = start_server(&server_config(false));
        let port = server.address().port().to_string();
        let client = ["-c", "127.0.0.20", "-p", &port, "-t", "1", "-P", "3", "-B", "127.0.0.40"];
        let counting = ["--incr-srcip", "--incr-dstip"];
        let finished = iperf.start(&[&client[..], &counting].concat()).finish_within(LIMIT);
        assert!(finished.status.success(), "{finished:?}");
        let received = events.wait_for_ended(Role::Receiver, 3);
        assert!(bytes(&received) > 0);
        let ends: BTreeSet<_> =
            started(&events).iter().map(|s| (s.local.ip(), s.peer.ip())).collect();
        let expected: BTreeSet<_> = (0..3_u8)
            .map(|step| ([127, 0, 0, 20 + step].into(), [127, 0, 0, 40 + step].into()))
            .collect();
        assert_eq!(ends, expected);
    }
}

#[test]
fn addresses_that_our_client_counts_up_are_seen_by_iperf() {
    for iperf in peers() {
        let (mut server, port) = iperf.start_server(&["-y", "C"]);
        let increment =
            Increment { destination_address: true, source_address: true, destination_port: false };
        let events = run(&ClientConfig {
            parallel: THREE,
            bind: Some(SocketAddr::from(([127, 0, 0, 40], 0))),
            addressing: Addressing { increment, ..Addressing::default() },
            ..client_config(false, SocketAddr::from(([127, 0, 0, 20], port)))
        });
        let sent = events.wait_for_ended(Role::Sender, 3);
        server.wait_for_stdout(LIMIT, |out| served_bytes(out).len() >= 3);
        let stdout = server.interrupt(LIMIT).stdout;
        assert_eq!(served_bytes(&stdout).iter().sum::<u64>(), bytes(&sent));
        for step in 0..3 {
            // The columns after the date: the peer's address and port, and those of the server.
            let (from, to) = (format!("127.0.0.{}", 40 + step), format!("127.0.0.{}", 20 + step));
            let is_meant = |line: &str| {
                let columns: Vec<&str> = line.split(',').collect();
                columns.get(1) == Some(&from.as_str()) && columns.get(3) == Some(&to.as_str())
            };
            assert!(stdout.lines().any(is_meant), "{from} to {to} is not in {stdout}");
        }
    }
}
