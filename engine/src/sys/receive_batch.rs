//! `recvmmsg`: several datagrams with one call, each with its time, its sender and the address it was sent to.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

use super::control_message;

/// Datagrams per call.
const SLOTS: usize = 64;
/// What is kept of each datagram: more than the longest header.
const KEPT: usize = 256;
/// Room for a receive time, a destination, a type of service, a time to live and an error with its origin.
const CONTROL: usize = 256;
/// Length of `sockaddr_in6`, the longer one of the two families.
const NAME: usize = size_of::<libc::sockaddr_in6>();

/// Room for the datagrams of one call.
///
/// Only the first 256 bytes of a datagram are copied out of the kernel; its length is told in full.
#[derive(Debug)]
pub struct ReceiveBatch {
    slots: Vec<Slot>,
    received: usize,
}

/// A datagram that was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received<'a> {
    /// The first bytes, at most 256.
    pub bytes: &'a [u8],
    /// Length of the datagram.
    pub length: usize,
    /// Where it came from. In the error queue: where the datagram that failed was going to.
    pub peer: Option<SocketAddr>,
    /// The local address that it was sent to, if the socket was asked to tell.
    pub local: Option<IpAddr>,
    /// When the kernel received it, since 1970-01-01 UTC, if the socket was asked to tell.
    pub at: Option<Duration>,
    /// Type-of-service byte (IPv6: traffic class), if the socket was asked to tell.
    pub tos: Option<u8>,
    /// Time to live (IPv6: hop limit) on arrival, if the socket was asked to tell.
    pub ttl: Option<u8>,
    /// In the error queue: the error number.
    pub error_number: Option<i32>,
}

#[derive(Debug, Clone)]
#[repr(C, align(16))]
struct Slot {
    control: [u8; CONTROL],
    name: [u8; NAME],
    bytes: [u8; KEPT],
    control_length: usize,
    name_length: usize,
    length: usize,
}

impl Default for ReceiveBatch {
    fn default() -> Self {
        let slot = Slot {
            control: [0; CONTROL],
            name: [0; NAME],
            bytes: [0; KEPT],
            control_length: 0,
            name_length: 0,
            length: 0,
        };
        Self { slots: vec![slot; SLOTS], received: 0 }
    }
}

impl ReceiveBatch {
    /// Takes the datagrams that have arrived, without waiting, and tells their number. Those of the previous call are
    /// forgotten.
    ///
    /// # Errors
    /// An error that the network reported for an earlier datagram, such as `ConnectionRefused`, is returned once.
    pub fn receive(&mut self, socket: BorrowedFd<'_>) -> io::Result<usize> {
        self.call(socket, libc::MSG_DONTWAIT | libc::MSG_TRUNC)
    }

    /// Takes the datagrams that the network rejected (`IP_RECVERR`), without waiting, and tells their number.
    ///
    /// # Errors
    /// When the system refuses to tell.
    pub fn receive_errors(&mut self, socket: BorrowedFd<'_>) -> io::Result<usize> {
        self.call(socket, libc::MSG_DONTWAIT | libc::MSG_ERRQUEUE)
    }

    /// Forgets the datagrams of the last call.
    pub fn clear(&mut self) {
        self.received = 0;
    }

