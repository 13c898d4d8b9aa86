//! UDP flows that a client asks a server for, over a simulated network.

use std::num::NonZeroU16;
use std::time::Duration;

use linerate_engine::config::{
    Addressing, Amount, ClientConfig, ClientTransport, Direction, Length, Rate, SocketOptions,
};
use linerate_engine::error::EngineError;
use linerate_engine::protocol::udp_receiver::ReceiverEnd;

use crate::network::Path;
use crate::reverse_simulation::{ReverseOutcome, simulate};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn config() -> ClientConfig {
    ClientConfig {
        server: "192.0.2.1:5001".parse().expect("an address"),
        bind: None,
        transport: ClientTransport::Udp,
        direction: Direction::Reverse,
        amount: Amount::Time(SECOND),
        rate: Rate::PacketsPerSecond(500.0),
        length: Length::Chosen(200),
        parallel: NonZeroU16::MIN,
        interval: None,
        socket: SocketOptions::default(),
        trip_times: false,
        addressing: Addressing::default(),
    }
}

fn assert_true(outcome: &ReverseOutcome, what: &str) {
    assert_eq!(outcome.end, ReceiverEnd::Finished, "{what}");
    let totals = outcome.totals.as_ref().expect("totals");
    assert_eq!(totals.figures.datagrams, Some(outcome.truth.datagrams()), "{what}");
}

#[test]
fn what_happened_to_the_servers_data_is_counted() {
    for seed in 0..30 {
        let path = Path {
            delay: 20 * MS,
            spread: 7 * MS,
            loss: 0.05,
            duplication: 0.05,
            ..Path::default()
        };
        let outcome = simulate(&config(), path, 0, seed);
        assert_true(&outcome, &format!("seed {seed}"));
        assert_eq!(outcome.truth.sent, 500);
    }
}

#[test]
fn requests_are_repeated_until_data_comes() {
    let outcome = simulate(&config(), Path { delay: 20 * MS, ..Path::default() }, 30, 1);
    assert_true(&outcome, "lost requests");
    // Thirty that were lost, and those of the round trip.
    assert_eq!(outcome.requests, 34);
    assert!(outcome.requests_arrived > 1);
    assert_eq!(outcome.truth.sent, 500);
}

#[test]
fn a_lost_end_marker_is_made_up_for() {
    let outcome =
        simulate(&config(), Path { delay: 20 * MS, lost_fins: 2, ..Path::default() }, 0, 1);
    assert_true(&outcome, "two of three end markers lost");
}

#[test]
fn a_flow_without_end_marker_ends_two_seconds_after_its_time() {
    let outcome = simulate(&config(), Path { lost_fins: 3, ..Path::default() }, 0, 1);
    let reason = "no end marker came within 3.0 s".to_owned();
    assert_eq!(outcome.end, ReceiverEnd::Failed(EngineError::PeerVanished { reason }));
    assert_eq!(outcome.ended_at, 3 * SECOND);
    assert_eq!(outcome.totals.expect("totals").figures.datagrams.expect("counts").received, 500);
}

#[test]
fn a_flow_by_bytes_without_end_marker_ends_after_its_longest_pause() {
    let config = ClientConfig { amount: Amount::Bytes(20_000), ..config() };
    let outcome = simulate(&config, Path { lost_fins: 3, ..Path::default() }, 0, 1);
    let reason = "nothing came for 10.0 s".to_owned();
    assert_eq!(outcome.end, ReceiverEnd::Failed(EngineError::PeerVanished { reason }));
    assert_eq!(outcome.totals.expect("totals").figures.bytes, 20_000);
}

#[test]
fn a_server_that_does_not_answer_gives_no_data() {
    let outcome = simulate(&config(), Path { loss: 1.0, ..Path::default() }, 0, 1);
    assert_eq!(outcome.end, ReceiverEnd::Failed(EngineError::NoData { after: 2 * SECOND }));
    assert_eq!(outcome.totals, None);
    assert_eq!(outcome.requests, 100);
}

#[test]
fn latency_of_the_servers_data_is_measured() {
    let config = ClientConfig { trip_times: true, ..config() };
    let outcome = simulate(&config, Path { delay: 33 * MS, ..Path::default() }, 0, 1);
    assert_true(&outcome, "trip-times");
    let latency = outcome.totals.expect("totals").figures.latency.expect("latency");
    assert_eq!(latency.count, 500);
    assert!((latency.mean - 0.033).abs() < 2e-6, "{}", latency.mean);
}
