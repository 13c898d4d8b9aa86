//! What the TCP tests share: ends whose events are collected, and hand-made peers.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use linerate_engine::cancel::Cancel;
use linerate_engine::config::{
    Addressing, Amount, ClientConfig, ClientTransport, Direction, Length, PermitKey, Rate,
    ServerConfig, ServerTransport, SocketOptions, TcpClientOptions, TcpServerOptions,
    TcpSocketOptions,
};
use linerate_engine::error::EngineError;
use linerate_engine::event::{Event, EventKind, Interval, Role, StreamId, StreamStarted, Totals};
use linerate_engine::net::{EventSink, Server, run_client};
use socket2::SockRef;

/// How long a test waits for something that should happen at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Events of one end, in the order in which they came.
#[derive(Clone, Default)]
pub(crate) struct Events(Arc<(Mutex<Vec<EventKind>>, Condvar)>);

impl Events {
    pub(crate) fn sink(&self) -> EventSink {
        let shared = Arc::clone(&self.0);
        Arc::new(move |event: Event| {
            shared.0.lock().unwrap_or_else(PoisonError::into_inner).push(event.kind);
            shared.1.notify_all();
        })
    }

    pub(crate) fn all(&self) -> Vec<EventKind> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until the events satisfy `condition`.
    pub(crate) fn wait_until(&self, what: &str, condition: impl Fn(&[EventKind]) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        let mut events = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !condition(&events) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "waited in vain until {what}: {events:#?}");
            (events, _) =
                self.0.1.wait_timeout(events, left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until `count` streams have come to an end of either kind.
    pub(crate) fn wait_for_ends(&self, count: usize) {
        self.wait_until(&format!("{count} streams have ended"), |events| ends(events) >= count);
        assert_eq!(ends(&self.all()), count, "each stream ends once: {:#?}", self.all());
    }

    /// Waits until `count` streams have started.
    pub(crate) fn wait_for_starts(&self, count: usize) {
        self.wait_until(&format!("{count} streams have started"), |events| {
            events.iter().filter(|kind| matches!(kind, EventKind::StreamStarted(_))).count()
                >= count
        });
    }

    /// The totals of the streams, which must all have ended regularly, in the order of their numbers.
    pub(crate) fn totals(&self) -> Vec<Totals> {
        let mut all: Vec<Totals> = Vec::new();
        for kind in self.all() {
            match kind {
                EventKind::StreamEnded(totals) => all.push(totals),
                EventKind::StreamFailed { .. } => panic!("a stream failed: {kind:?}"),
                _ => {}
            }
        }
        all.sort_by_key(|totals| totals.stream);
        all
    }

    /// The failure of the only stream.
    pub(crate) fn failure(&self) -> (EngineError, Option<Totals>) {
        let failures: Vec<_> = self
            .all()
            .into_iter()
            .filter_map(|kind| match kind {
                EventKind::StreamFailed { error, totals, .. } => Some((error, totals)),
                _ => None,
            })
            .collect();
        assert_eq!((failures.len(), ends(&self.all())), (1, 1), "{:#?}", self.all());
        failures.into_iter().next().expect("one failure")
    }

    pub(crate) fn started(&self) -> Vec<StreamStarted> {
        let started = |kind| match kind {
            EventKind::StreamStarted(started) => Some(started),
            _ => None,
        };
        self.all().into_iter().filter_map(started).collect()
    }

    pub(crate) fn intervals(&self, stream: u32) -> Vec<Interval> {
        let interval = |kind| match kind {
            EventKind::Interval(interval) if interval.stream == StreamId(stream) => Some(interval),
            _ => None,
        };
        self.all().into_iter().filter_map(interval).collect()
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        let text = |kind| match kind {
            EventKind::Note { text, .. } => Some(text),
            _ => None,
        };
        self.all().into_iter().filter_map(text).collect()
    }
}

fn ends(events: &[EventKind]) -> usize {
    let is_end = |kind: &&EventKind| {
        matches!(kind, EventKind::StreamEnded(_) | EventKind::StreamFailed { .. })
    };
    events.iter().filter(is_end).count()
}

pub(crate) fn tcp_server_options() -> TcpServerOptions {
    TcpServerOptions {
        tcp: TcpSocketOptions::default(),
        permit_key: None,
        header_timeout: Duration::from_secs(20),
    }
}

pub(crate) fn server_config(options: TcpServerOptions) -> ServerConfig {
    ServerConfig {
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        ports: NonZeroU16::MIN,
        transport: ServerTransport::Tcp(options),
        length: Length::Default(131_072),
        interval: None,
        socket: SocketOptions::default(),
    }
}

pub(crate) fn start_server(config: &ServerConfig) -> (Server, Events) {
    let events = Events::default();
    let server = Server::start(config, events.sink()).expect("the server starts");
    (server, events)
}

/// A server without options on the loopback interface.
pub(crate) fn plain_server() -> (Server, Events) {
    start_server(&server_config(tcp_server_options()))
}

pub(crate) fn tcp_client_options() -> TcpClientOptions {
    TcpClientOptions {
        connect_timeout: Duration::from_secs(20),
        tcp: TcpSocketOptions::default(),
        permit_key: None,
    }
}

/// A client that sends for 0.3 s.
pub(crate) fn client_config(server: SocketAddr) -> ClientConfig {
    ClientConfig {
        server,
        bind: None,
        transport: ClientTransport::Tcp(tcp_client_options()),
        direction: Direction::Forward,
        amount: Amount::Time(Duration::from_millis(300)),
        rate: Rate::Unlimited,
        length: Length::Default(131_072),
        parallel: NonZeroU16::MIN,
        interval: None,
        socket: SocketOptions::default(),
        trip_times: false,
        addressing: Addressing::default(),
    }
}

pub(crate) fn with_key(config: ClientConfig, key: &str) -> ClientConfig {
    let options =
        TcpClientOptions { permit_key: Some(PermitKey(key.into())), ..tcp_client_options() };
    ClientConfig { transport: ClientTransport::Tcp(options), ..config }
}

/// Runs a client to its end.
pub(crate) fn run(config: &ClientConfig) -> Events {
    let events = Events::default();
    run_client(config, &events.sink(), &Cancel::new());
    events
}

/// Runs a client in the background.
pub(crate) fn run_in_background(config: ClientConfig) -> (Events, Cancel, JoinHandle<()>) {
    let (events, cancel) = (Events::default(), Cancel::new());
    let (sink, token) = (events.sink(), cancel.clone());
    let thread = thread::spawn(move || run_client(&config, &sink, &token));
    (events, cancel, thread)
}

/// A peer made by hand: runs `serve` with the first connection that comes.
pub(crate) fn hand_made_server<T: Send + 'static>(
    serve: impl FnOnce(TcpStream) -> T + Send + 'static,
) -> (SocketAddr, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let thread = thread::spawn(move || serve(listener.accept().expect("a client").0));
    (address, thread)
}

