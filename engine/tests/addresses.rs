//! Streams of one client at several addresses and ports, and servers that listen at several ports.

mod tcp_support;

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::num::NonZeroU16;
use std::time::Duration;

use linerate_engine::config::{
    Addressing, ClientConfig, ClientTransport, Increment, Rate, ServerConfig, ServerTransport,
    SocketOptions, UdpServerOptions,
};
use linerate_engine::error::EngineError;
use linerate_engine::event::EventKind;
use linerate_engine::net::{EventSink, Server};
use tcp_support::{Events, client_config, run, server_config, tcp_server_options};

const PORTS: NonZeroU16 = NonZeroU16::new(3).expect("not zero");

#[derive(Debug, Clone, Copy)]
enum Kind {
    Tcp,
    Udp,
}

fn server_of(kind: Kind) -> ServerConfig {
    let transport = match kind {
        Kind::Tcp => ServerTransport::Tcp(tcp_server_options()),
        Kind::Udp => {
            ServerTransport::Udp(UdpServerOptions { idle_timeout: Duration::from_secs(10) })
        }
    };
    let address = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    ServerConfig { address, transport, ..server_config(tcp_server_options()) }
}

/// A server at three ports in a row, wherever they are free.
fn start_at_three_ports(kind: Kind) -> (Server, Events) {
    for _ in 0..50 {
        let events = Events::default();
        let free = Server::start(&server_of(kind), EventSink::clone(&events.sink()));
        let first = free.expect("a free port").address().port();
        let config = ServerConfig { port: first, ports: PORTS, ..server_of(kind) };
        if let Ok(server) = Server::start(&config, events.sink()) {
            return (server, events);
        }
    }
    panic!("there are no three free ports in a row");
}

fn three_streams(kind: Kind, server: SocketAddr, increment: Increment) -> ClientConfig {
    let config = client_config(server);
    ClientConfig {
        transport: match kind {
            Kind::Tcp => config.transport,
            Kind::Udp => ClientTransport::Udp,
        },
        rate: Rate::BitsPerSecond(1_000_000),
        length: linerate_engine::config::Length::Chosen(1000),
        parallel: PORTS,
        addressing: Addressing { increment, ..Addressing::default() },
        ..client_config(server)
    }
}

/// The server's end of each stream, as the client and as the server see it.
fn server_ends(client: &Events, server: &Events) -> (BTreeSet<SocketAddr>, BTreeSet<SocketAddr>) {
    client.wait_for_ends(3);
    server.wait_for_ends(3);
    assert_eq!(client.totals().len(), 3, "all streams ended regularly");
    assert_eq!(server.totals().len(), 3, "all streams ended regularly, each with its own number");
    (
        client.started().into_iter().map(|started| started.peer).collect(),
        server.started().into_iter().map(|started| started.local).collect(),
    )
}

#[test]
fn each_port_of_a_range_serves_one_stream() {
    for kind in [Kind::Tcp, Kind::Udp] {
        let (server, at_server) = start_at_three_ports(kind);
        let first = SocketAddr::from((Ipv4Addr::LOCALHOST, server.address().port()));
        let increment = Increment { destination_port: true, ..Increment::default() };
        let at_client = run(&three_streams(kind, first, increment));
        let (peers, locals) = server_ends(&at_client, &at_server);
        let expected: BTreeSet<SocketAddr> =
            (0..3).map(|step| SocketAddr::new(first.ip(), first.port() + step)).collect();
        assert_eq!((&peers, &locals), (&expected, &expected), "{kind:?}");
    }
}

#[test]
fn addresses_of_both_ends_count_up() {
    for kind in [Kind::Tcp, Kind::Udp] {
        let events = Events::default();
        let server = Server::start(&server_of(kind), events.sink()).expect("the server starts");
        let first = SocketAddr::from(([127, 0, 0, 20], server.address().port()));
        let increment =
            Increment { destination_address: true, source_address: true, ..Increment::default() };
        let bind = Some("127.0.0.40:0".parse().expect("an address"));
        let at_client = run(&ClientConfig { bind, ..three_streams(kind, first, increment) });
        let (peers, locals) = server_ends(&at_client, &events);
        let expected: BTreeSet<SocketAddr> =
            (20..23).map(|last| SocketAddr::from(([127, 0, 0, last], first.port()))).collect();
        assert_eq!((&peers, &locals), (&expected, &expected), "{kind:?}");
        let sources: BTreeSet<IpAddr> =
            events.started().into_iter().map(|started| started.peer.ip()).collect();
        assert_eq!(sources, (40..43).map(|last| IpAddr::from([127, 0, 0, last])).collect());
    }
}

#[test]
fn a_server_that_cannot_have_all_its_ports_gives_back_those_it_had() {
    // Somebody else may take a port in between; one clean attempt is proof enough.
    let gave_back = (0..20).any(|_| {
        let (server, _events) = start_at_three_ports(Kind::Tcp);
        let first = server.address().port();
        server.stop();
        let Ok(taken) = TcpListener::bind((Ipv4Addr::UNSPECIFIED, first + 2)) else { return false };
        let config = ServerConfig { port: first, ports: PORTS, ..server_of(Kind::Tcp) };
        let error = Server::start(&config, Events::default().sink()).expect_err("a port is taken");
        assert!(error.to_string().contains("in use"), "{error}");
        drop(taken);
        TcpListener::bind((Ipv4Addr::UNSPECIFIED, first)).is_ok()
    });
    assert!(gave_back);
}

#[test]
fn ports_that_end_before_the_range_are_refused() {
    for (port, ports) in [(65_534, 3), (0, 2)] {
        let ports = NonZeroU16::new(ports).expect("not zero");
        let config = ServerConfig { port, ports, ..server_of(Kind::Udp) };
        let error = Server::start(&config, Events::default().sink()).expect_err("no such ports");
        assert!(matches!(error, EngineError::System { .. }), "{error}");
        assert!(error.to_string().contains("end at 65535"), "{error}");
    }
}

/// How streams failed that never started.
fn failures(events: &Events) -> Vec<String> {
    let failure = |kind| match kind {
        EventKind::StreamFailed { error, totals: None, .. } => Some(error.to_string()),
        EventKind::StreamEnded(_) | EventKind::StreamFailed { .. } => panic!("{kind:?}"),
        _ => None,
    };
    events.all().into_iter().filter_map(failure).collect()
}

#[test]
fn a_device_that_is_not_there_is_the_failure_of_every_stream() {
    let (server, _events) = start_at_three_ports(Kind::Tcp);
    let socket = SocketOptions { device: Some("nowhere0".into()), ..SocketOptions::default() };
    for kind in [Kind::Tcp, Kind::Udp] {
        let config = ClientConfig {
            socket: socket.clone(),
            ..three_streams(kind, server.address(), Increment::default())
        };
        let events = run(&config);
        events.wait_for_ends(3);
        for error in failures(&events) {
            assert!(error.contains("bind to the interface nowhere0"), "{error}");
        }
    }
}

#[test]
fn a_zone_that_is_not_there_is_told() {
    let config = client_config("[fe80::1]:5001".parse().expect("an address"));
    let addressing = Addressing { zone: Some("nowhere0".into()), ..Addressing::default() };
    let events = run(&ClientConfig { addressing, ..config });
    events.wait_for_ends(1);
    let error = failures(&events).remove(0);
    assert!(error.contains("use the interface nowhere0 for fe80::1"), "{error}");
}
