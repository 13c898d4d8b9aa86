//! One TCP connection with bounded waits.

use std::io::{self, Read as _};
use std::mem::MaybeUninit;
use std::net::{IpAddr, Shutdown, SocketAddr};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use socket2::{SockAddr, Socket};

use super::clock;
use crate::cancel::Cancel;
use crate::error::EngineError;
use crate::event::TcpSample;
use crate::protocol::tcp_end::vanished;
use crate::protocol::tcp_limits::{MESSAGE_TIMEOUT, POLL};
use crate::sys::poll::{self, Readiness};
use crate::sys::{send_queue, tcp_info};

/// What a read gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// So many bytes.
    Bytes(usize),
    /// Nothing came while it waited.
    Nothing,
    /// The peer sends no more.
    End,
    /// The connection is broken; what was seen of the peer.
    Broken(&'static str),
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// So many bytes were taken.
    Bytes(usize),
    /// Nothing was taken while it waited.
    Nothing,
    /// The connection is broken; what was seen of the peer.
    Broken(&'static str),
}

/// A connection whose reads and writes return at least every [`POLL`].
#[derive(Debug)]
pub(super) struct TcpConnection {
    socket: Socket,
    local: SocketAddr,
    peer: SocketAddr,
}

impl TcpConnection {
    /// Connects `socket` to `server`.
    pub(super) fn connect(
        socket: Socket,
        server: SocketAddr,
        timeout: Duration,
        cancel: &Cancel,
    ) -> Result<Self, EngineError> {
        let failed = |error: io::Error| connect_error(server, timeout, &error);
        socket.set_nonblocking(true).map_err(failed)?;
        let deadline = clock::later(clock::monotonic(), timeout);
        match socket.connect(&SockAddr::from(server)) {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => {
                await_connect(&socket, server, deadline, timeout, cancel)?;
            }
            Err(error) => return Err(failed(error)),
        }
        socket.set_nonblocking(false).map_err(failed)?;
        Self::of_socket(socket)
    }

    /// Takes over a connected socket.
    pub(super) fn of_socket(socket: Socket) -> Result<Self, EngineError> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotConnected => vanished("it closed at once"),
            _ => EngineError::system("set up the connection", &error),
        };
        socket.set_read_timeout(Some(POLL)).map_err(failed)?;
        socket.set_write_timeout(Some(POLL)).map_err(failed)?;
        let local = plain_address(&socket.local_addr().map_err(failed)?)?;
        let peer = plain_address(&socket.peer_addr().map_err(failed)?)?;
        Ok(Self { socket, local, peer })
    }

    pub(super) fn socket(&self) -> &Socket {
        &self.socket
    }

    pub(super) fn local(&self) -> SocketAddr {
        self.local
    }

    pub(super) fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Writes from `bytes`; waits at most `patience`, and never longer than [`POLL`].
    pub(super) fn write(&self, bytes: &[u8], patience: Duration) -> Result<Written, EngineError> {
        if patience >= POLL {
            return written(self.socket.send_with_flags(bytes, libc::MSG_NOSIGNAL));
        }
        // The timeout of the socket is too coarse, and would cost a system call to change.
        let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
        match written(self.socket.send_with_flags(bytes, flags))? {
            Written::Nothing if !patience.is_zero() => {
                self.wait(Readiness::Writable, patience)?;
                written(self.socket.send_with_flags(bytes, flags))
            }
            result => Ok(result),
        }
    }

    /// Writes a short message as a whole; `message` is its name.
    pub(super) fn write_message(
        &self,
        message: &str,
        mut bytes: &[u8],
        cancel: &Cancel,
    ) -> Result<(), EngineError> {
        let deadline = clock::later(clock::monotonic(), MESSAGE_TIMEOUT);
        while !bytes.is_empty() {
            match self.write(bytes, POLL)? {
                Written::Bytes(count) => bytes = &bytes[count..],
                Written::Broken(seen) => return Err(vanished(format!("{seen} at once"))),
                Written::Nothing if cancel.is_cancelled() => return Err(EngineError::Cancelled),
                Written::Nothing if clock::monotonic() < deadline => {}
                Written::Nothing => return Err(vanished(format!("it did not take the {message}"))),
            }
        }
        Ok(())
    }

    /// Reads into `buffer`.
    pub(super) fn read(&self, buffer: &mut [u8]) -> Result<Read, EngineError> {
        read((&self.socket).read(buffer))
    }

    /// Reads up to the size of `buffer` without looking at the bytes. Linux does not copy them either (`MSG_TRUNC`,
    /// tcp(7)); elsewhere they land in `buffer`.
    pub(super) fn discard(&self, buffer: &mut [MaybeUninit<u8>]) -> Result<Read, EngineError> {
        let flags = if cfg!(target_os = "linux") { libc::MSG_TRUNC } else { 0 };
        read(self.socket.recv_with_flags(buffer, flags))
    }

    /// Reads into `buffer` what is there already.
    pub(super) fn read_available(&self, buffer: &mut [u8]) -> Result<Read, EngineError> {
        if self.wait(Readiness::Readable, Duration::ZERO)? {
            self.read(buffer)
        } else {
            Ok(Read::Nothing)
        }
    }

    /// Fills `buffer`, until `deadline`. Gives how many bytes came, and why not more. Calls `meanwhile` with the time after
    /// each wait.
    pub(super) fn read_exact(
        &self,
        buffer: &mut [u8],
        deadline: Instant,
        cancel: &Cancel,
        meanwhile: &mut dyn FnMut(Instant),
    ) -> Result<(usize, Read), EngineError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read(&mut buffer[filled..])? {
                Read::Bytes(count) => filled += count,
                Read::Nothing => {}
                reason => return Ok((filled, reason)),
            }
            let now = clock::monotonic();
            meanwhile(now);
            if filled < buffer.len() && now >= deadline {
                return Ok((filled, Read::Nothing));
            }
            if cancel.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
        }
        Ok((filled, Read::Bytes(filled)))
    }

    /// Waits until there is something to read; `false` when nothing came within [`POLL`].
    pub(super) fn wait_readable(&self) -> Result<bool, EngineError> {
        self.wait(Readiness::Readable, POLL)
    }

    /// Waits for [`POLL`], or until the connection breaks, which it tells.
    pub(super) fn pause(&self) -> Result<bool, EngineError> {
        self.wait(Readiness::Broken, POLL)
    }

    /// Tells the peer that no more comes. A connection that is broken already is not an error here.
    pub(super) fn half_close(&self) {
        let _ = self.socket.shutdown(Shutdown::Write);
    }

    /// Makes the close, when the connection is dropped, a reset: what is still to be sent is forgotten.
    pub(super) fn reset_on_close(&self) {
        let _ = self.socket.set_linger(Some(Duration::ZERO));
    }

    /// Bytes that the peer has not acknowledged, where the system tells.
    pub(super) fn unacknowledged(&self) -> Option<u64> {
        send_queue::unacknowledged_bytes(self.socket.as_fd()).ok().flatten()
    }

    /// State of the connection, where the system tells; `retransmits` counts from the beginning of the connection.
    pub(super) fn sample(&self) -> Option<TcpSample> {
        let info = tcp_info::tcp_info(self.socket.as_fd()).ok().flatten()?;
        Some(TcpSample {
            rtt: info.rtt,
            rtt_variation: info.rtt_variation,
            retransmits: info.total_retransmits.into(),
            congestion_window: u64::from(info.congestion_window_segments)
                * u64::from(info.send_mss),
            mss: info.send_mss,
        })
    }

    fn wait(&self, readiness: Readiness, timeout: Duration) -> Result<bool, EngineError> {
        poll::wait(self.socket.as_fd(), readiness, timeout)
            .map_err(|error| EngineError::system("wait for the connection", &error))
    }
}

