//! Free ports for peers that cannot choose one themselves.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::time::{Duration, Instant};

/// A port that nothing used a moment ago.
///
/// # Panics
/// When the system has none.
#[must_use]
pub fn free(udp: bool) -> u16 {
    let address = (Ipv4Addr::UNSPECIFIED, 0);
    if udp {
        UdpSocket::bind(address).and_then(|socket| socket.local_addr())
    } else {
        TcpListener::bind(address).and_then(|listener| listener.local_addr())
    }
    .expect("a free port")
    .port()
}

/// The first of `count` consecutive ports that nothing used a moment ago.
///
/// # Panics
/// When the system has none.
#[must_use]
pub fn free_range(udp: bool, count: u16) -> u16 {
    let is_free = |port: u16| {
        let address = (Ipv4Addr::UNSPECIFIED, port);
        if udp { UdpSocket::bind(address).is_ok() } else { TcpListener::bind(address).is_ok() }
    };
    let mut firsts = std::iter::repeat_with(|| free(udp)).take(100);
    firsts
        .find(|first| {
            first.checked_add(count).is_some() && (1..count).all(|step| is_free(first + step))
        })
        .expect("consecutive free ports")
}

/// Waits until some process listens on the port, without sending anything to it.
///
/// # Panics
/// When that does not happen within `limit`.
pub fn wait_until_bound(port: u16, udp: bool, limit: Duration) {
    let deadline = Instant::now() + limit;
    while !is_bound(port, udp) {
        assert!(Instant::now() < deadline, "nothing listens on port {port} after {limit:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_bound(port: u16, udp: bool) -> bool {
    let tables: &[&str] = if udp {
        &["/proc/net/udp", "/proc/net/udp6"]
    } else {
        &["/proc/net/tcp", "/proc/net/tcp6"]
    };
    let wanted = format!(":{port:04X}");
    // Columns: slot, local address, remote address, state; 0A is LISTEN.
    tables.iter().filter_map(|table| std::fs::read_to_string(table).ok()).any(|table| {
        table.lines().skip(1).any(|line| {
            let mut columns = line.split_whitespace().skip(1);
            let local = columns.next().unwrap_or_default();
            let state = columns.nth(1).unwrap_or_default();
            local.ends_with(&wanted) && (udp || state == "0A")
        })
    })
}
