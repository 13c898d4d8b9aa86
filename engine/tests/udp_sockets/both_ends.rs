//! This engine at both ends.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::num::NonZeroU16;
use std::thread;
use std::time::Duration;

use linerate_engine::cancel::Cancel;
use linerate_engine::config::{Amount, ClientConfig, Direction, Length, Rate, ServerConfig};
use linerate_engine::error::EngineError;
use linerate_engine::event::Role;
use linerate_engine::net::run_client;

use crate::events::{
    Events, assert_same, client_config, datagrams, run, server_config, start_server,
};

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Reverse];
const ALL: [Direction; 3] = [Direction::Forward, Direction::Reverse, Direction::FullDuplex];

/// Who sends and who receives.
fn roles(direction: Direction) -> &'static [(Role, Role)] {
    match direction {
        Direction::Forward => &[(Role::Sender, Role::Receiver)],
        Direction::Reverse => &[(Role::Receiver, Role::Sender)],
        Direction::FullDuplex => &[(Role::Sender, Role::Receiver), (Role::Receiver, Role::Sender)],
    }
}

/// Runs a client against a server with `server_config`, and checks that both ends agree on every stream.
fn agree(
    server_config: &ServerConfig,
    config: impl Fn(SocketAddr) -> ClientConfig,
) -> (Events, Events) {
    let (server, at_server) = start_server(server_config);
    let config = config(server.address());
    let at_client = run(&config);
    let streams = usize::from(config.parallel.get());
    let roles = roles(config.direction);
    at_client.wait_for_ends(streams * roles.len());
    at_server.wait_for_ends(streams * roles.len());
    for (of_client, of_server) in roles {
        let (ours, theirs) = (at_client.totals_as(*of_client), at_server.totals_as(*of_server));
        assert_eq!((ours.len(), theirs.len()), (streams, streams));
        // Each end numbers the streams by itself; all of a test move the same.
        for (client, server) in ours.iter().zip(&theirs) {
            match of_client {
                Role::Sender => assert_same(client, server),
                Role::Receiver => assert_same(server, client),
            }
        }
    }
    let ours = at_client.totals();
    if config.direction == Direction::Forward {
        assert_eq!(at_client.reports().len(), streams);
        for (client, report) in ours.iter().zip(&at_client.reports()) {
            assert_same(client, report);
        }
    }
    (at_client, at_server)
}

#[test]
fn both_ends_count_the_same_datagrams_and_bytes() {
    for direction in ALL {
        let (client, _) =
            agree(&server_config(), |server| ClientConfig { direction, ..client_config(server) });
        // 50 of data, and the end marker.
        assert_eq!(client.totals()[0].figures.bytes, 51 * 200);
    }
}

#[test]
fn parallel_streams_are_told_apart() {
    for direction in ALL {
        agree(&server_config(), |server| ClientConfig {
            direction,
            parallel: NonZeroU16::new(8).expect("not zero"),
            ..client_config(server)
        });
    }
}

#[test]
fn ipv6_works_as_ipv4() {
    let server = ServerConfig { address: Ipv6Addr::LOCALHOST.into(), ..server_config() };
    for direction in BOTH {
        let (client, _) =
            agree(&server, |server| ClientConfig { direction, ..client_config(server) });
        assert!(client.started()[0].peer.is_ipv6());
    }
}

#[test]
fn a_server_on_all_addresses_answers_from_the_one_that_was_asked() {
    let asked = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 9));
    for address in [IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V6(Ipv6Addr::UNSPECIFIED)] {
        for direction in BOTH {
            let (_, server) = agree(&ServerConfig { address, ..server_config() }, |server| {
                ClientConfig { direction, ..client_config(SocketAddr::new(asked, server.port())) }
            });
            assert_eq!(server.started()[0].local.ip(), asked);
            assert!(server.started()[0].peer.is_ipv4());
        }
    }
}

#[test]
fn trip_times_give_the_latency_of_every_datagram() {
    for direction in BOTH {
        for length in [16, 100, 1470] {
            let (client, server) = agree(&server_config(), |server| ClientConfig {
                direction,
                trip_times: true,
                length: Length::Chosen(length),
                ..client_config(server)
            });
            let receiver = if direction == Direction::Forward { &server } else { &client };
            let totals = &receiver.totals()[0];
            let received = datagrams(totals).received;
            let latency = totals.figures.latency.as_ref().expect("latency");
            assert_eq!((latency.count, latency.negative), (received, 0));
            assert!(latency.mean > 0.0 && latency.max < 30.0, "{latency:?}");
            assert_eq!(latency.bins.iter().map(|(_, count)| count).sum::<u64>(), received);
            for report in client.reports() {
                assert_eq!(report.figures.latency.expect("latency").count, received);
            }
        }
    }
}

#[test]
fn the_smallest_datagrams_go_both_ways() {
    for direction in BOTH {
        let (client, _) = agree(&server_config(), |server| ClientConfig {
            direction,
            length: Length::Chosen(16),
            ..client_config(server)
        });
        // Only a client's first datagram has a header to make room for.
        let sent =
            if direction == Direction::Forward { 1 + (10_000 - 80) / 16 } else { 10_000 / 16 };
        assert_eq!(datagrams(&client.totals()[0]).sent, sent);
        assert_eq!(client.totals()[0].figures.bytes, 10_000 + 16);
    }
}

