//! Streams that cannot start, or end before their time: never a regular end, and what was measured is kept.

mod tcp_support;

use std::io::Read;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use linerate_engine::config::{
    Amount, ClientConfig, ClientTransport, Direction, Length, Rate, TcpClientOptions,
    TcpServerOptions,
};
use linerate_engine::error::EngineError;
use linerate_engine::event::{EventKind, Role};
use socket2::{Domain, SockAddr, Socket, Type};
use tcp_support::{
    Events, PATIENCE, client_config, hand_made_client, hand_made_server, header_2_1, outcome,
    plain_server, read_header, read_to_end, reset, run, send, server_config, start_server,
    tcp_client_options, tcp_server_options,
};

const PLAIN: u32 = 0x4001_0078;
const REVERSE_2_1: u32 = 0x4401_0078;

fn vanished(events: &Events, role: Role) -> (String, u64) {
    match outcome(events) {
        (ours, bytes, Some(EngineError::PeerVanished { reason })) if ours == role => {
            (reason, bytes)
        }
        other => panic!("{other:?}"),
    }
}

fn reverse(server: SocketAddr) -> ClientConfig {
    ClientConfig { direction: Direction::Reverse, ..client_config(server) }
}

#[test]
fn a_port_on_which_nobody_listens_refuses() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(run(&client_config(address)).failure(), (EngineError::Refused, None));
}

#[test]
fn a_server_that_does_not_answer_times_out() {
    // The queue of connections is full, so the system drops the next request in silence.
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SockAddr::from("127.0.0.1:0".parse::<SocketAddr>().unwrap())).unwrap();
    socket.listen(0).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let _queued = TcpStream::connect(address).unwrap();
    let after = Duration::from_millis(300);
    let options = TcpClientOptions { connect_timeout: after, ..tcp_client_options() };
    let config =
        ClientConfig { transport: ClientTransport::Tcp(options), ..client_config(address) };
    assert_eq!(run(&config).failure(), (EngineError::ConnectTimeout { after }, None));
}

#[test]
fn a_server_that_resets_while_the_client_sends_has_vanished() {
    let (address, server) = hand_made_server(|mut stream| {
        read_header(&mut stream);
        let mut some = vec![0; 1_000_000];
        stream.read_exact(&mut some).unwrap();
        reset(stream);
    });
    let events = run(&ClientConfig {
        amount: Amount::Time(Duration::from_secs(20)),
        ..client_config(address)
    });
    server.join().unwrap();
    let (reason, bytes) = vanished(&events, Role::Sender);
    assert!(reason.contains("reset"), "{reason}");
    assert!(bytes >= 1_000_064, "{bytes}");
}

#[test]
fn a_server_that_closes_before_the_end_has_vanished_even_if_every_byte_was_taken() {
    let (address, server) = hand_made_server(|mut stream| {
        read_header(&mut stream);
        drop(stream);
    });
    // One write a second: nothing is written after the close.
    let config = ClientConfig {
        rate: Rate::BitsPerSecond(80),
        length: Length::Chosen(100),
        amount: Amount::Time(Duration::from_millis(500)),
        ..client_config(address)
    };
    let events = run(&config);
    server.join().unwrap();
    let (reason, _) = vanished(&events, Role::Sender);
    assert!(reason.contains("without having acknowledged the test"), "{reason}");
}

#[test]
fn a_server_that_stops_reading_cannot_hold_the_client_for_ever() {
    let (client_is_done, until_then) = mpsc::channel::<()>();
    let (address, server) = hand_made_server(move |mut stream| {
        read_header(&mut stream);
        // Holds the connection without reading.
        let _ = until_then.recv_timeout(PATIENCE);
    });
    let events = run(&ClientConfig {
        amount: Amount::Time(Duration::from_secs(1)),
        interval: Some(Duration::from_millis(100)),
        ..client_config(address)
    });
    drop(client_is_done);
    let (reason, bytes) = vanished(&events, Role::Sender);
    assert!(reason.contains("had not taken the last"), "{reason}");
    assert!(bytes > 0);
    let errors = match events.failure() {
        (_, Some(totals)) => totals.figures.errors,
        other => panic!("{other:?}"),
    };
    assert!(errors > 0, "a write that made no progress is an error");
    server.join().unwrap();
}

#[test]
fn a_server_that_ends_early_in_reverse_has_vanished() {
    for cut in [Shutdown::Write, Shutdown::Both] {
        let (address, server) = hand_made_server(move |mut stream| {
            read_header(&mut stream);
            send(&mut stream, &[b'0'; 50_000]);
            stream.shutdown(cut).unwrap();
            read_to_end(&mut stream)
        });
        let events = run(&ClientConfig {
            amount: Amount::Time(Duration::from_secs(20)),
            ..reverse(address)
        });
        server.join().unwrap();
        let (reason, bytes) = vanished(&events, Role::Receiver);
        assert!(reason.ends_with("of 20.00 s"), "{reason}");
        assert_eq!(bytes, 50_000);
    }
}

