//! `SO_MAX_PACING_RATE`: an upper limit of the rate at which the kernel sends a connection's segments.

use std::io;
use std::os::fd::BorrowedFd;

/// `SO_MAX_PACING_RATE` of `asm/socket.h`, which libc lacks.
#[cfg(all(target_os = "linux", not(any(target_arch = "sparc", target_arch = "sparc64"))))]
const SO_MAX_PACING_RATE: libc::c_int = 47;
#[cfg(all(target_os = "linux", any(target_arch = "sparc", target_arch = "sparc64")))]
const SO_MAX_PACING_RATE: libc::c_int = 0x0031;

/// Limits the rate at which the kernel sends on `socket`, in bytes per second.
///
/// # Errors
/// When the system refuses, or knows no such limit (`ErrorKind::Unsupported`).
#[cfg(target_os = "linux")]
pub fn set_max_pacing_rate(socket: BorrowedFd<'_>, bytes_per_second: u64) -> io::Result<()> {
    use std::mem::size_of;
    use std::os::fd::AsRawFd;

    let length = libc::socklen_t::try_from(size_of::<u64>()).unwrap_or(libc::socklen_t::MAX);
    // SAFETY: the descriptor is open for the length of the borrow, and the kernel reads `length` bytes, which is the
    // size of `bytes_per_second`.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            SO_MAX_PACING_RATE,
            (&raw const bytes_per_second).cast(),
            length,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Limits the rate at which the kernel sends on `socket`, in bytes per second.
///
/// # Errors
/// Always `ErrorKind::Unsupported` on this system.
#[cfg(not(target_os = "linux"))]
pub fn set_max_pacing_rate(_socket: BorrowedFd<'_>, _bytes_per_second: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::mem::size_of;
    use std::net::TcpListener;
    use std::os::fd::{AsFd, AsRawFd};

    use super::*;

    #[test]
    fn the_kernel_keeps_a_limit_above_32_bits() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        set_max_pacing_rate(socket.as_fd(), 5_000_000_000).unwrap();
        let (mut rate, mut length) = (0_u64, libc::socklen_t::try_from(size_of::<u64>()).unwrap());
        // SAFETY: `rate` has the `length` bytes that the kernel may write.
        let result = unsafe {
            libc::getsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                SO_MAX_PACING_RATE,
                (&raw mut rate).cast(),
                &raw mut length,
            )
        };
        assert_eq!((result, rate), (0, 5_000_000_000));
    }
}
