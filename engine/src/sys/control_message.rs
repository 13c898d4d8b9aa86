//! Control messages: what travels beside the bytes of a datagram. Read and written as bytes, without pointers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

const ALIGNMENT: usize = size_of::<usize>();
const HEADER: usize = size_of::<usize>() + 2 * size_of::<libc::c_int>();

/// `IPV6_RECVERR` and `IP_RECVERR` put the errno first.
const ERRNO_LENGTH: usize = size_of::<u32>();

/// A control message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlMessage<'a> {
    /// Protocol level, such as `SOL_SOCKET`.
    pub level: libc::c_int,
    /// Type within the level.
    pub kind: libc::c_int,
    /// Content.
    pub data: &'a [u8],
}

impl ControlMessage<'_> {
    /// The kernel's receive time since 1970-01-01 UTC, of an `SCM_TIMESTAMPNS` message.
    #[must_use]
    pub fn received_at(&self) -> Option<Duration> {
        if (self.level, self.kind) != (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) {
            return None;
        }
        let half = self.data.len() / 2;
        let seconds = u64::try_from(signed(self.data.get(..half)?)?).ok()?;
        let nanoseconds = u32::try_from(signed(self.data.get(half..)?)?).ok()?;
        (nanoseconds < 1_000_000_000).then(|| Duration::new(seconds, nanoseconds))
    }

    /// The local address that a datagram was sent to, of an `IP_PKTINFO` or `IPV6_PKTINFO` message; for IPv4 multicast and
    /// broadcast the one to answer from.
    #[must_use]
    pub fn destination(&self) -> Option<IpAddr> {
        match (self.level, self.kind) {
            (libc::IPPROTO_IP, libc::IP_PKTINFO) => {
                // Interface index, the local address, the address in the packet.
                let address: [u8; 4] = self.data.get(4..8)?.try_into().ok()?;
                Some(Ipv4Addr::from(address).into())
            }
            (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => {
                let address: [u8; 16] = self.data.get(..16)?.try_into().ok()?;
                Some(Ipv6Addr::from(address).into())
            }
            _ => None,
        }
    }

    /// The type-of-service byte of an `IP_TOS` message, or the traffic class of an `IPV6_TCLASS` message.
    #[must_use]
    pub fn tos(&self) -> Option<u8> {
        match (self.level, self.kind) {
            (libc::IPPROTO_IP, libc::IP_TOS) => self.data.first().copied(),
            (libc::IPPROTO_IPV6, libc::IPV6_TCLASS) => u8::try_from(integer(self.data)?).ok(),
            _ => None,
        }
    }

    /// The time to live of an `IP_TTL` message, or the hop limit of an `IPV6_HOPLIMIT` message.
    #[must_use]
    pub fn ttl(&self) -> Option<u8> {
        match (self.level, self.kind) {
            (libc::IPPROTO_IP, libc::IP_TTL) | (libc::IPPROTO_IPV6, libc::IPV6_HOPLIMIT) => {
                u8::try_from(integer(self.data)?).ok()
            }
            _ => None,
        }
    }

    /// The error number of an `IP_RECVERR` or `IPV6_RECVERR` message.
    #[must_use]
    pub fn error_number(&self) -> Option<i32> {
        match (self.level, self.kind) {
            (libc::IPPROTO_IP, libc::IP_RECVERR) | (libc::IPPROTO_IPV6, libc::IPV6_RECVERR) => {
                let number: [u8; 4] = self.data.get(..ERRNO_LENGTH)?.try_into().ok()?;
                i32::try_from(u32::from_ne_bytes(number)).ok()
            }
            _ => None,
        }
    }
}

/// The messages in `control`; what is cut or contradicts itself ends the sequence.
pub fn read(mut control: &[u8]) -> impl Iterator<Item = ControlMessage<'_>> {
    std::iter::from_fn(move || {
        let length = usize::from_ne_bytes(control.get(..ALIGNMENT)?.try_into().ok()?);
        let level = integer(control.get(ALIGNMENT..)?)?;
        let kind = integer(control.get(ALIGNMENT + size_of::<libc::c_int>()..)?)?;
        let data = control.get(aligned(HEADER)..length)?;
        control = control.get(aligned(length)..).unwrap_or_default();
        Some(ControlMessage { level, kind, data })
    })
}

