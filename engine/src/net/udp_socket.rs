//! UDP sockets with their options.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsFd;
use std::time::Duration;

use socket2::{SockAddr, Socket, Type};

use super::socket;
use crate::config::{ClientConfig, ServerConfig, SocketOptions};
use crate::error::EngineError;
use crate::protocol::stream_addresses::StreamAddresses;
use crate::protocol::udp_rejections::Rejection;
use crate::protocol::udp_sender::SendFailure;
use crate::sys::receive_batch::ReceiveBatch;
use crate::sys::udp_options;

/// Receive buffer when no window is given: what is lost in it was not lost by the network.
const RECEIVE_BUFFER: usize = 4 << 20;
/// How long a write may block before the sender looks at its schedule and at cancellation again.
const WRITE_TIMEOUT: Duration = Duration::from_millis(50);

/// A socket that is ready, and what a reader of the results should know about it.
#[derive(Debug)]
pub(super) struct ReadySocket {
    pub(super) socket: Socket,
    pub(super) local: SocketAddr,
    pub(super) remarks: Vec<String>,
}

/// The socket of a stream of a client, connected to the server.
pub(super) fn client(
    config: &ClientConfig,
    StreamAddresses { server, bind }: StreamAddresses,
) -> Result<ReadySocket, EngineError> {
    let socket = socket::create(server, Type::DGRAM)?;
    let mut remarks = Vec::new();
    prepare(&socket, server.ip(), &config.socket, &mut remarks)?;
    // Without, only some of the network's rejections are told.
    let _ = udp_options::queue_errors(socket.as_fd(), server.ip());
    if let Some(address) = bind {
        socket::bind(&socket, address)?;
    }
    socket.connect(&SockAddr::from(server)).map_err(|error| connect_error(server, &error))?;
    Ok(ReadySocket { local: local(&socket)?, socket, remarks })
}

/// The socket of a server, bound to its address.
pub(super) fn server(config: &ServerConfig) -> Result<ReadySocket, EngineError> {
    let address = SocketAddr::new(config.address, config.port);
    let address = socket::within_zone(address, config.socket.device.as_deref())?;
    let socket = socket::create(address, Type::DGRAM)?;
    let mut remarks = Vec::new();
    prepare(&socket, config.address, &config.socket, &mut remarks)?;
    let failed = |error: io::Error| EngineError::system("prepare the UDP socket", &error);
    udp_options::tell_destination(socket.as_fd(), config.address).map_err(failed)?;
    if let Err(error) = udp_options::queue_errors(socket.as_fd(), config.address) {
        remarks.push(format!(
            "this system does not tell when a client is gone ({error}); servers send on"
        ));
    }
    socket::bind(&socket, address)?;
    Ok(ReadySocket { local: local(&socket)?, socket, remarks })
}

/// Empties the queue of errors, each of which a call has already returned: it would end every wait at once.
pub(super) fn forget_errors(socket: &Socket, batch: &mut ReceiveBatch) {
    // What cannot be read cannot be forgotten either; the waits are short.
    let _ = batch.receive_errors(socket.as_fd());
    batch.clear();
}

/// The address without the IPv6 form of an IPv4 one.
pub(super) fn canonical(address: SocketAddr) -> SocketAddr {
    match address.ip().to_canonical() {
        ip @ IpAddr::V4(_) => SocketAddr::new(ip, address.port()),
        IpAddr::V6(_) => address,
    }
}

/// What the error of a send says about the flow.
pub(super) fn send_failure(error: &io::Error, length: usize) -> SendFailure {
    if let Some(rejection) = rejection(error) {
        return SendFailure::Rejected(rejection);
    }
    let out_of_room = matches!(error.raw_os_error(), Some(libc::ENOBUFS | libc::ENOMEM));
    if out_of_room || matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
    {
        return SendFailure::Busy;
    }
    SendFailure::Fatal(EngineError::system(format!("send a datagram of {length} bytes"), error))
}

