//! Options of TCP sockets.

use std::io;

use socket2::Socket;

use crate::config::TcpSocketOptions;
use crate::error::EngineError;

/// Applies the options of a TCP socket. Call it before `connect` or `listen`, whose packets tell the segment size.
pub(super) fn apply(socket: &Socket, options: &TcpSocketOptions) -> Result<(), EngineError> {
    if let Some(mss) = options.mss {
        socket.set_tcp_mss(mss.into()).map_err(|error| {
            EngineError::system(format!("set a maximum segment size of {mss} bytes"), &error)
        })?;
    }
    if options.nodelay {
        socket
            .set_tcp_nodelay(true)
            .map_err(|error| EngineError::system("switch Nagle's algorithm off", &error))?;
    }
    if let Some(name) = &options.congestion {
        set_congestion_control(socket, name.as_bytes()).map_err(|error| {
            EngineError::system(
                format!("use the congestion control {name:?} (is its module loaded?)"),
                &error,
            )
        })?;
    }
    Ok(())
}

/// Chooses the congestion control algorithm by its name.
pub(super) fn set_congestion_control(socket: &Socket, name: &[u8]) -> io::Result<()> {
    socket.set_tcp_congestion(name)
}
