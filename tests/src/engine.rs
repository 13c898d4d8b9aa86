//! The engine's own client and server with their events collected.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use linerate_engine::cancel::Cancel;
use linerate_engine::config::{
    Addressing, Amount, ClientConfig, ClientTransport, Direction, Length, Rate, ServerConfig,
    ServerTransport, SocketOptions, TcpClientOptions, TcpServerOptions, TcpSocketOptions,
    UdpServerOptions,
};
use linerate_engine::event::{Event, EventKind, Role, Totals};
use linerate_engine::net::{EventSink, Server, run_client};

/// Events of one end, in the order in which they came.
#[derive(Debug, Clone, Default)]
pub struct Events(Arc<Mutex<Vec<Event>>>);

impl Events {
    /// A sink that adds to this list.
    #[must_use]
    pub fn sink(&self) -> EventSink {
        let events = Arc::clone(&self.0);
        Arc::new(move |event| events.lock().unwrap_or_else(PoisonError::into_inner).push(event))
    }

    /// What has happened until now.
    #[must_use]
    pub fn all(&self) -> Vec<EventKind> {
        let events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        events.iter().map(|event| event.kind.clone()).collect()
    }

    /// The totals of the streams that ended regularly in this role.
    #[must_use]
    pub fn ended(&self, role: Role) -> Vec<Totals> {
        let regular = |kind| match kind {
            EventKind::StreamEnded(totals) if totals.role == role => Some(totals),
            _ => None,
        };
        self.all().into_iter().filter_map(regular).collect()
    }

    /// The totals of exactly `count` streams that ended regularly in this role, and no failure.
    ///
    /// # Panics
    /// When that is not so within ten seconds.
    #[must_use]
    pub fn wait_for_ended(&self, role: Role, count: usize) -> Vec<Totals> {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let failed =
                self.all().into_iter().find(|kind| matches!(kind, EventKind::StreamFailed { .. }));
            assert!(failed.is_none(), "a stream failed: {failed:?}");
            let ended = self.ended(role);
            if ended.len() >= count {
                assert_eq!(ended.len(), count, "more streams ended than were started: {ended:?}");
                return ended;
            }
            assert!(
                Instant::now() < deadline,
                "{count} streams should have ended as {role:?}, but: {:?}",
                self.all()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The reports of a UDP server.
    #[must_use]
    pub fn server_reports(&self) -> Vec<Totals> {
        let report = |kind| match kind {
            EventKind::ServerReport { totals, .. } => Some(totals),
            _ => None,
        };
        self.all().into_iter().filter_map(report).collect()
    }
}

/// A server configuration with defaults and a port chosen by the system.
#[must_use]
pub fn server_config(udp: bool) -> ServerConfig {
    ServerConfig {
        address: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        port: 0,
        ports: NonZeroU16::MIN,
        transport: if udp {
            ServerTransport::Udp(UdpServerOptions { idle_timeout: Duration::from_secs(10) })
        } else {
            ServerTransport::Tcp(TcpServerOptions {
                tcp: TcpSocketOptions::default(),
                permit_key: None,
                header_timeout: Duration::from_secs(10),
            })
        },
        length: Length::Default(if udp { 1470 } else { 128 * 1024 }),
        interval: None,
        socket: SocketOptions::default(),
    }
}

/// A client configuration with iperf's defaults, for one second.
#[must_use]
pub fn client_config(udp: bool, server: SocketAddr) -> ClientConfig {
    ClientConfig {
        server,
        bind: None,
        transport: if udp {
            ClientTransport::Udp
        } else {
            ClientTransport::Tcp(TcpClientOptions {
                connect_timeout: Duration::from_secs(5),
                tcp: TcpSocketOptions::default(),
                permit_key: None,
            })
        },
        direction: Direction::Forward,
        amount: Amount::Time(Duration::from_secs(1)),
        rate: if udp { Rate::BitsPerSecond(1 << 20) } else { Rate::Unlimited },
        length: Length::Default(if udp { 1470 } else { 128 * 1024 }),
        parallel: NonZeroU16::MIN,
        interval: None,
        socket: SocketOptions::default(),
        trip_times: false,
        addressing: Addressing::default(),
    }
}

/// Starts a server; its events are collected.
///
/// # Panics
/// When it cannot be started.
#[must_use]
pub fn start_server(config: &ServerConfig) -> (Server, Events) {
    let events = Events::default();
    let server = Server::start(config, events.sink()).expect("the server starts");
    (server, events)
}

/// Runs a client to its end and gives its events.
#[must_use]
pub fn run(config: &ClientConfig) -> Events {
    let events = Events::default();
    run_client(config, &events.sink(), &Cancel::new());
    events
}

/// Sum of the bytes of several streams.
#[must_use]
pub fn bytes(totals: &[Totals]) -> u64 {
    totals.iter().map(|totals| totals.figures.bytes).sum()
}
