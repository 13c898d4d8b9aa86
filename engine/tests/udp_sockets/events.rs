//! Ends whose events are collected, and configurations to start from.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use linerate_engine::cancel::Cancel;
use linerate_engine::config::{
    Addressing, Amount, ClientConfig, ClientTransport, Direction, Length, Rate, ServerConfig,
    ServerTransport, SocketOptions, UdpServerOptions,
};
use linerate_engine::error::EngineError;
use linerate_engine::event::{
    Datagrams, Event, EventKind, Interval, Role, StreamId, StreamStarted, Totals,
};
use linerate_engine::net::{EventSink, Server, run_client};

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

    /// Waits until `count` streams have come to an end of either kind; each ends once.
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

    /// The totals of one role of all streams; see [`Self::totals`].
    pub(crate) fn totals_as(&self, role: Role) -> Vec<Totals> {
        self.totals().into_iter().filter(|totals| totals.role == role).collect()
    }

    /// The totals of all streams and roles, which must have ended regularly and once, by stream.
    pub(crate) fn totals(&self) -> Vec<Totals> {
        let mut all = self.pick(|kind| match kind {
            EventKind::StreamEnded(totals) => Some(totals),
            EventKind::StreamFailed { .. } => panic!("a stream failed: {kind:?}"),
            _ => None,
        });
        all.sort_by_key(|totals| totals.stream);
        let key = |totals: &Totals| (totals.stream, totals.role);
        all.windows(2).for_each(|pair| assert_ne!(key(&pair[0]), key(&pair[1])));
        all
    }

    /// The totals in the server's reports, by stream.
    pub(crate) fn reports(&self) -> Vec<Totals> {
        let mut all = self.pick(|kind| match kind {
            EventKind::ServerReport { totals, .. } => Some(totals),
            _ => None,
        });
        all.sort_by_key(|totals| totals.stream);
        all
    }

    /// The failures of all streams.
    pub(crate) fn failures(&self) -> Vec<(EngineError, Option<Totals>)> {
        self.pick(|kind| match kind {
            EventKind::StreamFailed { error, totals, .. } => Some((error, totals)),
            _ => None,
        })
    }

    /// The failure of the only stream.
    pub(crate) fn failure(&self) -> (EngineError, Option<Totals>) {
        assert_eq!(ends(&self.all()), 1, "{:#?}", self.all());
        self.failures().into_iter().next().expect("a failure")
    }

    pub(crate) fn started(&self) -> Vec<StreamStarted> {
        self.pick(|kind| match kind {
            EventKind::StreamStarted(started) => Some(started),
            _ => None,
        })
    }

    pub(crate) fn intervals(&self, stream: u32) -> Vec<Interval> {
        self.pick(|kind| match kind {
            EventKind::Interval(interval) if interval.stream == StreamId(stream) => Some(interval),
            _ => None,
        })
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        self.pick(|kind| match kind {
            EventKind::Note { text, .. } => Some(text),
            _ => None,
        })
    }

    fn pick<T>(&self, picked: impl Fn(EventKind) -> Option<T>) -> Vec<T> {
        self.all().into_iter().filter_map(picked).collect()
    }
}

fn ends(events: &[EventKind]) -> usize {
    let is_end = |kind: &&EventKind| {
        matches!(kind, EventKind::StreamEnded(_) | EventKind::StreamFailed { .. })
    };
    events.iter().filter(is_end).count()
}

pub(crate) fn server_config() -> ServerConfig {
    let options = UdpServerOptions { idle_timeout: Duration::from_secs(20) };
    ServerConfig {
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        ports: NonZeroU16::MIN,
        transport: ServerTransport::Udp(options),
        length: Length::Default(1470),
        interval: None,
        socket: SocketOptions::default(),
    }
}

pub(crate) fn start_server(config: &ServerConfig) -> (Server, Events) {
    let events = Events::default();
    let server = Server::start(config, events.sink()).expect("the server starts");
    (server, events)
}

/// A short test: 50 datagrams of 200 bytes, in a tenth of a second if the host keeps the rate.
pub(crate) fn client_config(server: SocketAddr) -> ClientConfig {
    ClientConfig {
        server,
        bind: None,
        transport: ClientTransport::Udp,
        direction: Direction::Forward,
        amount: Amount::Bytes(10_000),
        rate: Rate::PacketsPerSecond(500.0),
        length: Length::Chosen(200),
        parallel: NonZeroU16::MIN,
        interval: None,
        socket: SocketOptions::default(),
        trip_times: false,
        addressing: Addressing::default(),
    }
}

pub(crate) fn run(config: &ClientConfig) -> Events {
    let events = Events::default();
    run_client(config, &events.sink(), &Cancel::new());
    events
}

pub(crate) fn datagrams(totals: &Totals) -> Datagrams {
    totals.figures.datagrams.expect("counts of datagrams")
}

/// Both ends, and the report, tell the same about a flow without loss.
pub(crate) fn assert_same(sender: &Totals, receiver: &Totals) {
    assert_eq!((sender.role, receiver.role), (Role::Sender, Role::Receiver));
    assert_eq!(sender.figures.bytes, receiver.figures.bytes);
    let (sent, received) = (datagrams(sender), datagrams(receiver));
    assert!(sent.sent > 0);
    assert_eq!((received.sent, received.received), (sent.sent, sent.sent));
    assert_eq!((received.lost, received.out_of_order), (0, 0));
    assert_eq!(received.duplicates.unwrap_or(0), 0);
}
