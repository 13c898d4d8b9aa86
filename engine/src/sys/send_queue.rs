//! `SIOCOUTQ`: how much of what was written the peer has not acknowledged yet.

use std::io;
use std::os::fd::BorrowedFd;

/// Bytes in the send queue of a TCP socket, sent or not, that the peer has not acknowledged. `None` where the system
/// cannot tell.
///
/// # Errors
/// When the system refuses to tell.
#[cfg(target_os = "linux")]
pub fn unacknowledged_bytes(socket: BorrowedFd<'_>) -> io::Result<Option<u64>> {
    use std::os::fd::AsRawFd;

    let mut bytes: libc::c_int = 0;
    // SAFETY: the descriptor is open for the length of the borrow, and this request writes one `int`.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(u64::try_from(bytes).ok())
}

/// Bytes in the send queue of a TCP socket that the peer has not acknowledged. `None` where the system cannot tell.
///
/// # Errors
/// None on this system.
#[cfg(not(target_os = "linux"))]
pub fn unacknowledged_bytes(_socket: BorrowedFd<'_>) -> io::Result<Option<u64>> {
    Ok(None)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn a_peer_that_never_reads_leaves_bytes_in_the_queue() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert_eq!(unacknowledged_bytes(stream.as_fd()).unwrap(), Some(0));
        stream.set_nonblocking(true).unwrap();
        while stream.write(&[0; 65_536]).is_ok() {}
        assert!(unacknowledged_bytes(stream.as_fd()).unwrap().unwrap() > 0);
    }
}
