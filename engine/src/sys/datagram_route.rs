//! `sendmsg`: datagrams from one socket to many peers, each from the local address that its peer knows.

use std::io::{self, IoSlice};
use std::net::{IpAddr, SocketAddr};

use socket2::{MsgHdr, SockAddr, Socket};

use super::control_message;

/// Where a datagram goes, where it comes from, and its type of service.
#[derive(Debug, Clone)]
pub struct DatagramRoute {
    peer: SockAddr,
    control: Vec<u8>,
}

impl DatagramRoute {
    /// A way to `peer`. `source` is the local address to send from, for a socket that is bound to all addresses; `tos` is
    /// the type-of-service byte (IPv6: traffic class), if it is not the socket's.
    #[must_use]
    pub fn new(peer: SocketAddr, source: Option<IpAddr>, tos: Option<u8>) -> Self {
        let mut control = Vec::new();
        if let Some(source) = source {
            control_message::write_source(&mut control, source);
        }
        if let Some(tos) = tos {
            control_message::write_tos(&mut control, peer.ip(), tos);
        }
        Self { peer: peer.into(), control }
    }

    /// Sends one datagram; blocks as the socket does.
    ///
    /// # Errors
    /// As `sendmsg`. On a socket that queues errors, the error of another peer's datagram may come back here instead,
    /// and then nothing was sent.
    pub fn send(&self, socket: &Socket, datagram: &[u8]) -> io::Result<usize> {
        let buffers = [IoSlice::new(datagram)];
        let mut message = MsgHdr::new().with_addr(&self.peer).with_buffers(&buffers);
        if !self.control.is_empty() {
            message = message.with_control(&self.control);
        }
        socket.sendmsg(&message, 0)
    }
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_socket_of_all_addresses_answers_from_the_one_that_was_asked() {
        let server = Socket::from(UdpSocket::bind("0.0.0.0:0").unwrap());
        let port = server.local_addr().unwrap().as_socket().unwrap().port();
        let client = UdpSocket::bind("127.0.0.1:0").unwrap();
        client.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let asked: SocketAddr = ([127, 0, 0, 9], port).into();
        let route = DatagramRoute::new(client.local_addr().unwrap(), Some(asked.ip()), Some(0xb8));
        assert_eq!(route.send(&server, b"report").unwrap(), 6);
        let (length, from) = client.recv_from(&mut [0; 16]).unwrap();
        assert_eq!((length, from), (6, asked));
    }

    #[test]
    fn ipv6_peers_are_reached_with_a_traffic_class() {
        let server = Socket::from(UdpSocket::bind("[::]:0").unwrap());
        let client = UdpSocket::bind("[::1]:0").unwrap();
        client.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let route = DatagramRoute::new(
            client.local_addr().unwrap(),
            Some(std::net::Ipv6Addr::LOCALHOST.into()),
            Some(0x28),
        );
        assert_eq!(route.send(&server, b"report").unwrap(), 6);
        assert_eq!(client.recv(&mut [0; 16]).unwrap(), 6);
    }
}
