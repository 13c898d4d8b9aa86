//! `TCP_INFO`: what the kernel knows about a connection.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// State of a connection, as the kernel counts it since the connection began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// Smoothed round-trip time.
    pub rtt: Duration,
    /// Mean deviation of the round-trip time.
    pub rtt_variation: Duration,
    /// Segments retransmitted since the connection began.
    pub total_retransmits: u32,
    /// Congestion window in segments.
    pub congestion_window_segments: u32,
    /// Maximum segment size for sending, in bytes.
    pub send_mss: u32,
}

/// Asks for the state of the TCP connection `socket`. `None` where the system cannot tell.
///
/// # Errors
/// When `socket` is no TCP socket.
#[cfg(target_os = "linux")]
pub fn tcp_info(socket: BorrowedFd<'_>) -> io::Result<Option<TcpInfo>> {
    use std::mem::{MaybeUninit, size_of};
    use std::os::fd::AsRawFd;

    let mut info = MaybeUninit::<libc::tcp_info>::zeroed();
    let mut length =
        libc::socklen_t::try_from(size_of::<libc::tcp_info>()).unwrap_or(libc::socklen_t::MAX);
    // SAFETY: the descriptor is open for the length of the borrow; the kernel writes at most `length` bytes, which is
    // the size of `info`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the structure holds integers only, for which any bytes are valid, and was zeroed; an older kernel that
    // writes less of it leaves zeros.
    let info = unsafe { info.assume_init() };
    Ok(Some(TcpInfo {
        rtt: Duration::from_micros(info.tcpi_rtt.into()),
        rtt_variation: Duration::from_micros(info.tcpi_rttvar.into()),
        total_retransmits: info.tcpi_total_retrans,
        congestion_window_segments: info.tcpi_snd_cwnd,
        send_mss: info.tcpi_snd_mss,
    }))
}

/// Asks for the state of the TCP connection `socket`. `None` where the system cannot tell.
///
/// # Errors
/// None on this system.
#[cfg(not(target_os = "linux"))]
pub fn tcp_info(_socket: BorrowedFd<'_>) -> io::Result<Option<TcpInfo>> {
    Ok(None)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn a_fresh_connection_has_an_mss_and_a_window() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let info = tcp_info(stream.as_fd()).unwrap().unwrap();
        assert!(info.send_mss >= 536, "{info:?}");
        assert!(info.congestion_window_segments >= 1, "{info:?}");
        assert_eq!(info.total_retransmits, 0);
    }

    #[test]
    fn a_socket_of_another_kind_is_an_error() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        assert!(tcp_info(socket.as_fd()).is_err());
    }
}
