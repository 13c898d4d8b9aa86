//! The engine's TCP client and server with each other: what is sent is what is received.

mod tcp_support;

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener};
use std::num::NonZeroU16;
use std::time::Duration;

use linerate_engine::config::{
    Amount, ClientConfig, ClientTransport, Direction, Length, Rate, ServerConfig, SocketOptions,
    TcpClientOptions, TcpServerOptions, TcpSocketOptions,
};
use linerate_engine::error::EngineError;
use linerate_engine::event::{EventKind, Role};
use linerate_engine::net::Server;
use tcp_support::{
    Events, client_config, plain_server, run, server_config, start_server, tcp_client_options,
    tcp_server_options,
};

/// Bytes of each stream at both ends, sorted.
fn bytes_of_both(client: &Events, server: &Events, streams: usize) -> (Vec<u64>, Vec<u64>) {
    server.wait_for_ends(streams);
    let sorted = |events: &Events| {
        let mut bytes: Vec<u64> =
            events.totals().iter().map(|totals| totals.figures.bytes).collect();
        bytes.sort_unstable();
        bytes
    };
    (sorted(client), sorted(server))
}

#[test]
fn a_client_sends_for_its_time_and_the_server_receives_every_byte() {
    let (server, received) = plain_server();
    let sent = run(&client_config(server.address()));
    let (ours, theirs) = bytes_of_both(&sent, &received, 1);
    assert_eq!(ours, theirs);
    let (sent, received) = (&sent.totals()[0], &received.totals()[0]);
    assert!(sent.figures.bytes > 1_000_000, "{sent:?}");
    assert_eq!((sent.role, received.role), (Role::Sender, Role::Receiver));
    assert!(sent.duration >= Duration::from_millis(300), "{sent:?}");
    assert!(received.duration >= Duration::from_millis(200), "{received:?}");
    assert!(sent.figures.calls > 0 && received.figures.calls > 0);
    assert_eq!((sent.figures.latency.as_ref(), received.figures.latency.as_ref()), (None, None));
}

#[test]
fn a_server_sends_for_the_time_that_the_client_asks_for() {
    let (server, sent) = plain_server();
    let config = ClientConfig { direction: Direction::Reverse, ..client_config(server.address()) };
    let received = run(&config);
    let (ours, theirs) = bytes_of_both(&received, &sent, 1);
    assert_eq!(ours, theirs);
    let (received, sent) = (&received.totals()[0], &sent.totals()[0]);
    assert!(sent.figures.bytes > 1_000_000, "{sent:?}");
    assert_eq!((sent.role, received.role), (Role::Sender, Role::Receiver));
    assert!(sent.duration >= Duration::from_millis(300), "{sent:?}");
}

#[test]
fn an_amount_of_bytes_is_sent_exactly_in_both_directions() {
    for (direction, bytes) in [(Direction::Forward, 1_234_567), (Direction::Reverse, 7_654_321)] {
        let (server, at_server) = plain_server();
        let config = ClientConfig {
            direction,
            amount: Amount::Bytes(bytes),
            ..client_config(server.address())
        };
        let at_client = run(&config);
        assert_eq!(bytes_of_both(&at_client, &at_server, 1), (vec![bytes], vec![bytes]));
    }
}

#[test]
fn an_amount_smaller_than_the_header_sends_the_header() {
    let (server, received) = plain_server();
    let sent = run(&ClientConfig { amount: Amount::Bytes(1), ..client_config(server.address()) });
    assert_eq!(bytes_of_both(&sent, &received, 1), (vec![64], vec![64]));
}

#[test]
fn four_streams_connect_from_four_ports_and_are_counted_apart() {
    for direction in [Direction::Forward, Direction::Reverse] {
        let (server, at_server) = plain_server();
        let config = ClientConfig {
            direction,
            parallel: NonZeroU16::new(4).unwrap(),
            amount: Amount::Bytes(2_000_000),
            ..client_config(server.address())
        };
        let at_client = run(&config);
        assert_eq!(
            bytes_of_both(&at_client, &at_server, 4),
            (vec![2_000_000; 4], vec![2_000_000; 4])
        );
        let ports = |events: &Events, client_side: fn(&_) -> SocketAddr| -> BTreeSet<u16> {
            events.started().iter().map(|started| client_side(started).port()).collect()
        };
        let ours = ports(&at_client, |started| started.local);
        assert_eq!(ours.len(), 4);
        assert_eq!(ours, ports(&at_server, |started| started.peer));
        let numbers: Vec<u32> = at_client.totals().iter().map(|totals| totals.stream.0).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
    }
}

