//! How datagrams are marked on arrival: what one end asks for, the other one sees.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use linerate_engine::config::{Direction, SocketOptions};
use linerate_engine::event::{Role, Totals};
use linerate_tests::engine::{client_config, run, server_config, start_server};
use linerate_tests::iperf::peers;

const LIMIT: Duration = Duration::from_secs(20);
/// `ef`
const EF: u8 = 0xb8;

/// Every data datagram arrived with this byte.
fn assert_marked(received: &Totals, tos: u8) {
    let count = received.figures.datagrams.expect("UDP").received;
    assert!(count > 50, "{received:?}");
    let marks = received.figures.marks.as_ref().expect("the system tells marks");
    assert_eq!(marks.tos, [(tos, count)]);
    assert_eq!(marks.ttl, [(64, count)]);
}

#[test]
fn our_server_sees_the_mark_that_iperf_sends() {
    for iperf in peers() {
        for (arguments, tos) in [(&["-S", "ef"][..], EF), (&[], 0), (&["-S", "0x29"], 0x29)] {
            let (server, events) = start_server(&server_config(true));
            let port = server.address().port().to_string();
            let client = ["-u", "-c", "127.0.0.1", "-p", &port, "-t", "1"];
            let finished = iperf.start(&[&client[..], arguments].concat()).finish_within(LIMIT);
            assert!(finished.status.success(), "{finished:?}");
            assert_marked(&events.wait_for_ended(Role::Receiver, 1)[0], tos);
        }
    }
}

#[test]
fn iperf_sends_back_with_the_mark_that_our_client_asks_for() {
    for iperf in peers() {
        for (arguments, tos) in [(&["-u"][..], EF), (&["-u", "--tos-override", "cs1"], 0x20)] {
            let (_server, port) = iperf.start_server(arguments);
            let mut config = client_config(true, SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
            config.direction = Direction::Reverse;
            config.socket = SocketOptions { tos: Some(EF), ..SocketOptions::default() };
            assert_marked(&run(&config).wait_for_ended(Role::Receiver, 1)[0], tos);
        }
    }
}
