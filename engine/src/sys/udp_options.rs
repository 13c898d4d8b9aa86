//! Options of UDP sockets that socket2 does not offer.

use std::io;
use std::net::IpAddr;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Number of values that `SO_MEMINFO` gives, and which of them counts drops (`linux/sock_diag.h`).
const MEMINFO_VALUES: usize = 9;
const MEMINFO_DROPS: usize = 8;

/// Makes the kernel tell when it received each datagram (`SO_TIMESTAMPNS`).
///
/// # Errors
/// When the system refuses.
pub fn tell_receive_time(socket: BorrowedFd<'_>) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)
}

/// Makes the kernel tell to which local address each datagram was sent (`IP_PKTINFO`); `local` is the address that the
/// socket is bound to.
///
/// # Errors
/// When the system refuses.
pub fn tell_destination(socket: BorrowedFd<'_>, local: IpAddr) -> io::Result<()> {
    match local {
        IpAddr::V4(_) => set(socket, libc::IPPROTO_IP, libc::IP_PKTINFO, 1),
        IpAddr::V6(_) => set(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVPKTINFO, 1),
    }
}

/// Makes the kernel tell the type-of-service byte and the time to live of each datagram (`IP_RECVTOS`, `IP_RECVTTL`, and
/// the same of IPv6); `local` is an address of the socket's family.
///
/// # Errors
/// When the system refuses.
pub fn tell_marks(socket: BorrowedFd<'_>, local: IpAddr) -> io::Result<()> {
    let ipv4 = || {
        set(socket, libc::IPPROTO_IP, libc::IP_RECVTOS, 1)?;
        set(socket, libc::IPPROTO_IP, libc::IP_RECVTTL, 1)
    };
    if local.is_ipv4() {
        return ipv4();
    }
    set(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVTCLASS, 1)?;
    set(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVHOPLIMIT, 1)?;
    // For IPv4 peers of a socket of both families; refused by one that is IPv6 only, where it is not needed.
    let _ = ipv4();
    Ok(())
}

/// Makes the kernel keep the errors that the network reports, with the address that each is about (`IP_RECVERR`);
/// `local` is an address of the socket's family.
///
/// # Errors
/// When the system refuses.
pub fn queue_errors(socket: BorrowedFd<'_>, local: IpAddr) -> io::Result<()> {
    match local {
        IpAddr::V4(_) => set(socket, libc::IPPROTO_IP, libc::IP_RECVERR, 1),
        IpAddr::V6(_) => {
            set(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVERR, 1)?;
            // For IPv4 peers of a socket of both families; refused by one that is IPv6 only, where it is not needed.
            let _ = set(socket, libc::IPPROTO_IP, libc::IP_RECVERR, 1);
            Ok(())
        }
    }
}

/// Asks for a receive buffer of `bytes`, beyond the system's limit (`SO_RCVBUFFORCE`); only an administrator may.
///
/// # Errors
/// When the system refuses.
pub fn force_receive_buffer(socket: BorrowedFd<'_>, bytes: usize) -> io::Result<()> {
    let bytes = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    set(socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, bytes)
}

/// How many datagrams the kernel dropped at this socket since it was made, most often because its buffer was full
/// (`SO_MEMINFO`). It is the counter of `SO_RXQ_OVFL`, which is told only with the next datagram that arrives.
///
/// # Errors
/// When the system does not tell (Linux before 4.12).
pub fn dropped_datagrams(socket: BorrowedFd<'_>) -> io::Result<u32> {
    let mut values = [0_u32; MEMINFO_VALUES];
    let mut length = libc::socklen_t::try_from(size_of_val(&values)).unwrap_or_default();
    // SAFETY: the descriptor is open for the length of the borrow, and the kernel writes at most `length` bytes, which
    // is the size of `values`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            values.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(values[MEMINFO_DROPS])
}

fn set(
    socket: BorrowedFd<'_>,
    level: libc::c_int,
    name: libc::c_int,
    value: libc::c_int,
) -> io::Result<()> {
    let length = libc::socklen_t::try_from(size_of_val(&value)).unwrap_or_default();
    // SAFETY: the descriptor is open for the length of the borrow, and the kernel reads `length` bytes, which is the
    // size of `value`.
    let result = unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, name, (&raw const value).cast(), length)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn datagrams_that_do_not_fit_into_the_buffer_are_counted() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        assert_eq!(dropped_datagrams(receiver.as_fd()).unwrap(), 0);
        socket2::SockRef::from(&receiver).set_recv_buffer_size(1).unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        for _ in 0..100 {
            sender.send_to(&[0; 1000], receiver.local_addr().unwrap()).unwrap();
        }
        let mut kept = 0;
        receiver.set_nonblocking(true).unwrap();
        while receiver.recv(&mut [0; 1000]).is_ok() {
            kept += 1;
        }
        assert!(kept < 100);
        assert_eq!(dropped_datagrams(receiver.as_fd()).unwrap(), 100 - kept);
    }
}