fn await_connect(
    socket: &Socket,
    server: SocketAddr,
    deadline: Instant,
    timeout: Duration,
    cancel: &Cancel,
) -> Result<(), EngineError> {
    loop {
        if cancel.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let left = deadline.saturating_duration_since(clock::monotonic());
        if left.is_zero() {
            return Err(EngineError::ConnectTimeout { after: timeout });
        }
        let ready = poll::wait(socket.as_fd(), Readiness::Writable, left.min(POLL))
            .map_err(|error| EngineError::system("wait for the connection", &error))?;
        if ready {
            let outcome = socket.take_error().and_then(|error| error.map_or(Ok(()), Err));
            return outcome.map_err(|error| connect_error(server, timeout, &error));
        }
    }
}

fn connect_error(server: SocketAddr, timeout: Duration, error: &io::Error) -> EngineError {
    match error.raw_os_error() {
        Some(libc::ECONNREFUSED) => EngineError::Refused,
        Some(libc::ETIMEDOUT) => EngineError::ConnectTimeout { after: timeout },
        Some(libc::ECONNRESET) => vanished("it reset the connection at once"),
        Some(libc::EHOSTUNREACH | libc::ENETUNREACH | libc::EHOSTDOWN | libc::ENETDOWN) => {
            EngineError::Unreachable { reason: error.to_string() }
        }
        _ => EngineError::system(format!("connect to {server}"), error),
    }
}

/// The address in its plain form: an IPv4 peer of an IPv6 socket is shown as what it is.
fn plain_address(address: &SockAddr) -> Result<SocketAddr, EngineError> {
    let address = address.as_socket().ok_or_else(|| EngineError::System {
        operation: "find the addresses of the connection".into(),
        reason: "it is not an internet connection".into(),
    })?;
    Ok(match address.ip().to_canonical() {
        IpAddr::V4(ip) => SocketAddr::from((ip, address.port())),
        IpAddr::V6(_) => address,
    })
}

fn read(result: io::Result<usize>) -> Result<Read, EngineError> {
    match result {
        Ok(0) => Ok(Read::End),
        Ok(count) => Ok(Read::Bytes(count)),
        Err(error) if is_pause(&error) => Ok(Read::Nothing),
        Err(error) => match broken(&error) {
            Some(seen) => Ok(Read::Broken(seen)),
            None => Err(EngineError::system("read from the connection", &error)),
        },
    }
}

fn written(result: io::Result<usize>) -> Result<Written, EngineError> {
    match result {
        Ok(count) => Ok(Written::Bytes(count)),
        Err(error) if is_pause(&error) => Ok(Written::Nothing),
        Err(error) => match broken(&error) {
            Some(seen) => Ok(Written::Broken(seen)),
            None => Err(EngineError::system("write to the connection", &error)),
        },
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// What an error says about the peer, if it says that the connection is broken.
fn broken(error: &io::Error) -> Option<&'static str> {
    match error.raw_os_error()? {
        libc::ECONNRESET | libc::EPIPE | libc::ECONNABORTED => Some("it reset the connection"),
        libc::ETIMEDOUT => Some("it did not answer any more"),
        libc::EHOSTUNREACH | libc::ENETUNREACH => Some("it became unreachable"),
        _ => None,
    }
}
