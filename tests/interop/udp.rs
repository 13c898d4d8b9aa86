//! UDP: byte and datagram counts of both ends must be the same, and the server's report must say so.
//!
//! iperf counts its end marker (FIN) as a datagram and as bytes on both ends; the engine counts its bytes likewise,
//! and keeps it out of the number of data datagrams.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use linerate_engine::config::{ClientConfig, Direction, Length, Rate};
use linerate_engine::event::Role;
use linerate_tests::engine::{client_config, run, server_config, start_server};
use linerate_tests::iperf::{CsvRow, Iperf, csv_rows, peers, text_rows};

const LIMIT: Duration = Duration::from_secs(20);

fn receiver_rows(text: &str) -> Vec<CsvRow> {
    csv_rows(text).into_iter().filter(|row| row.id >= 0 && row.datagrams.is_some()).collect()
}

/// What both ends say about a forward flow of our client to iperf's server.
fn ours_to_iperf(iperf: &Iperf, adapt: impl Fn(&mut ClientConfig)) {
    let (mut server, port) = iperf.start_server(&["-u", "-y", "C"]);
    let mut config = client_config(true, SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    adapt(&mut config);
    let events = run(&config);
    let sent = events.wait_for_ended(Role::Sender, 1).remove(0);
    let reported = events.server_reports().remove(0);
    server.wait_for_stdout(LIMIT, |out| !receiver_rows(out).is_empty());
    let row = receiver_rows(&server.interrupt(LIMIT).stdout).remove(0);
    let printed = row.datagrams.expect("a receiver's row");

    let data_datagrams = sent.figures.datagrams.expect("UDP").sent;
    assert!(data_datagrams > 10, "{sent:?}");
    assert_eq!(printed.lost, 0, "loopback at a low rate loses nothing");
    assert_eq!(row.bytes, sent.figures.bytes, "bytes that iperf printed");
    assert_eq!(
        printed.total,
        data_datagrams + 1,
        "datagrams that iperf printed, its end marker included"
    );
    assert_eq!(reported.figures.bytes, sent.figures.bytes, "bytes in the report");
    let datagrams = reported.figures.datagrams.expect("UDP");
    assert_eq!((datagrams.sent, datagrams.lost), (data_datagrams, 0), "datagrams in the report");
}

#[test]
fn our_client_and_iperfs_server_count_the_same_datagrams() {
    for iperf in peers() {
        ours_to_iperf(&iperf, |_| {});
    }
}

#[test]
fn small_datagrams_are_understood_by_iperf() {
    for iperf in peers() {
        ours_to_iperf(&iperf, |config| {
            config.length = Length::Chosen(64);
            config.rate = Rate::PacketsPerSecond(500.0);
        });
    }
}

#[test]
fn a_rate_above_the_timer_is_understood_by_iperf() {
    for iperf in peers() {
        ours_to_iperf(&iperf, |config| config.rate = Rate::BitsPerSecond(20_000_000));
    }
}

#[test]
fn trip_times_are_understood_by_iperf() {
    for iperf in peers() {
        ours_to_iperf(&iperf, |config| config.trip_times = true);
    }
}

#[test]
fn our_client_receives_from_iperf_without_loss() {
    for iperf in peers() {
        let (mut server, port) = iperf.start_server(&["-u", "-y", "C"]);
        let mut config = client_config(true, SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        config.direction = Direction::Reverse;
        let received = run(&config).wait_for_ended(Role::Receiver, 1).remove(0);
        server.wait_for_stdout(LIMIT, |out| !csv_rows(out).is_empty());
        let row = csv_rows(&server.interrupt(LIMIT).stdout).remove(0);
        let datagrams = received.figures.datagrams.expect("UDP");
        assert!(datagrams.received > 50, "{received:?}");
        assert_eq!((datagrams.lost, datagrams.sent), (0, datagrams.received));
        assert_eq!(received.figures.bytes, row.bytes, "bytes that iperf says it sent");
    }
}

/// What both ends say about a forward flow of iperf's client to our server.
fn iperf_to_ours(iperf: &Iperf, arguments: &[&str]) {
    let (server, events) = start_server(&server_config(true));
    let port = server.address().port().to_string();
    let client = iperf.start(
        &[&["-u", "-c", "127.0.0.1", "-p", &port, "-t", "1", "-f", "B"][..], arguments].concat(),
    );
    let finished = client.finish_within(LIMIT);
    let received = events.wait_for_ended(Role::Receiver, 1).remove(0);
    let rows = text_rows(&finished.stdout);
    let [sent, report] = rows.as_slice() else { panic!("two rows, not {rows:?}: {finished:?}") };
    assert!(!sent.server_report && report.server_report, "{rows:?}");

    let datagrams = received.figures.datagrams.expect("UDP");
    assert!(datagrams.received > 10, "{received:?}");
    assert_eq!((datagrams.lost, datagrams.out_of_order, datagrams.duplicates), (0, 0, Some(0)));
    assert_eq!(received.figures.bytes, sent.bytes, "bytes of both ends");
    assert_eq!(report.bytes, sent.bytes, "bytes of the report that iperf printed");
    assert_eq!(
        report.lost_and_total,
        Some((0, datagrams.sent + 1)),
        "datagrams that iperf printed, its end marker included"
    );
}

#[test]
fn iperfs_client_and_our_server_count_the_same_datagrams() {
    for iperf in peers() {
        iperf_to_ours(&iperf, &[]);
    }
}

#[test]
fn iperfs_small_datagrams_are_counted_by_our_server() {
    for iperf in peers() {
        iperf_to_ours(&iperf, &["-l", "40", "-b", "500pps"]);
    }
}

#[test]
fn iperf_at_ten_megabits_loses_nothing_at_our_server() {
    for iperf in peers() {
        iperf_to_ours(&iperf, &["-b", "10m"]);
    }
}

#[test]
fn three_flows_of_iperf_that_start_at_once_keep_every_datagram() {
    for iperf in peers() {
        let (server, events) = start_server(&server_config(true));
        let port = server.address().port().to_string();
        let finished = iperf
            .start(&["-u", "-c", "127.0.0.1", "-p", &port, "-t", "1", "-P", "3", "-f", "B"])
            .finish_within(LIMIT);
        let received = events.wait_for_ended(Role::Receiver, 3);
        for totals in &received {
            let datagrams = totals.figures.datagrams.expect("UDP");
            assert_eq!((datagrams.lost, datagrams.out_of_order), (0, 0), "{totals:?}");
        }
        let rows = text_rows(&finished.stdout);
        let mut reported: Vec<u64> =
            rows.iter().filter(|row| row.server_report).map(|row| row.bytes).collect();
        let mut counted: Vec<u64> = received.iter().map(|totals| totals.figures.bytes).collect();
        reported.sort_unstable();
        counted.sort_unstable();
        assert_eq!(reported, counted);
    }
}

#[test]
fn trip_times_of_iperf_are_measured_by_our_server() {
    for iperf in peers() {
        let (server, events) = start_server(&server_config(true));
        let port = server.address().port().to_string();
        let finished = iperf
            .start(&["-u", "-c", "127.0.0.1", "-p", &port, "-t", "1", "--trip-times"])
            .finish_within(LIMIT);
        assert!(finished.status.success(), "{finished:?}");
        let received = events.wait_for_ended(Role::Receiver, 1).remove(0);
        let latency = received.figures.latency.expect("the client sent trip-times");
        assert!(latency.count > 50 && latency.mean > 0.0 && latency.mean < 0.1, "{latency:?}");
    }
}

#[test]
fn iperf_receives_from_our_server_without_loss() {
    for iperf in peers() {
        let (server, events) = start_server(&server_config(true));
        let port = server.address().port().to_string();
        let finished = iperf
            .start(&["-u", "-c", "127.0.0.1", "-p", &port, "-t", "1", "-R", "-y", "C"])
            .finish_within(LIMIT);
        let sent = events.wait_for_ended(Role::Sender, 1).remove(0);
        let row = receiver_rows(&finished.stdout).remove(0);
        let printed = row.datagrams.expect("a receiver's row");
        assert_eq!(row.bytes, sent.figures.bytes);
        assert_eq!(printed.lost, 0);
        assert_eq!(printed.total, sent.figures.datagrams.expect("UDP").sent + 1);
    }
}