#[test]
fn a_server_that_sends_too_few_bytes_in_reverse_has_vanished() {
    let (address, server) = hand_made_server(|mut stream| {
        read_header(&mut stream);
        send(&mut stream, &[b'0'; 999]);
    });
    let events = run(&ClientConfig { amount: Amount::Bytes(1_000), ..reverse(address) });
    server.join().unwrap();
    assert_eq!(
        vanished(&events, Role::Receiver),
        ("it closed after 999 of 1000 bytes".into(), 999)
    );
}

#[test]
fn a_server_that_sends_more_bytes_than_it_was_asked_for_is_left() {
    let (address, server) = hand_made_server(|mut stream| {
        read_header(&mut stream);
        send(&mut stream, &[b'0'; 3_000]);
        read_to_end(&mut stream)
    });
    let events = run(&ClientConfig { amount: Amount::Bytes(1_000), ..reverse(address) });
    server.join().unwrap();
    let (role, bytes, error) = outcome(&events);
    assert_eq!((role, error), (Role::Receiver, None));
    assert!(bytes > 1_000);
}

#[test]
fn the_wait_for_a_server_that_does_not_close_is_no_part_of_the_transfer() {
    let (address, server) = hand_made_server(|mut stream| {
        read_header(&mut stream);
        send(&mut stream, &[b'0'; 50_000]);
        read_to_end(&mut stream)
    });
    let amount = Amount::Time(Duration::from_millis(105));
    let events = run(&ClientConfig { amount, ..reverse(address) });
    server.join().unwrap();
    let (error, totals) = events.failure();
    assert!(matches!(error, EngineError::PeerVanished { .. }), "{error}");
    let totals = totals.expect("totals");
    assert_eq!(totals.figures.bytes, 50_000);
    assert!(totals.duration < Duration::from_secs(1), "{:?}", totals.duration);
}

#[test]
fn a_server_that_stays_silent_in_reverse_gives_no_data() {
    let (address, server) = hand_made_server(|mut stream| {
        read_header(&mut stream);
        read_to_end(&mut stream)
    });
    let events = run(&reverse(address));
    server.join().unwrap();
    let (error, totals) = events.failure();
    assert!(
        matches!(error, EngineError::NoData { after } if after >= Duration::from_secs(2)),
        "{error:?}"
    );
    assert_eq!(totals.unwrap().figures.bytes, 0);
}

