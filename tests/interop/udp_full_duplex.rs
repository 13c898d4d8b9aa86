//! UDP both ways at once: for each way, what one end says it sent is what the other says it received.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use linerate_engine::config::{ClientConfig, Direction, Rate};
use linerate_engine::event::{Role, Totals};
use linerate_tests::engine::{client_config, run, server_config, start_server};
use linerate_tests::iperf::{CsvRow, Iperf, csv_rows, peers};

const LIMIT: Duration = Duration::from_secs(20);

/// The row of the sender and that of the receiver, in what an end of iperf printed.
fn sender_and_receiver(text: &str) -> Option<(CsvRow, CsvRow)> {
    let (receivers, senders): (Vec<_>, Vec<_>) = csv_rows(text)
        .into_iter()
        .filter(|row| row.id >= 0)
        .partition(|row| row.datagrams.is_some());
    Some((senders.into_iter().next()?, receivers.into_iter().next()?))
}

/// What one end sent arrived at the other; the receiver's datagrams have the end marker with them.
fn assert_arrived(sent: &Totals, row: &CsvRow) {
    let printed = row.datagrams.as_ref().expect("a receiver's row");
    assert_eq!(row.bytes, sent.figures.bytes, "bytes that iperf received");
    assert_eq!(printed.lost, 0);
    assert_eq!(printed.total, sent.figures.datagrams.expect("UDP").sent + 1);
}

fn assert_received(received: &Totals, row: &CsvRow) {
    let datagrams = received.figures.datagrams.expect("UDP");
    assert!(datagrams.received > 10, "{received:?}");
    assert_eq!((datagrams.lost, datagrams.sent), (0, datagrams.received));
    assert_eq!(received.figures.bytes, row.bytes, "bytes that iperf says it sent");
}

fn ours_to_iperf(iperf: &Iperf, adapt: impl Fn(&mut ClientConfig)) {
    let (mut server, port) = iperf.start_server(&["-u", "-y", "C"]);
    let mut config = client_config(true, SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    config.direction = Direction::FullDuplex;
    adapt(&mut config);
    let events = run(&config);
    let sent = events.wait_for_ended(Role::Sender, 1).remove(0);
    let received = events.wait_for_ended(Role::Receiver, 1).remove(0);
    server.wait_for_stdout(LIMIT, |out| sender_and_receiver(out).is_some());
    let finished = server.interrupt(LIMIT);
    let (sender, receiver) = sender_and_receiver(&finished.stdout).expect("both rows");
    assert_arrived(&sent, &receiver);
    assert_received(&received, &sender);
    assert_eq!(received.figures.latency.is_some(), config.trip_times);
}

#[test]
fn our_client_and_iperfs_server_count_the_same_both_ways() {
    for iperf in peers() {
        ours_to_iperf(&iperf, |_| {});
    }
}

#[test]
fn trip_times_are_understood_both_ways() {
    for iperf in peers() {
        ours_to_iperf(&iperf, |config| config.trip_times = true);
    }
}

#[test]
fn a_rate_above_the_timer_is_kept_both_ways() {
    for iperf in peers() {
        ours_to_iperf(&iperf, |config| config.rate = Rate::BitsPerSecond(20_000_000));
    }
}

fn iperf_to_ours(iperf: &Iperf, arguments: &[&str]) {
    let (server, events) = start_server(&server_config(true));
    let port = server.address().port().to_string();
    let common = ["-u", "-c", "127.0.0.1", "-p", &port, "-t", "1", "--full-duplex", "-y", "C"];
    let finished = iperf.start(&[&common[..], arguments].concat()).finish_within(LIMIT);
    let sent = events.wait_for_ended(Role::Sender, 1).remove(0);
    let received = events.wait_for_ended(Role::Receiver, 1).remove(0);
    let rows = sender_and_receiver(&finished.stdout);
    let (sender, receiver) = rows.unwrap_or_else(|| panic!("both rows: {finished:?}"));
    assert_received(&received, &sender);
    if arguments.contains(&"--trip-times") {
        assert!(received.figures.latency.expect("trip-times").count > 50);
        // A client with trip-times leaves the first datagram out and counts it as lost.
        let printed = receiver.datagrams.expect("a receiver's row");
        assert_eq!(
            (printed.lost, printed.total),
            (1, sent.figures.datagrams.expect("UDP").sent + 1)
        );
    } else {
        assert_arrived(&sent, &receiver);
    }
}

#[test]
fn iperfs_client_and_our_server_count_the_same_both_ways() {
    for iperf in peers() {
        iperf_to_ours(&iperf, &[]);
    }
}

#[test]
fn iperfs_rate_length_and_trip_times_are_served_both_ways() {
    for iperf in peers() {
        iperf_to_ours(&iperf, &["-b", "5m", "-l", "500"]);
        iperf_to_ours(&iperf, &["--trip-times"]);
    }
}