    /// Whether the last call filled every slot, so that more may be waiting.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.received == self.slots.len()
    }

    /// The datagrams of the last call, in the order of their arrival.
    pub fn iter(&self) -> impl Iterator<Item = Received<'_>> {
        self.slots.iter().take(self.received).map(Slot::received)
    }

    fn call(&mut self, socket: BorrowedFd<'_>, flags: libc::c_int) -> io::Result<usize> {
        self.received = 0;
        let mut vectors: [libc::iovec; SLOTS] =
            std::array::from_fn(|_| libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 });
        // SAFETY: the structures hold integers and pointers, for which zeros are valid.
        let mut headers: [libc::mmsghdr; SLOTS] = unsafe { std::mem::zeroed() };
        for ((slot, vector), header) in self.slots.iter_mut().zip(&mut vectors).zip(&mut headers) {
            vector.iov_base = slot.bytes.as_mut_ptr().cast();
            vector.iov_len = slot.bytes.len();
            header.msg_hdr.msg_name = slot.name.as_mut_ptr().cast();
            header.msg_hdr.msg_namelen = length(slot.name.len());
            header.msg_hdr.msg_iov = vector;
            header.msg_hdr.msg_iovlen = 1;
            header.msg_hdr.msg_control = slot.control.as_mut_ptr().cast();
            header.msg_hdr.msg_controllen = length(slot.control.len());
        }
        // SAFETY: the descriptor is open for the length of the borrow. Each of the SLOTS headers points to the name, the
        // buffer and the control space of a slot of its own, with their lengths; slots and vectors outlive the call.
        let result = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                headers.as_mut_ptr(),
                length(SLOTS),
                flags,
                std::ptr::null_mut(),
            )
        };
        let Ok(received) = usize::try_from(result) else {
            return match io::Error::last_os_error() {
                error
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                    ) =>
                {
                    Ok(0)
                }
                error => Err(error),
            };
        };
        for (slot, header) in self.slots.iter_mut().zip(&headers).take(received) {
            slot.length = length(header.msg_len);
            slot.name_length = length(header.msg_hdr.msg_namelen);
            slot.control_length = length(header.msg_hdr.msg_controllen);
        }
        self.received = received;
        Ok(received)
    }
}

impl Slot {
    fn received(&self) -> Received<'_> {
        let mut received = Received {
            bytes: self.bytes.get(..self.length).unwrap_or(&self.bytes),
            length: self.length,
            peer: self.name.get(..self.name_length).and_then(address),
            local: None,
            at: None,
            tos: None,
            ttl: None,
            error_number: None,
        };
        for message in
            control_message::read(self.control.get(..self.control_length).unwrap_or_default())
        {
            received.at = received.at.or_else(|| message.received_at());
            received.local = received.local.or_else(|| message.destination());
            received.tos = received.tos.or_else(|| message.tos());
            received.ttl = received.ttl.or_else(|| message.ttl());
            received.error_number = received.error_number.or_else(|| message.error_number());
        }
        received
    }
}

/// A small length in the type that the system's structure has; which one differs between C libraries.
fn length<From: TryInto<To>, To: Default>(length: From) -> To {
    length.try_into().unwrap_or_default()
}

