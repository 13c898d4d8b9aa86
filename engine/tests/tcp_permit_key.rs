//! Permit keys: who is served, and what the others are told.

mod tcp_support;

use std::io::Read;

use linerate_engine::config::{Amount, ClientConfig, Direction, PermitKey, TcpServerOptions};
use linerate_engine::error::EngineError;
use linerate_engine::net::Server;
use tcp_support::{
    Events, client_config, hand_made_client, plain_server, run, send, server_config, start_server,
    tcp_server_options, with_key,
};

fn server_with_key(key: &str) -> (Server, Events) {
    let options =
        TcpServerOptions { permit_key: Some(PermitKey(key.into())), ..tcp_server_options() };
    start_server(&server_config(options))
}

#[test]
fn the_right_key_is_served_in_both_directions_and_is_not_counted_as_data() {
    for direction in [Direction::Forward, Direction::Reverse] {
        let (server, at_server) = server_with_key("open sesame");
        let config = ClientConfig {
            direction,
            amount: Amount::Bytes(300_000),
            ..with_key(client_config(server.address()), "open sesame")
        };
        let at_client = run(&config);
        at_server.wait_for_ends(1);
        assert_eq!(at_client.totals()[0].figures.bytes, 300_000);
        assert_eq!(at_server.totals()[0].figures.bytes, 300_000);
    }
}

#[test]
fn a_wrong_key_is_refused_and_both_ends_say_so() {
    for key in ["open sesamE", "open", "open sesame and more"] {
        for direction in [Direction::Forward, Direction::Reverse] {
            let (server, at_server) = server_with_key("open sesame");
            let config = with_key(client_config(server.address()), key);
            let at_client = run(&ClientConfig { direction, ..config });
            at_server.wait_for_ends(1);
            assert_eq!(at_server.failure(), (EngineError::KeyRefused, None));
            assert_eq!(at_client.failure().0, EngineError::KeyRefused);
            assert_eq!(at_server.started(), []);
        }
    }
}

#[test]
fn a_missing_key_is_refused_and_the_client_is_told_that_it_was_not_acknowledged() {
    for direction in [Direction::Forward, Direction::Reverse] {
        let (server, at_server) = server_with_key("open sesame");
        let at_client = run(&ClientConfig { direction, ..client_config(server.address()) });
        at_server.wait_for_ends(1);
        assert_eq!(at_server.failure(), (EngineError::KeyRefused, None));
        let (error, _) = at_client.failure();
        assert!(matches!(error, EngineError::PeerVanished { .. }), "{error:?}");
        assert!(error.to_string().contains("without having"), "{error}");
    }
}

#[test]
fn a_key_that_nobody_asked_for_is_refused() {
    let (server, at_server) = plain_server();
    let at_client = run(&with_key(client_config(server.address()), "open sesame"));
    at_server.wait_for_ends(1);
    assert_eq!(at_server.failure(), (EngineError::KeyRefused, None));
    assert_eq!(at_client.failure().0, EngineError::KeyRefused);
}

#[test]
fn a_client_without_header_or_with_bounceback_does_not_pass_by_the_key() {
    let digits: Vec<u8> = (b'0'..=b'9').cycle().take(1_000).collect();
    let bounceback = vec![0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x64];
    let no_flags = vec![b'\n'; 4];
    for first_bytes in [digits, bounceback, no_flags] {
        let (server, at_server) = server_with_key("open sesame");
        let mut client = hand_made_client(&server);
        send(&mut client, &first_bytes);
        at_server.wait_for_ends(1);
        assert_eq!(at_server.failure(), (EngineError::KeyRefused, None));
        // Not a byte, whether it was closed or reset.
        let mut answer = Vec::new();
        let _ = client.read_to_end(&mut answer);
        assert_eq!(answer, []);
    }
}

#[test]
fn a_key_length_beyond_all_keys_is_refused_without_waiting_for_it() {
    let (server, at_server) = server_with_key("open sesame");
    let mut client = hand_made_client(&server);
    let mut header = tcp_support::header_2_1(0x5001_007c, -100);
    header.extend([0xff, 0xff]);
    send(&mut client, &header);
    at_server.wait_for_ends(1);
    assert_eq!(at_server.failure(), (EngineError::KeyRefused, None));
}

#[test]
fn a_key_that_iperf_would_not_take_stops_the_server_from_starting() {
    let options =
        TcpServerOptions { permit_key: Some(PermitKey("abc".into())), ..tcp_server_options() };
    let error = Server::start(&server_config(options), Events::default().sink()).unwrap_err();
    assert!(error.to_string().contains("at least 4"), "{error}");
}