#[test]
fn an_amount_of_bytes_is_moved_to_the_last_one() {
    for direction in BOTH {
        let (client, _) = agree(&server_config(), |server| ClientConfig {
            direction,
            amount: Amount::Bytes(10_130),
            ..client_config(server)
        });
        // The end marker comes on top.
        assert_eq!(client.totals()[0].figures.bytes, 10_130 + 200);
    }
}

#[test]
fn an_unlimited_sender_sends_more_than_any_default() {
    for direction in BOTH {
        let (server, at_server) = start_server(&server_config());
        let config = ClientConfig {
            direction,
            rate: Rate::Unlimited,
            amount: Amount::Time(Duration::from_millis(100)),
            length: Length::Chosen(1470),
            ..client_config(server.address())
        };
        let at_client = run(&config);
        at_server.wait_for_ends(1);
        let sender = if direction == Direction::Forward { &at_client } else { &at_server };
        assert!(datagrams(&sender.totals()[0]).sent > 500, "{:?}", sender.totals());
    }
}

#[test]
fn intervals_come_from_both_ends() {
    let interval = Some(Duration::from_millis(20));
    let (client, server) = agree(&ServerConfig { interval, ..server_config() }, |server| {
        ClientConfig { interval, ..client_config(server) }
    });
    for intervals in [client.intervals(1), server.intervals(1)] {
        assert!(intervals.len() >= 4, "{intervals:#?}");
        for (index, interval) in (0..).zip(intervals.iter().take(4)) {
            let boundary = |number: u32| Duration::from_millis(20) * number;
            assert_eq!((interval.start, interval.end), (boundary(index), boundary(index + 1)));
        }
    }
}

#[test]
fn a_fixed_local_port_counts_up_with_the_streams() {
    // Three ports in a row that are free, as far as one can know.
    let first = UdpSocket::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address");
    let first = SocketAddr::new(first.ip(), first.port().min(65_000));
    let (server, at_server) = start_server(&server_config());
    let at_client = run(&ClientConfig {
        bind: Some(first),
        parallel: NonZeroU16::new(3).expect("not zero"),
        ..client_config(server.address())
    });
    at_client.wait_for_ends(3);
    for started in at_client.started() {
        let index = u16::try_from(started.stream.0 - 1).expect("few");
        assert_eq!(started.local.port(), first.port() + index);
    }
    for (error, _) in at_client.failures() {
        assert!(error.to_string().contains("bind"), "another program took the port: {error}");
    }
    drop(at_server);
}

#[test]
fn the_same_local_port_serves_one_flow_after_the_other() {
    let bind = UdpSocket::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address");
    let (server, at_server) = start_server(&server_config());
    for _ in 0..3 {
        let at_client = run(&ClientConfig { bind: Some(bind), ..client_config(server.address()) });
        assert_eq!(datagrams(&at_client.reports()[0]).received, 50);
    }
    at_server.wait_for_ends(3);
    assert!(at_server.totals().iter().all(|totals| datagrams(totals).received == 50));
}

#[test]
fn a_client_and_a_server_that_are_stopped_report_what_they_measured() {
    for direction in BOTH {
        let (server, at_server) = start_server(&server_config());
        let config = ClientConfig {
            direction,
            amount: Amount::Time(Duration::from_secs(600)),
            parallel: NonZeroU16::new(2).expect("not zero"),
            ..client_config(server.address())
        };
        let (events, cancel) = (Events::default(), Cancel::new());
        thread::scope(|scope| {
            scope.spawn(|| run_client(&config, &events.sink(), &cancel));
            events.wait_for_starts(2);
            at_server.wait_for_starts(2);
            cancel.cancel();
        });
        events.wait_for_ends(2);
        server.stop();
        at_server.wait_for_ends(2);
        for (error, totals) in events.failures() {
            assert_eq!(error, EngineError::Cancelled);
            assert!(totals.expect("totals").figures.bytes > 0);
        }
        for (error, totals) in at_server.failures() {
            // A forward client tells the server that it stops; a reverse one is gone.
            let vanished = matches!(error, EngineError::PeerVanished { .. });
            assert!(vanished || error == EngineError::Cancelled, "{error}");
            assert!(totals.expect("totals").figures.bytes > 0);
        }
        assert_eq!((events.failures().len(), at_server.failures().len()), (2, 2));
    }
}

#[test]
fn a_second_server_on_the_same_port_is_refused() {
    let (server, _) = start_server(&server_config());
    let config = ServerConfig { port: server.address().port(), ..server_config() };
    let error = linerate_engine::net::Server::start(&config, Events::default().sink())
        .expect_err("the port is taken");
    assert!(error.to_string().starts_with("failed to bind to 127.0.0.1:"), "{error}");
}

#[test]
fn what_cannot_be_asked_fails_every_stream_with_the_reason() {
    let server = SocketAddr::from(([127, 0, 0, 1], 9));
    let events = run(&ClientConfig {
        length: Length::Chosen(3),
        parallel: NonZeroU16::new(2).expect("not zero"),
        ..client_config(server)
    });
    assert_eq!(events.failures().len(), 2);
    assert!(events.failures()[0].0.to_string().contains("choose a length from 16 to 65507"));
}
