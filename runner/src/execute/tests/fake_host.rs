//! A host that invents its traffic.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use linerate_engine::cancel::Cancel;
use linerate_engine::config::{ClientConfig, ServerConfig};
use linerate_engine::error::EngineError;
use linerate_engine::event::{
    Event, EventKind, Figures, Interval, Role, StreamId, StreamStarted, Totals,
};
use linerate_engine::net::EventSink;
use linerate_schema::results::HostFacts;

use crate::hosts::{EngineHost, RunningServer};

/// What the clients of a fake host do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Client {
    /// They send, and all of it arrives.
    Transfers,
    /// They send until they are cancelled.
    SendsForEver,
    /// They neither send nor end, whatever is asked of them.
    Hangs,
    /// They send, and nothing arrives.
    SendsIntoTheVoid,
    /// Their server goes away in the middle.
    LosesItsPeer,
    /// They cannot connect.
    IsRefused,
    /// They crash.
    Panics,
    /// Their server never tells the end of the stream by itself.
    LeavesItsServerWaiting,
}

/// What the servers of a fake host do when they start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Servers {
    Listen,
    FindTheirPortInUse,
}

pub(super) struct FakeHost {
    pub(super) client: Client,
    pub(super) servers: Servers,
    /// Sinks of the servers by their port, and the number of streams that each has seen.
    pub(super) servers_by_port: Mutex<BTreeMap<u16, (EventSink, u32)>>,
    pub(super) next_port: AtomicUsize,
    /// The configurations that clients ran with.
    pub(super) clients: Mutex<Vec<ClientConfig>>,
    /// Called when a client has begun to send.
    pub(super) on_traffic: Box<dyn Fn() + Send + Sync>,
}

impl FakeHost {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            servers: Servers::Listen,
            servers_by_port: Mutex::default(),
            next_port: AtomicUsize::new(40_000),
            clients: Mutex::default(),
            on_traffic: Box::new(|| {}),
        }
    }

    fn new_port(&self) -> u16 {
        u16::try_from(self.next_port.fetch_add(1, Ordering::Relaxed)).unwrap()
    }

    /// The sink of a server and its number for a new stream.
    fn accept(&self, port: u16) -> (EventSink, u32) {
        let mut servers = self.servers_by_port.lock().unwrap();
        let (sink, streams) = servers.get_mut(&port).expect("the server listens");
        *streams += 1;
        (Arc::clone(sink), *streams)
    }
}

fn tell(sink: &EventSink, kind: EventKind) {
    sink(Event { at: Duration::ZERO, kind });
}

fn totals(stream: u32, role: Role, bytes: u64) -> Totals {
    let figures = Figures { bytes, calls: 1, ..Figures::default() };
    Totals { stream: StreamId(stream), role, duration: Duration::from_secs(10), figures }
}

fn started(stream: u32, role: Role, local: SocketAddr, peer: SocketAddr) -> EventKind {
    EventKind::StreamStarted(StreamStarted {
        stream: StreamId(stream),
        role,
        local,
        peer,
        connect_time: None,
        tcp: None,
        peer_version: None,
    })
}

fn failed(stream: u32, error: EngineError, totals: Option<Totals>) -> EventKind {
    let role = totals.as_ref().map(|totals| totals.role);
    EventKind::StreamFailed { stream: StreamId(stream), role, error, totals }
}

fn interval(stream: u32, role: Role) -> EventKind {
    EventKind::Interval(Interval {
        stream: StreamId(stream),
        role,
        start: Duration::ZERO,
        end: Duration::from_secs(1),
        figures: Figures { bytes: 1000, ..Figures::default() },
    })
}

fn wait_for_cancel(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        thread::sleep(Duration::from_millis(1));
    }
}

impl EngineHost for FakeHost {
    fn facts(&self) -> HostFacts {
        HostFacts { hostname: Some("fake".to_owned()), ..HostFacts::default() }
    }

    fn start_server(
        &self,
        config: &ServerConfig,
        sink: EventSink,
    ) -> Result<Box<dyn RunningServer>, EngineError> {
        if self.servers == Servers::FindTheirPortInUse && config.port != 0 {
            return Err(EngineError::System {
                operation: format!("bind to {}:{}", config.address, config.port),
                reason: "Address already in use (os error 98)".to_owned(),
            });
        }
        let port = if config.port == 0 { self.new_port() } else { config.port };
        self.servers_by_port.lock().unwrap().insert(port, (Arc::clone(&sink), 0));
        let address = SocketAddr::new(config.address, port);
        let unfinished =
            matches!(self.client, Client::LeavesItsServerWaiting | Client::SendsForEver);
        Ok(Box::new(FakeServer { address, sink, unfinished }))
    }

    fn run_client(&self, config: &ClientConfig, sink: &EventSink, cancel: &Cancel) {
        self.clients.lock().unwrap().push(config.clone());
        if self.client == Client::IsRefused {
            return tell(sink, failed(1, EngineError::Refused, None));
        }
        let local = SocketAddr::new("127.0.0.1".parse().unwrap(), self.new_port());
        tell(sink, started(1, Role::Sender, local, config.server));
        let (server, n) = self.accept(config.server.port());
        let arrives = self.client != Client::SendsIntoTheVoid;
        if arrives {
            tell(&server, started(n, Role::Receiver, config.server, local));
            tell(sink, interval(1, Role::Sender));
            tell(&server, interval(n, Role::Receiver));
        }
        (self.on_traffic)();
        let vanished = || EngineError::PeerVanished { reason: "connection reset".to_owned() };
        match self.client {
            Client::Transfers => {
                tell(sink, EventKind::StreamEnded(totals(1, Role::Sender, 1000)));
                // The receiver is always a little behind.
                thread::spawn(move || {
                    tell(&server, EventKind::StreamEnded(totals(n, Role::Receiver, 1000)));
                });
            }
            Client::SendsIntoTheVoid | Client::LeavesItsServerWaiting => {
                tell(sink, EventKind::StreamEnded(totals(1, Role::Sender, 1000)));
            }
            Client::LosesItsPeer => {
                tell(&server, failed(n, vanished(), Some(totals(n, Role::Receiver, 400))));
                tell(sink, failed(1, vanished(), Some(totals(1, Role::Sender, 500))));
            }
            Client::SendsForEver => {
                wait_for_cancel(cancel);
                tell(sink, failed(1, EngineError::Cancelled, Some(totals(1, Role::Sender, 500))));
            }
            Client::Hangs => loop {
                thread::park();
            },
            Client::Panics => panic!("the engine has a bug, and this test invents it"),
            Client::IsRefused => {}
        }
    }
}

struct FakeServer {
    address: SocketAddr,
    sink: EventSink,
    /// Whether a stream is still open when it is stopped.
    unfinished: bool,
}

impl RunningServer for FakeServer {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn stop(self: Box<Self>) {
        if self.unfinished {
            let partial = Some(totals(1, Role::Receiver, 400));
            tell(&self.sink, failed(1, EngineError::Cancelled, partial));
        }
    }
}