#[test]
fn a_server_that_does_not_end_in_reverse_is_left_after_its_time() {
    let (address, server) = hand_made_server(|mut stream| {
        read_header(&mut stream);
        use std::io::Write;
        while stream.write_all(&[b'0'; 10_000]).is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    let events = run(&reverse(address));
    assert!(events.totals()[0].figures.bytes > 0);
    assert!(events.notes()[0].contains("had not closed yet"), "{:?}", events.notes());
    server.join().unwrap();
}

#[test]
fn a_server_that_falls_silent_in_reverse_has_vanished() {
    let (address, server) = hand_made_server(|mut stream| {
        read_header(&mut stream);
        send(&mut stream, b"0123456789");
        read_to_end(&mut stream)
    });
    let events =
        run(&ClientConfig { amount: Amount::Time(Duration::from_secs(1)), ..reverse(address) });
    server.join().unwrap();
    let (reason, bytes) = vanished(&events, Role::Receiver);
    assert!(reason.contains("fell silent"), "{reason}");
    assert_eq!(bytes, 10);
}

#[test]
fn a_client_that_resets_has_vanished_and_its_bytes_are_kept() {
    let (server, events) = plain_server();
    let mut client = hand_made_client(&server);
    send(&mut client, &header_2_1(PLAIN, -1_000));
    send(&mut client, &[b'0'; 5_000]);
    let mut acknowledgement = [0; 28];
    client.read_exact(&mut acknowledgement).unwrap();
    events.wait_for_starts(1);
    // Only what was read before the reset can count.
    std::thread::sleep(Duration::from_millis(200));
    reset(client);
    events.wait_for_ends(1);
    let (reason, bytes) = vanished(&events, Role::Receiver);
    assert!(reason.contains("reset"), "{reason}");
    assert_eq!(bytes, 5_060);
}

#[test]
fn a_client_that_closes_long_before_its_time_has_vanished() {
    let (server, events) = plain_server();
    let mut client = hand_made_client(&server);
    send(&mut client, &header_2_1(PLAIN, -1_000));
    client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(read_to_end(&mut client), 28);
    events.wait_for_ends(1);
    let (reason, bytes) = vanished(&events, Role::Receiver);
    assert!(reason.ends_with("of 10.00 s"), "{reason}");
    assert_eq!(bytes, 60);
}

#[test]
fn a_client_that_sends_fewer_bytes_than_announced_has_vanished() {
    let (server, events) = plain_server();
    let mut client = hand_made_client(&server);
    send(&mut client, &header_2_1(PLAIN, 1_000));
    send(&mut client, &[b'0'; 939]);
    client.shutdown(Shutdown::Write).unwrap();
    read_to_end(&mut client);
    events.wait_for_ends(1);
    assert_eq!(
        vanished(&events, Role::Receiver),
        ("it closed after 999 of 1000 bytes".into(), 999)
    );
}

#[test]
fn a_client_that_leaves_while_the_server_sends_has_vanished() {
    let (server, events) = plain_server();
    let mut client = hand_made_client(&server);
    send(&mut client, &header_2_1_reverse());
    client.read_exact(&mut [0; 1_000]).unwrap();
    reset(client);
    events.wait_for_ends(1);
    let (reason, bytes) = vanished(&events, Role::Sender);
    assert!(reason.contains("reset"), "{reason}");
    assert!(bytes >= 1_000, "{bytes}");
}

fn header_2_1_reverse() -> Vec<u8> {
    let mut header = header_2_1(REVERSE_2_1, -1_000);
    header[32] = 0x04;
    header
}

#[test]
fn a_silent_connection_does_not_delay_another_client() {
    let (server, events) = plain_server();
    let silent = hand_made_client(&server);
    let sent =
        run(&ClientConfig { amount: Amount::Bytes(10_000), ..client_config(server.address()) });
    assert_eq!(sent.totals()[0].figures.bytes, 10_000);
    events.wait_for_ends(1);
    drop(silent);
    events.wait_until("the silent one is told", |events| {
        events.iter().any(|kind| matches!(kind, EventKind::Note { .. }))
    });
    assert!(events.notes()[0].contains("without sending anything"), "{:?}", events.notes());
}

#[test]
fn a_silent_connection_is_closed_when_its_time_for_the_header_is_over() {
    let after = Duration::from_millis(200);
    let options = TcpServerOptions { header_timeout: after, ..tcp_server_options() };
    let (server, events) = start_server(&server_config(options));
    let mut silent = hand_made_client(&server);
    let mut half = hand_made_client(&server);
    send(&mut half, &header_2_1(PLAIN, -100)[..30]);
    assert_eq!(read_to_end(&mut silent), 0);
    // What it had sent was read, so it is closed in order, too.
    assert_eq!(read_to_end(&mut half), 0);
    events.wait_for_ends(2);
    let text = format!("{:?}", events.all());
    assert!(text.contains("NoData { after: 200ms }"), "{text}");
    assert!(text.contains("silent inside its test header"), "{text}");
}

#[test]
fn a_header_that_cannot_be_one_is_refused() {
    // Declares 20 bytes; a congestion control name longer than the header; a bounceback.
    let mut name = vec![0; 120];
    name[0..4].copy_from_slice(&0x4001_00f0_u32.to_be_bytes());
    name[34] = 0x80;
    name[112] = 0xff;
    let short = 0x4001_0028_u32.to_be_bytes().to_vec();
    let bounceback = 0x0080_0000_u32.to_be_bytes().to_vec();
    for (bytes, word) in [(short, "20 bytes"), (name, "name"), (bounceback, "bounceback")] {
        let (server, events) = plain_server();
        let mut client = hand_made_client(&server);
        send(&mut client, &bytes);
        let mut answer = Vec::new();
        // Closed or reset, but not a byte.
        let _ = client.read_to_end(&mut answer);
        assert_eq!(answer, []);
        events.wait_for_ends(1);
        let (error, totals) = events.failure();
        assert!(matches!(error, EngineError::Protocol { .. }), "{error:?}");
        assert!(error.to_string().contains(word), "{error}");
        assert_eq!(totals, None);
    }
}

#[test]
fn a_client_that_closes_inside_its_header_has_vanished() {
    let (server, events) = plain_server();
    let mut client = hand_made_client(&server);
    send(&mut client, &header_2_1(PLAIN, -100)[..59]);
    drop(client);
    events.wait_for_ends(1);
    let (error, _) = events.failure();
    assert!(error.to_string().ends_with("1 bytes before the end"), "{error}");
}

#[test]
fn data_without_header_is_counted_from_its_first_byte() {
    let (server, events) = plain_server();
    let mut client = hand_made_client(&server);
    let digits: Vec<u8> = (b'0'..=b'9').cycle().take(102_400).collect();
    send(&mut client, &digits);
    client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(read_to_end(&mut client), 0);
    events.wait_for_ends(1);
    assert_eq!(events.totals()[0].figures.bytes, 102_400);
    assert_eq!(events.started()[0].peer_version, None);
}

#[test]
fn a_client_of_a_dual_test_is_received_with_a_note() {
    let (server, events) = plain_server();
    let mut client = hand_made_client(&server);
    send(&mut client, &header_2_1(0xc001_0079, 60));
    client.shutdown(Shutdown::Write).unwrap();
    assert_eq!(read_to_end(&mut client), 28);
    events.wait_for_ends(1);
    assert_eq!(events.totals()[0].figures.bytes, 60);
    assert!(events.notes()[0].contains("second connection"), "{:?}", events.notes());
}

#[test]
fn what_a_configuration_cannot_do_fails_every_stream_before_it_starts() {
    let config = ClientConfig {
        rate: Rate::PacketsPerSecond(10.0),
        parallel: 3.try_into().unwrap(),
        ..client_config("127.0.0.1:9".parse().unwrap())
    };
    let events = run(&config);
    events.wait_for_ends(3);
    assert_eq!(events.started(), []);
}