#[test]
fn a_rate_is_not_exceeded_in_either_direction() {
    for direction in [Direction::Forward, Direction::Reverse] {
        let (server, at_server) = plain_server();
        let config = ClientConfig {
            direction,
            rate: Rate::BitsPerSecond(80_000_000),
            length: Length::Chosen(10_000),
            amount: Amount::Bytes(3_000_000),
            ..client_config(server.address())
        };
        let at_client = run(&config);
        assert_eq!(bytes_of_both(&at_client, &at_server, 1), (vec![3_000_000], vec![3_000_000]));
        let sender = if direction == Direction::Forward { &at_client } else { &at_server };
        // The first write is free, and so is the header of a client.
        let least = Duration::from_secs_f64((3_000_000.0 - 10_000.0 - 64.0) * 8.0 / 80e6);
        let duration = sender.totals()[0].duration;
        assert!(duration >= least, "{duration:?}");
    }
}

#[test]
fn a_rate_is_reached_within_a_test_that_has_a_time() {
    let (server, at_server) = plain_server();
    let config = ClientConfig {
        rate: Rate::BitsPerSecond(16_000_000),
        length: Length::Chosen(1_000),
        amount: Amount::Time(Duration::from_secs(1)),
        ..client_config(server.address())
    };
    run(&config).totals();
    at_server.wait_for_ends(1);
    let bytes = at_server.totals()[0].figures.bytes;
    // At most the rate, one free write and the header; at least the rate up to the last time that the machine let the
    // sender run.
    assert!((1_000_000..=2_001_064).contains(&bytes), "{bytes}");
}

#[test]
fn intervals_are_contiguous_exact_and_add_up() {
    let (server, at_server) = start_server(&ServerConfig {
        interval: Some(Duration::from_millis(50)),
        ..server_config(tcp_server_options())
    });
    let config = ClientConfig {
        interval: Some(Duration::from_millis(100)),
        amount: Amount::Time(Duration::from_millis(480)),
        rate: Rate::BitsPerSecond(100_000_000),
        length: Length::Chosen(5_000),
        ..client_config(server.address())
    };
    let at_client = run(&config);
    at_server.wait_for_ends(1);
    for (events, interval) in [(&at_client, 100), (&at_server, 50)] {
        let interval = Duration::from_millis(interval);
        let totals = &events.totals()[0];
        let intervals = events.intervals(1);
        let (last, whole) = intervals.split_last().unwrap();
        for (number, one) in (0..).zip(whole) {
            assert_eq!((one.start, one.end), (interval * number, interval * (number + 1)));
            assert!(one.figures.tcp.is_some_and(|tcp| tcp.mss > 0), "{one:?}");
        }
        assert!(last.end <= totals.duration && totals.duration - last.end < interval);
        let sum: u64 = intervals.iter().map(|one| one.figures.bytes).sum();
        // A rest shorter than a quarter of an interval is in the totals only.
        assert!(
            sum <= totals.figures.bytes && totals.figures.bytes - sum <= 200_000,
            "{sum} {totals:?}"
        );
    }
}

#[test]
fn intervals_in_which_nothing_comes_are_reported_while_the_server_waits() {
    let (server, at_server) = start_server(&ServerConfig {
        interval: Some(Duration::from_millis(20)),
        ..server_config(tcp_server_options())
    });
    let mut client = tcp_support::hand_made_client(&server);
    tcp_support::send(&mut client, &tcp_support::header_2_1(0x4001_0078, -5));
    at_server.wait_until("three empty intervals were reported", |events| {
        let empty = |kind: &&EventKind| {
            matches!(kind, EventKind::Interval(interval) if interval.figures.bytes == 0)
        };
        events.iter().filter(empty).count() >= 3
    });
    client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(tcp_support::read_to_end(&mut client), 28);
    at_server.wait_for_ends(1);
    assert_eq!(at_server.totals()[0].figures.bytes, 60);
    assert_eq!(at_server.intervals(1)[0].figures.bytes, 60);
}

#[test]
fn the_first_event_tells_the_ends_and_the_connection() {
    let (server, at_server) = plain_server();
    let at_client =
        run(&ClientConfig { amount: Amount::Bytes(100_000), ..client_config(server.address()) });
    at_server.wait_for_ends(1);
    let (client, served) = (&at_client.started()[0], &at_server.started()[0]);
    assert_eq!((client.local, client.peer), (served.peer, served.local));
    assert_eq!(client.peer, server.address());
    assert!(client.connect_time.is_some_and(|time| time > Duration::ZERO));
    assert_eq!(served.connect_time, None);
    assert_eq!(served.peer_version.as_deref(), Some("2.2.1"));
    assert!(client.tcp.is_some_and(|tcp| tcp.congestion_window >= u64::from(tcp.mss)));
    let end = at_client.totals()[0].figures.tcp.unwrap();
    assert!(end.rtt > Duration::ZERO && end.retransmits < 1_000, "{end:?}");
}

