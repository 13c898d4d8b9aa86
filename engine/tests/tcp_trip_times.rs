//! One-way latency of TCP bursts, measured by the receiver.

mod tcp_support;

use std::io::Read;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use linerate_engine::config::{Amount, ClientConfig, Direction, Length, Rate, ServerConfig};
use linerate_engine::event::Totals;
use tcp_support::{
    client_config, hand_made_client, plain_server, run, send, server_config, start_server,
    tcp_server_options,
};

fn stamped(config: ClientConfig) -> ClientConfig {
    ClientConfig {
        trip_times: true,
        rate: Rate::BitsPerSecond(20_000_000),
        length: Length::Chosen(5_000),
        ..config
    }
}

/// Both ends have the same clock, so a burst takes more than nothing, and on this machine less than a second.
fn assert_plausible(totals: &Totals, bursts: u64) {
    let latency = totals.figures.latency.as_ref().expect("latency was measured");
    assert_eq!((latency.count, latency.negative), (bursts, 0), "{latency:?}");
    assert!(latency.min > 0.0 && latency.max < 1.0, "{latency:?}");
    assert!(latency.min <= latency.mean && latency.mean <= latency.max, "{latency:?}");
    let binned: u64 = latency.bins.iter().map(|(_, count)| count).sum();
    assert_eq!(binned, bursts);
}

#[test]
fn the_server_measures_every_burst_of_a_client() {
    let config = ServerConfig {
        interval: Some(Duration::from_millis(50)),
        ..server_config(tcp_server_options())
    };
    let (server, at_server) = start_server(&config);
    let at_client = run(&ClientConfig {
        amount: Amount::Bytes(500_080),
        ..stamped(client_config(server.address()))
    });
    at_server.wait_for_ends(1);
    assert_plausible(&at_server.totals()[0], 100);
    assert_eq!(at_server.totals()[0].figures.bytes, 500_080);
    assert_eq!(at_client.totals()[0].figures.latency, None);
    let counted: u64 = at_server
        .intervals(1)
        .iter()
        .map(|interval| interval.figures.latency.as_ref().map_or(0, |latency| latency.count))
        .sum();
    assert!((80..=100).contains(&counted), "{counted}");
}

#[test]
fn the_client_measures_every_burst_of_a_server() {
    let (server, at_server) = plain_server();
    let at_client = run(&ClientConfig {
        direction: Direction::Reverse,
        amount: Amount::Bytes(500_000),
        ..stamped(client_config(server.address()))
    });
    at_server.wait_for_ends(1);
    // The server's own header of 80 bytes is data, too, but not part of the amount.
    assert_eq!(at_client.totals()[0].figures.bytes, 500_080);
    assert_eq!(at_server.totals()[0].figures.bytes, 500_080);
    assert_plausible(&at_client.totals()[0], 100);
    assert_eq!(at_client.notes(), Vec::<String>::new());
}

#[test]
fn bursts_larger_than_the_windows_and_as_small_as_their_header_are_measured() {
    for length in [92, 300_000] {
        let (server, at_server) = plain_server();
        let config = ClientConfig {
            trip_times: true,
            length: Length::Chosen(length),
            amount: Amount::Bytes(u64::try_from(length).unwrap() * 20 + 80),
            ..client_config(server.address())
        };
        run(&config).totals();
        at_server.wait_for_ends(1);
        assert_plausible(&at_server.totals()[0], 20);
    }
}

/// A client's request for stamped bursts whose clock says `start`, in seconds since 1970.
fn request(first_word: u32, upper_flags: u16, start: u64) -> Vec<u8> {
    let mut header = tcp_support::header_2_1(first_word, -10);
    header[32..34].copy_from_slice(&upper_flags.to_be_bytes());
    header.resize(80, 0);
    header[64..68].copy_from_slice(&u32::try_from(start).expect("before 2106").to_be_bytes());
    header
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs()
}

#[test]
fn a_clock_that_is_far_off_gets_the_short_acknowledgement_and_no_latency() {
    for (start, acknowledgement, measures) in [(now(), 52, true), (now() - 1_000, 28, false)] {
        let (server, at_server) = plain_server();
        let mut client = hand_made_client(&server);
        send(&mut client, &request(0x4001_00a0, 0x0010, start));
        let mut answer = vec![0; acknowledgement];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(answer[..8], [0, 0, 0, 2, 0, 0, 0, u8::try_from(acknowledgement).unwrap()]);
        client.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(tcp_support::read_to_end(&mut client), 0);
        at_server.wait_for_ends(1);
        let (_, totals) = (0, tcp_support::outcome(&at_server));
        assert_eq!(totals.1, 80);
        assert_eq!(at_server.notes().len(), usize::from(!measures));
        let latency = at_server.all().into_iter().find_map(|kind| match kind {
            linerate_engine::event::EventKind::StreamEnded(totals) => Some(totals.figures.latency),
            _ => None,
        });
        assert_eq!(latency.unwrap().is_some(), measures);
    }
}

#[test]
fn bursts_out_of_step_are_counted_as_plain_data_with_a_note() {
    let (server, at_server) = plain_server();
    let mut client = hand_made_client(&server);
    send(&mut client, &request(0x4001_00a0, 0x0010, now()));
    send(&mut client, &[0; 5_000]);
    client.shutdown(std::net::Shutdown::Write).unwrap();
    tcp_support::read_to_end(&mut client);
    at_server.wait_for_ends(1);
    assert_eq!(tcp_support::outcome(&at_server).1, 5_080);
    assert!(at_server.notes()[0].contains("out of step"), "{:?}", at_server.notes());
}

#[test]
fn a_server_that_sends_no_stamps_is_received_as_plain_data_with_a_note() {
    let (address, server) = tcp_support::hand_made_server(|mut stream| {
        let mut header = [0; 80];
        stream.read_exact(&mut header).unwrap();
        send(&mut stream, &[b'0'; 2_000]);
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        tcp_support::read_to_end(&mut stream)
    });
    let at_client = run(&ClientConfig {
        direction: Direction::Reverse,
        amount: Amount::Bytes(2_000),
        ..stamped(client_config(address))
    });
    assert_eq!(at_client.totals()[0].figures.bytes, 2_000);
    assert_eq!(at_client.totals()[0].figures.latency, None);
    assert!(at_client.notes()[0].contains("no trip times"), "{:?}", at_client.notes());
    assert_eq!(server.join().unwrap(), 0);
}