/// Connects a peer made by hand.
pub(crate) fn hand_made_client(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).expect("the server accepts");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
    stream
}

/// Closes a connection with a reset.
pub(crate) fn reset(stream: TcpStream) {
    SockRef::from(&stream).set_linger(Some(Duration::ZERO)).expect("linger can be set");
    drop(stream);
}

/// Reads a test header of 64 bytes.
pub(crate) fn read_header(stream: &mut TcpStream) -> [u8; 64] {
    let mut header = [0; 64];
    stream.read_exact(&mut header).expect("a test header");
    header
}

/// Reads to the end and gives the number of bytes.
pub(crate) fn read_to_end(stream: &mut TcpStream) -> usize {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("the peer closes");
    rest.len()
}

/// The bytes of a header that iperf 2.1.8 sends for a test of `amount` (−100: one second; positive: bytes).
pub(crate) fn header_2_1(first_word: u32, amount: i32) -> Vec<u8> {
    let mut header = vec![0; 60];
    header[0..4].copy_from_slice(&first_word.to_be_bytes());
    header[7] = 1;
    header[20..24].copy_from_slice(&amount.to_be_bytes());
    header[36..44].copy_from_slice(&[0, 2, 0, 1, 0, 8, 0, 3]);
    header
}

/// Sends bytes to a server.
pub(crate) fn send(stream: &mut TcpStream, bytes: &[u8]) {
    stream.write_all(bytes).expect("the server takes it");
}

/// The role of the only stream, its bytes, and the error that ended it, if any.
pub(crate) fn outcome(events: &Events) -> (Role, u64, Option<EngineError>) {
    for kind in events.all() {
        match kind {
            EventKind::StreamEnded(totals) => return (totals.role, totals.figures.bytes, None),
            EventKind::StreamFailed { error, totals: Some(totals), .. } => {
                return (totals.role, totals.figures.bytes, Some(error));
            }
            _ => {}
        }
    }
    panic!("no stream has ended: {:#?}", events.all());
}