#[test]
fn ipv6_works_and_a_server_on_all_addresses_takes_both_families() {
    let config = ServerConfig {
        address: IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        ..server_config(tcp_server_options())
    };
    let (server, at_server) = start_server(&config);
    let port = server.address().port();
    for (number, address) in
        [IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::LOCALHOST)].into_iter().enumerate()
    {
        let sent = run(&ClientConfig {
            amount: Amount::Bytes(500_000),
            socket: SocketOptions { tos: Some(0xb8), ttl: Some(9), ..SocketOptions::default() },
            ..client_config(SocketAddr::new(address, port))
        });
        assert_eq!(sent.totals()[0].figures.bytes, 500_000);
        at_server.wait_for_ends(number + 1);
        assert_eq!(at_server.started()[number].peer.ip(), address);
        assert_eq!(at_server.totals()[number].figures.bytes, 500_000);
    }
}

#[test]
fn a_fixed_local_port_counts_up_with_the_streams() {
    let (server, at_server) = plain_server();
    // Two ports in a row that were free a moment ago.
    let first = (20_000..u16::MAX)
        .step_by(2)
        .find(|port| {
            [*port, *port + 1].iter().all(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        })
        .unwrap();
    let at_client = run(&ClientConfig {
        bind: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, first))),
        parallel: NonZeroU16::new(2).unwrap(),
        amount: Amount::Bytes(1_000),
        ..client_config(server.address())
    });
    at_server.wait_for_ends(2);
    let ports: BTreeSet<u16> =
        at_client.started().iter().map(|started| started.local.port()).collect();
    assert_eq!(ports, BTreeSet::from([first, first + 1]));
    assert_eq!(at_client.totals().len(), 2);
}

#[test]
fn socket_options_take_effect() {
    let tcp = TcpSocketOptions { mss: Some(700), nodelay: true, congestion: Some("reno".into()) };
    let (server, at_server) =
        start_server(&server_config(TcpServerOptions { tcp: tcp.clone(), ..tcp_server_options() }));
    let options = TcpClientOptions { tcp, ..tcp_client_options() };
    let at_client = run(&ClientConfig {
        transport: ClientTransport::Tcp(options),
        socket: SocketOptions { window: Some(100_000), ..SocketOptions::default() },
        amount: Amount::Bytes(1_000_000),
        ..client_config(server.address())
    });
    at_server.wait_for_ends(1);
    let mss = at_client.started()[0].tcp.unwrap().mss;
    assert!((600..=700).contains(&mss), "{mss}");
    assert_eq!(at_server.totals()[0].figures.bytes, 1_000_000);
}

#[test]
fn a_congestion_control_that_does_not_exist_is_named() {
    let tcp = TcpSocketOptions { congestion: Some("nosuch".into()), ..TcpSocketOptions::default() };
    let (server, _) = plain_server();
    let options = TcpClientOptions { tcp: tcp.clone(), ..tcp_client_options() };
    let config = ClientConfig {
        transport: ClientTransport::Tcp(options),
        ..client_config(server.address())
    };
    let (error, totals) = run(&config).failure();
    assert!(error.to_string().contains("\"nosuch\""), "{error}");
    assert_eq!(totals, None);
    let options = TcpServerOptions { tcp, ..tcp_server_options() };
    let error = Server::start(&server_config(options), Events::default().sink()).unwrap_err();
    assert!(error.to_string().contains("\"nosuch\""), "{error}");
}

#[test]
fn a_port_in_use_is_an_error_that_names_it() {
    let (server, _) = plain_server();
    let config =
        ServerConfig { port: server.address().port(), ..server_config(tcp_server_options()) };
    let error = Server::start(&config, Events::default().sink()).unwrap_err();
    let EngineError::System { operation, .. } = error else { panic!("{error:?}") };
    assert!(operation.contains(&server.address().to_string()), "{operation}");
}

#[test]
fn a_port_can_be_listened_on_again_right_after_a_test() {
    let (server, at_server) = plain_server();
    let address = server.address();
    run(&ClientConfig { direction: Direction::Reverse, ..client_config(address) });
    at_server.wait_for_ends(1);
    server.stop();
    let again = ServerConfig { port: address.port(), ..server_config(tcp_server_options()) };
    let (server, _) = start_server(&again);
    assert_eq!(server.address(), address);
}
