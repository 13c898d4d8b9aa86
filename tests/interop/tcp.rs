//! TCP: byte counts of both ends must be the same.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU16;
use std::time::Duration;

use linerate_engine::config::{
    Amount, ClientConfig, ClientTransport, Direction, PermitKey, ServerTransport,
};
use linerate_engine::event::{EventKind, Role};
use linerate_tests::engine::{bytes, client_config, run, server_config, start_server};
use linerate_tests::iperf::{CsvRow, Iperf, csv_rows, peers};
use linerate_tests::process::Finished;

const LIMIT: Duration = Duration::from_secs(20);

/// Bytes that iperf printed: of its only stream, or of all of them added up.
fn iperf_bytes(finished: &Finished) -> u64 {
    let rows = csv_rows(&finished.stdout);
    assert!(!rows.is_empty(), "iperf printed no figures: {finished:?}");
    rows.iter().filter(|row| row.id >= 0).map(|row: &CsvRow| row.bytes).sum()
}

/// Runs our client against iperf's server; gives (client's bytes, iperf's bytes).
fn ours_to_iperf(iperf: &Iperf, adapt: impl Fn(&mut ClientConfig)) -> (u64, u64) {
    let (server, port) = iperf.start_server(&["-y", "C"]);
    let mut config = client_config(false, SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    adapt(&mut config);
    let role = if config.direction == Direction::Forward { Role::Sender } else { Role::Receiver };
    let events = run(&config);
    let totals = events.wait_for_ended(role, usize::from(config.parallel.get()));
    let mut server = server;
    let streams = usize::from(config.parallel.get());
    server.wait_for_stdout(LIMIT, |out| {
        csv_rows(out).iter().filter(|row| row.id >= 0).count() >= streams
    });
    (bytes(&totals), iperf_bytes(&server.interrupt(LIMIT)))
}

/// Runs iperf's client against our server; gives (iperf's bytes, server's bytes).
fn iperf_to_ours(iperf: &Iperf, streams: usize, role: Role, arguments: &[&str]) -> (u64, u64) {
    let (server, events) = start_server(&server_config(false));
    let port = server.address().port().to_string();
    let client = iperf
        .start(&[&["-c", "127.0.0.1", "-p", &port, "-t", "1", "-y", "C"][..], arguments].concat());
    let finished = client.finish_within(LIMIT);
    let totals = events.wait_for_ended(role, streams);
    (iperf_bytes(&finished), bytes(&totals))
}

#[test]
fn our_client_sends_to_iperf_and_both_count_the_same_bytes() {
    for iperf in peers() {
        let (sent, received) = ours_to_iperf(&iperf, |_| {});
        assert!(sent > 1_000_000, "{sent} bytes in a second over loopback");
        assert_eq!(sent, received);
    }
}

#[test]
fn our_client_sends_an_exact_number_of_bytes_to_iperf() {
    for iperf in peers() {
        let (sent, received) =
            ours_to_iperf(&iperf, |config| config.amount = Amount::Bytes(12_345_678));
        assert_eq!((sent, received), (12_345_678, 12_345_678));
    }
}

#[test]
fn our_client_with_four_streams_and_iperf_agree_on_the_sum() {
    for iperf in peers() {
        let (sent, received) = ours_to_iperf(&iperf, |config| {
            config.parallel = NonZeroU16::new(4).expect("not zero");
        });
        assert_eq!(sent, received);
    }
}

#[test]
fn our_client_receives_from_iperf_and_both_count_the_same_bytes() {
    for iperf in peers() {
        let (received, sent) =
            ours_to_iperf(&iperf, |config| config.direction = Direction::Reverse);
        assert!(received > 1_000_000, "{received} bytes in a second over loopback");
        assert_eq!(received, sent);
    }
}

#[test]
fn our_client_with_trip_times_is_understood_by_iperf() {
    for iperf in peers() {
        let (sent, received) = ours_to_iperf(&iperf, |config| {
            config.trip_times = true;
            config.rate = linerate_engine::config::Rate::BitsPerSecond(100_000_000);
        });
        assert!(sent > 10_000_000, "{sent}");
        assert_eq!(sent, received);
    }
}

#[test]
fn our_client_receives_trip_times_from_iperf_and_measures_latency() {
    for iperf in peers() {
        let (_server, port) = iperf.start_server(&[]);
        let mut config = client_config(false, SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        config.direction = Direction::Reverse;
        config.trip_times = true;
        config.rate = linerate_engine::config::Rate::BitsPerSecond(100_000_000);
        let totals = run(&config).wait_for_ended(Role::Receiver, 1);
        let latency = totals[0].figures.latency.as_ref().expect("latency was asked for");
        assert!(latency.count > 10, "{latency:?}");
        assert!(latency.mean > 0.0 && latency.mean < 0.5, "{latency:?}");
    }
}

#[test]
fn iperf_sends_to_our_server_and_both_count_the_same_bytes() {
    for iperf in peers() {
        let (sent, received) = iperf_to_ours(&iperf, 1, Role::Receiver, &[]);
        assert!(sent > 1_000_000, "{sent} bytes in a second over loopback");
        assert_eq!(sent, received);
    }
}

#[test]
fn iperf_with_three_streams_and_our_server_agree_on_the_sum() {
    for iperf in peers() {
        let (sent, received) = iperf_to_ours(&iperf, 3, Role::Receiver, &["-P", "3"]);
        assert_eq!(sent, received);
    }
}

#[test]
fn iperf_receives_from_our_server_and_both_count_the_same_bytes() {
    for iperf in peers() {
        let (received, sent) = iperf_to_ours(&iperf, 1, Role::Sender, &["-R"]);
        assert!(received > 1_000_000, "{received} bytes in a second over loopback");
        assert_eq!(received, sent);
    }
}

#[test]
fn iperf_gets_the_acknowledgement_it_waits_for() {
    for iperf in peers() {
        let (sent, received) = iperf_to_ours(&iperf, 1, Role::Receiver, &["-X"]);
        assert_eq!(sent, received);
    }
}

#[test]
fn iperf_trip_times_are_measured_by_our_server() {
    for iperf in peers() {
        let (server, events) = start_server(&server_config(false));
        let port = server.address().port().to_string();
        let client =
            iperf.start(&["-c", "127.0.0.1", "-p", &port, "-t", "1", "--trip-times", "-b", "100m"]);
        let finished = client.finish_within(LIMIT);
        assert!(finished.status.success(), "{finished:?}");
        let totals = events.wait_for_ended(Role::Receiver, 1);
        let latency = totals[0].figures.latency.as_ref().expect("the client sent trip-times");
        assert!(latency.count > 10 && latency.mean > 0.0 && latency.mean < 0.5, "{latency:?}");
    }
}

#[test]
fn the_permit_key_is_checked_in_both_roles() {
    let key = || Some(PermitKey("open-sesame".into()));
    for iperf in peers() {
        let (server, port) =
            iperf.start_server(&["--permit-key=open-sesame", "--permit-key-timeout", "30"]);
        let mut config = client_config(false, SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let ClientTransport::Tcp(tcp) = &mut config.transport else { unreachable!("a TCP client") };
        tcp.permit_key = key();
        assert!(bytes(&run(&config).wait_for_ended(Role::Sender, 1)) > 1_000_000);
        drop(server);

        let mut ours = server_config(false);
        let ServerTransport::Tcp(tcp) = &mut ours.transport else { unreachable!("a TCP server") };
        tcp.permit_key = key();
        let (server, events) = start_server(&ours);
        let port = server.address().port().to_string();
        let arguments = ["-c", "127.0.0.1", "-p", &port, "-t", "1"];
        let right = [&arguments[..], &["--permit-key=open-sesame"]].concat();
        let _ = iperf.start(&right).finish_within(LIMIT);
        assert!(bytes(&events.wait_for_ended(Role::Receiver, 1)) > 1_000_000);
        let wrong = [&arguments[..], &["--permit-key=wrong-key"]].concat();
        let _ = iperf.start(&wrong).finish_within(LIMIT);
        let refused = events.all().into_iter().any(|kind| {
            matches!(
                kind,
                EventKind::StreamFailed {
                    error: linerate_engine::error::EngineError::KeyRefused,
                    ..
                }
            )
        });
        assert!(refused, "{:?}", events.all());
    }
}
