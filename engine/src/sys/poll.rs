//! `poll`: waiting for one descriptor, for a limited time.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

/// What to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// Data to read, a connection to accept, or the end of the stream.
    Readable,
    /// Room to write, or the outcome of a connect.
    Writable,
    /// Only that the connection is broken.
    Broken,
}

/// Waits until `descriptor` is ready or has failed, or until `timeout` (rounded up to milliseconds) is over. Tells
/// whether it is ready; a signal may end the wait early.
///
/// # Errors
/// When the system refuses to poll.
pub fn wait(
    descriptor: BorrowedFd<'_>,
    readiness: Readiness,
    timeout: Duration,
) -> io::Result<bool> {
    let events = match readiness {
        Readiness::Readable => libc::POLLIN,
        Readiness::Writable => libc::POLLOUT,
        // Errors are always told.
        Readiness::Broken => 0,
    };
    let mut entry = libc::pollfd { fd: descriptor.as_raw_fd(), events, revents: 0 };
    let milliseconds = timeout.as_nanos().div_ceil(1_000_000);
    let milliseconds = libc::c_int::try_from(milliseconds).unwrap_or(libc::c_int::MAX);
    // SAFETY: `entry` is one valid entry that lives through the call, and its descriptor is open for as long as it is
    // borrowed.
    let ready = unsafe { libc::poll(&raw mut entry, 1, milliseconds) };
    if ready >= 0 {
        return Ok(ready > 0);
    }
    match io::Error::last_os_error() {
        error if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        error => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn data_makes_a_descriptor_readable() {
        let (mut near, far) = UnixStream::pair().unwrap();
        assert!(!wait(far.as_fd(), Readiness::Readable, Duration::ZERO).unwrap());
        near.write_all(b"x").unwrap();
        assert!(wait(far.as_fd(), Readiness::Readable, Duration::from_secs(5)).unwrap());
        assert!(wait(far.as_fd(), Readiness::Writable, Duration::ZERO).unwrap());
    }

    #[test]
    fn a_connection_is_broken_by_a_reset_and_not_by_data() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (far, _) = listener.accept().unwrap();
        near.write_all(b"x").unwrap();
        assert!(wait(far.as_fd(), Readiness::Readable, Duration::from_secs(5)).unwrap());
        assert!(!wait(far.as_fd(), Readiness::Broken, Duration::ZERO).unwrap());
        // Data that is not read makes the close a reset.
        drop(far);
        assert!(wait(near.as_fd(), Readiness::Broken, Duration::from_secs(5)).unwrap());
    }

    #[test]
    fn the_end_of_a_stream_counts_as_readable() {
        let (near, far) = UnixStream::pair().unwrap();
        drop(near);
        assert!(wait(far.as_fd(), Readiness::Readable, Duration::from_secs(5)).unwrap());
    }
}