/// What the network said about an earlier datagram, if that is what the error is. A firewall may answer with
/// "permission denied" (ICMPv6) or, on this host, with "operation not permitted".
pub(super) fn rejection(error: &io::Error) -> Option<Rejection> {
    match error.raw_os_error()? {
        libc::ECONNREFUSED => Some(Rejection::Refused),
        libc::EHOSTUNREACH
        | libc::ENETUNREACH
        | libc::EHOSTDOWN
        | libc::ENETDOWN
        | libc::ENOPROTOOPT
        | libc::EACCES
        | libc::EPERM => Some(Rejection::Unreachable(error.to_string())),
        libc::EMSGSIZE => Some(Rejection::TooLong),
        _ => None,
    }
}

/// Sets what sockets of both ends have; `family` is an address of the socket's family.
fn prepare(
    socket: &Socket,
    family: IpAddr,
    options: &SocketOptions,
    remarks: &mut Vec<String>,
) -> Result<(), EngineError> {
    remarks.extend(socket::apply(socket, options)?);
    if options.window.is_none() {
        enlarge_receive_buffer(socket);
    }
    let failed = |error: io::Error| EngineError::system("prepare the UDP socket", &error);
    socket.set_write_timeout(Some(WRITE_TIMEOUT)).map_err(failed)?;
    if let Err(error) = udp_options::tell_receive_time(socket.as_fd()) {
        remarks.push(format!(
            "this system does not tell when datagrams arrive ({error}); jitter and latency contain the time until they were read"
        ));
    }
    if let Err(error) = udp_options::tell_marks(socket.as_fd(), family) {
        remarks.push(format!(
            "this system does not tell how arriving datagrams are marked ({error}); DSCP, ECN and TTL are unknown"
        ));
    }
    Ok(())
}

/// Asks for a large buffer and takes what it gets: drops are counted and told.
fn enlarge_receive_buffer(socket: &Socket) {
    if udp_options::force_receive_buffer(socket.as_fd(), RECEIVE_BUFFER).is_err() {
        let _ = socket.set_recv_buffer_size(RECEIVE_BUFFER);
    }
}

fn local(socket: &Socket) -> Result<SocketAddr, EngineError> {
    let address = socket
        .local_addr()
        .map_err(|error| EngineError::system("read the local address", &error))?;
    let unknown = || {
        if address.is_ipv6() {
            IpAddr::from(Ipv6Addr::UNSPECIFIED)
        } else {
            Ipv4Addr::UNSPECIFIED.into()
        }
    };
    Ok(address.as_socket().unwrap_or_else(|| SocketAddr::new(unknown(), 0)))
}

fn connect_error(server: SocketAddr, error: &io::Error) -> EngineError {
    match rejection(error) {
        Some(Rejection::Unreachable(reason)) => EngineError::Unreachable { reason },
        Some(Rejection::Refused) => EngineError::Refused,
        Some(Rejection::TooLong) | None => {
            EngineError::system(format!("connect to {server}"), error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_send_are_told_apart() {
        let failure = |number| send_failure(&io::Error::from_raw_os_error(number), 1470);
        assert_eq!(failure(libc::ECONNREFUSED), SendFailure::Rejected(Rejection::Refused));
        assert!(matches!(
            failure(libc::ENETUNREACH),
            SendFailure::Rejected(Rejection::Unreachable(_))
        ));
        assert_eq!(failure(libc::ENOBUFS), SendFailure::Busy);
        assert_eq!(failure(libc::EAGAIN), SendFailure::Busy);
        assert_eq!(failure(libc::EMSGSIZE), SendFailure::Rejected(Rejection::TooLong));
        let SendFailure::Fatal(error) = failure(libc::EBADF) else {
            panic!("nothing can be sent on a closed socket");
        };
        assert!(
            error.to_string().starts_with("failed to send a datagram of 1470 bytes: "),
            "{error}"
        );
    }

    #[test]
    fn mapped_addresses_are_shown_as_ipv4() {
        let address = |text: &str| text.parse::<SocketAddr>().unwrap();
        assert_eq!(canonical(address("[::ffff:127.0.0.1]:5001")), address("127.0.0.1:5001"));
        assert_eq!(canonical(address("[::1]:5001")), address("[::1]:5001"));
    }
}
