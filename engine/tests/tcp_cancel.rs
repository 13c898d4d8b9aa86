//! Cancelling ends everything at once, and leaves no thread and no socket.
//!
//! One test only: it counts the threads and the sockets of its whole process.

#![cfg(target_os = "linux")]

mod tcp_support;

use std::fs;
use std::net::TcpListener;
use std::num::NonZeroU16;
use std::time::{Duration, Instant};

use linerate_engine::config::{Amount, ClientConfig, Direction, Rate};
use linerate_engine::error::EngineError;
use linerate_engine::event::EventKind;
use tcp_support::{
    Events, PATIENCE, client_config, hand_made_client, plain_server, run_in_background,
};

fn threads() -> usize {
    fs::read_dir("/proc/self/task").expect("threads are listed").count()
}

fn sockets() -> usize {
    let descriptors = fs::read_dir("/proc/self/fd").expect("descriptors are listed");
    descriptors
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok())
        .filter(|target| target.to_string_lossy().starts_with("socket:"))
        .count()
}

fn long(server: std::net::SocketAddr) -> ClientConfig {
    ClientConfig {
        amount: Amount::Time(Duration::from_secs(600)),
        parallel: NonZeroU16::MIN.saturating_add(1),
        ..client_config(server)
    }
}

fn assert_cancelled(events: &Events, streams: usize) {
    events.wait_for_ends(streams);
    for kind in events.all() {
        if let EventKind::StreamFailed { error, totals, .. } = kind {
            assert_eq!(error, EngineError::Cancelled);
            assert!(totals.is_some_and(|totals| totals.figures.bytes > 0));
        }
    }
    let ended = events.all().iter().any(|kind| matches!(kind, EventKind::StreamEnded(_)));
    assert!(!ended, "{:#?}", events.all());
}

#[test]
fn everything_ends_within_a_second_and_nothing_is_left() {
    let before = (threads(), sockets());
    // A second is promised; a busy machine gets two more.
    let soon = Duration::from_secs(3);

    for config in [
        long,
        |server| ClientConfig { direction: Direction::Reverse, ..long(server) },
        |server| ClientConfig {
            rate: Rate::BitsPerSecond(9_000_000),
            trip_times: true,
            ..long(server)
        },
    ] {
        // The client is cancelled: its streams report what they measured, the server sees them go.
        let (server, at_server) = plain_server();
        let (at_client, cancel, client) = run_in_background(config(server.address()));
        at_client.wait_for_starts(2);
        at_server.wait_for_starts(2);
        std::thread::sleep(Duration::from_millis(300));
        let asked = Instant::now();
        cancel.cancel();
        client.join().unwrap();
        assert!(asked.elapsed() < soon, "{:?}", asked.elapsed());
        assert_cancelled(&at_client, 2);
        at_server.wait_for_ends(2);
        server.stop();

        // The server is stopped while clients are at work, one is silent and one only half a header.
        let (server, at_server) = plain_server();
        let silent = hand_made_client(&server);
        let (at_client, _, client) = run_in_background(config(server.address()));
        at_client.wait_for_starts(2);
        at_server.wait_for_starts(2);
        std::thread::sleep(Duration::from_millis(300));
        let asked = Instant::now();
        server.stop();
        assert!(asked.elapsed() < soon, "{:?}", asked.elapsed());
        client.join().unwrap();
        at_client.wait_for_ends(2);
        at_server.wait_for_ends(3);
        let cancelled = at_server
            .all()
            .iter()
            .filter(|kind| {
                matches!(kind, EventKind::StreamFailed { error: EngineError::Cancelled, .. })
            })
            .count();
        assert_eq!(cancelled, 3);
        drop(silent);
    }

    // A peer that reads nothing, and one that does not even accept.
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    let (at_client, cancel, client) = run_in_background(long(deaf.local_addr().unwrap()));
    at_client.wait_for_starts(2);
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    cancel.cancel();
    client.join().unwrap();
    assert!(asked.elapsed() < soon, "{:?}", asked.elapsed());
    assert_cancelled(&at_client, 2);
    drop(deaf);

    // A thread that was waited for may be in the list of threads for a moment longer.
    let deadline = Instant::now() + PATIENCE;
    while (threads(), sockets()) != before && Instant::now() < deadline {
        std::thread::yield_now();
    }
    assert_eq!((threads(), sockets()), before);
}