/// Appends a message to `control`.
pub fn write(control: &mut Vec<u8>, level: libc::c_int, kind: libc::c_int, data: &[u8]) {
    let end = control.len() + aligned(aligned(HEADER) + data.len());
    control.extend_from_slice(&(aligned(HEADER) + data.len()).to_ne_bytes());
    control.extend_from_slice(&level.to_ne_bytes());
    control.extend_from_slice(&kind.to_ne_bytes());
    control.extend_from_slice(data);
    control.resize(end, 0);
}

/// Appends the message that makes the kernel send from the local address `source`.
pub fn write_source(control: &mut Vec<u8>, source: IpAddr) {
    match source {
        IpAddr::V4(address) => {
            let mut data = [0; 12];
            data[4..8].copy_from_slice(&address.octets());
            write(control, libc::IPPROTO_IP, libc::IP_PKTINFO, &data);
        }
        IpAddr::V6(address) => {
            let mut data = [0; 20];
            data[..16].copy_from_slice(&address.octets());
            write(control, libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, &data);
        }
    }
}

/// Appends the message that sets the type-of-service byte (IPv6: traffic class) of one datagram.
pub fn write_tos(control: &mut Vec<u8>, peer: IpAddr, tos: u8) {
    let value = libc::c_int::from(tos).to_ne_bytes();
    match peer.to_canonical() {
        IpAddr::V4(_) => write(control, libc::IPPROTO_IP, libc::IP_TOS, &value),
        IpAddr::V6(_) => write(control, libc::IPPROTO_IPV6, libc::IPV6_TCLASS, &value),
    }
}

fn aligned(length: usize) -> usize {
    length.saturating_add(ALIGNMENT - 1) & !(ALIGNMENT - 1)
}

fn integer(bytes: &[u8]) -> Option<libc::c_int> {
    let bytes = bytes.get(..size_of::<libc::c_int>())?.try_into().ok()?;
    Some(libc::c_int::from_ne_bytes(bytes))
}

fn signed(bytes: &[u8]) -> Option<i64> {
    match bytes.len() {
        8 => bytes.try_into().ok().map(i64::from_ne_bytes),
        4 => bytes.try_into().ok().map(|bytes| i32::from_ne_bytes(bytes).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn timestamp(seconds: i64, nanoseconds: i64) -> Vec<u8> {
        [seconds.to_ne_bytes(), nanoseconds.to_ne_bytes()].concat()
    }

    #[test]
    fn messages_come_back_in_the_order_they_were_written() {
        let mut control = Vec::new();
        write(&mut control, 1, 2, b"abc");
        write_source(&mut control, Ipv4Addr::LOCALHOST.into());
        write_source(&mut control, Ipv6Addr::LOCALHOST.into());
        let messages: Vec<_> = read(&control).collect();
        assert_eq!(messages.len(), 3);
        assert_eq!(messages[0], ControlMessage { level: 1, kind: 2, data: b"abc" });
        assert_eq!(messages[1].destination(), Some(Ipv4Addr::LOCALHOST.into()));
        assert_eq!(messages[2].destination(), Some(Ipv6Addr::LOCALHOST.into()));
    }

    #[test]
    fn a_receive_time_keeps_its_nanoseconds() {
        let mut control = Vec::new();
        let data = timestamp(1_796_072_653, 232_837_001);
        write(&mut control, libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS, &data);
        let message = read(&control).next().unwrap();
        assert_eq!(message.received_at(), Some(Duration::new(1_796_072_653, 232_837_001)));
    }

    #[test]
    fn impossible_receive_times_are_absent() {
        for (seconds, nanoseconds) in [(-1, 0), (0, -1), (0, 1_000_000_000)] {
            let data = timestamp(seconds, nanoseconds);
            let (level, kind) = (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS);
            assert_eq!(ControlMessage { level, kind, data: &data }.received_at(), None);
        }
    }

    #[test]
    fn a_message_that_is_cut_ends_the_sequence() {
        let mut control = Vec::new();
        write(&mut control, 1, 2, b"abcdefgh");
        write(&mut control, 3, 4, b"ijkl");
        assert_eq!(read(&control[..control.len() - 5]).count(), 1);
        assert_eq!(read(&control[..HEADER - 1]).count(), 0);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(control in prop::collection::vec(any::<u8>(), 0..96)) {
            for message in read(&control) {
                let _ = (message.received_at(), message.destination(), message.error_number());
                let _ = (message.tos(), message.ttl());
            }
        }
    }
}