/// Reads a `sockaddr_in` or `sockaddr_in6`.
fn address(name: &[u8]) -> Option<SocketAddr> {
    let family = libc::sa_family_t::from_ne_bytes(name.get(..2)?.try_into().ok()?);
    let port = u16::from_be_bytes(name.get(2..4)?.try_into().ok()?);
    match libc::c_int::from(family) {
        libc::AF_INET => {
            let ip: [u8; 4] = name.get(4..8)?.try_into().ok()?;
            Some(SocketAddr::new(Ipv4Addr::from(ip).into(), port))
        }
        libc::AF_INET6 => {
            let flow = u32::from_be_bytes(name.get(4..8)?.try_into().ok()?);
            let ip: [u8; 16] = name.get(8..24)?.try_into().ok()?;
            let scope = u32::from_ne_bytes(name.get(24..28)?.try_into().ok()?);
            Some(SocketAddrV6::new(Ipv6Addr::from(ip), port, flow, scope).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;
    use std::os::fd::AsFd;

    use super::super::poll::{self, Readiness};
    use super::super::udp_options;
    use super::*;

    fn receive(batch: &mut ReceiveBatch, socket: &UdpSocket) -> usize {
        assert!(poll::wait(socket.as_fd(), Readiness::Readable, Duration::from_secs(5)).unwrap());
        batch.receive(socket.as_fd()).unwrap()
    }

    #[test]
    fn a_datagram_has_its_length_sender_destination_and_time() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let receiver = UdpSocket::bind(address).unwrap();
            udp_options::tell_receive_time(receiver.as_fd()).unwrap();
            udp_options::tell_destination(receiver.as_fd(), receiver.local_addr().unwrap().ip())
                .unwrap();
            let sender = UdpSocket::bind(address).unwrap();
            sender.send_to(&[7; 1470], receiver.local_addr().unwrap()).unwrap();
            sender.send_to(&[8; 16], receiver.local_addr().unwrap()).unwrap();

            let mut batch = ReceiveBatch::default();
            assert_eq!(receive(&mut batch, &receiver), 2);
            assert!(!batch.is_full());
            let datagrams: Vec<_> = batch.iter().collect();
            assert_eq!((datagrams[0].length, datagrams[0].bytes), (1470, &[7; KEPT][..]));
            assert_eq!((datagrams[1].length, datagrams[1].bytes), (16, &[8; 16][..]));
            for datagram in datagrams {
                assert_eq!(datagram.peer, Some(sender.local_addr().unwrap()));
                assert_eq!(datagram.local, Some(receiver.local_addr().unwrap().ip()));
                // Between 2020 and 2100.
                assert!((1_577_000_000..4_102_000_000).contains(&datagram.at.unwrap().as_secs()));
            }
        }
    }

    #[test]
    fn a_datagram_tells_its_marks_on_both_families_and_through_a_socket_of_both() {
        for (bound, target) in
            [("127.0.0.1:0", "127.0.0.1"), ("[::1]:0", "::1"), ("[::]:0", "127.0.0.1")]
        {
            let receiver = UdpSocket::bind(bound).unwrap();
            let bound = receiver.local_addr().unwrap();
            udp_options::tell_marks(receiver.as_fd(), bound.ip()).unwrap();
            udp_options::tell_receive_time(receiver.as_fd()).unwrap();
            udp_options::tell_destination(receiver.as_fd(), bound.ip()).unwrap();
            let peer = SocketAddr::new(target.parse().unwrap(), bound.port());
            let sender = socket2::Socket::new(
                socket2::Domain::for_address(peer),
                socket2::Type::DGRAM,
                None,
            )
            .unwrap();
            if peer.is_ipv6() {
                sender.set_tclass_v6(0xb9).unwrap();
                sender.set_unicast_hops_v6(7).unwrap();
            } else {
                sender.set_tos_v4(0xb9).unwrap();
                sender.set_ttl_v4(7).unwrap();
            }
            sender.send_to(b"hello", &peer.into()).unwrap();

            let mut batch = ReceiveBatch::default();
            assert_eq!(receive(&mut batch, &receiver), 1);
            let datagram = batch.iter().next().unwrap();
            assert_eq!((datagram.tos, datagram.ttl), (Some(0xb9), Some(7)), "{bound} from {peer}");
            assert!(datagram.at.is_some() && datagram.local.is_some(), "nothing is pushed out");
        }
    }

    #[test]
    fn a_socket_without_datagrams_gives_none() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        assert_eq!(ReceiveBatch::default().receive(socket.as_fd()).unwrap(), 0);
    }

    #[test]
    fn a_rejected_datagram_is_found_with_its_destination() {
        let closed = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        udp_options::queue_errors(socket.as_fd(), closed.ip()).unwrap();
        socket.send_to(b"hello", closed).unwrap();
        assert!(poll::wait(socket.as_fd(), Readiness::Readable, Duration::from_secs(5)).unwrap());
        let mut batch = ReceiveBatch::default();
        assert_eq!(batch.receive_errors(socket.as_fd()).unwrap(), 1);
        let rejected = batch.iter().next().unwrap();
        assert_eq!(
            (rejected.peer, rejected.error_number),
            (Some(closed), Some(libc::ECONNREFUSED))
        );
    }
}
