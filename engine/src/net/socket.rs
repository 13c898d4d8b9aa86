//! What sockets of both transports have in common: making, binding, options.

use std::io;
use std::net::{Ipv6Addr, SocketAddr};

use socket2::{Domain, SockAddr, Socket, Type};

use crate::config::{ClientConfig, SocketOptions};
use crate::error::EngineError;
use crate::protocol::stream_addresses::StreamAddresses;
use crate::sys::interface;

/// Makes a socket of the family of `address`, closed on exec.
pub(super) fn create(address: SocketAddr, kind: Type) -> Result<Socket, EngineError> {
    Socket::new(Domain::for_address(address), kind, None)
        .map_err(|error| EngineError::system("create a socket", &error))
}

/// Binds `socket`. An unspecified IPv6 address takes IPv4 peers, too.
///
/// A TCP port may be one whose last connections are still in their waiting time (`SO_REUSEADDR`).
pub(super) fn bind(socket: &Socket, address: SocketAddr) -> Result<(), EngineError> {
    let failed = |error: io::Error| EngineError::system(format!("bind to {address}"), &error);
    let is_tcp = socket.r#type().map_err(failed)? == Type::STREAM;
    if is_tcp && address.port() != 0 {
        socket.set_reuse_address(true).map_err(failed)?;
    }
    if address.ip() == Ipv6Addr::UNSPECIFIED {
        socket.set_only_v6(false).map_err(failed)?;
    }
    socket.bind(&SockAddr::from(address)).map_err(failed)?;
    if is_tcp && address.port() == 0 {
        // For those who bind to this port later. Set before, two sockets might be given the same port.
        socket.set_reuse_address(true).map_err(failed)?;
    }
    Ok(())
}

/// The addresses of stream `index` (from 0) of a client, with the interfaces of link-local ones.
pub(super) fn stream_addresses(
    config: &ClientConfig,
    index: u16,
) -> Result<StreamAddresses, EngineError> {
    let StreamAddresses { server, bind } = StreamAddresses::of(config, index)?;
    let device = config.socket.device.as_deref();
    Ok(StreamAddresses {
        server: within_zone(server, config.addressing.zone.as_deref().or(device))?,
        bind: bind.map(|bind| within_zone(bind, device)).transpose()?,
    })
}

/// A link-local address without interface gets that of `zone`.
pub(super) fn within_zone(
    address: SocketAddr,
    zone: Option<&str>,
) -> Result<SocketAddr, EngineError> {
    let (SocketAddr::V6(mut address), Some(zone)) = (address, zone) else { return Ok(address) };
    if address.ip().is_unicast_link_local() && address.scope_id() == 0 {
        let index = interface::index(zone).map_err(|error| {
            EngineError::system(format!("use the interface {zone} for {}", address.ip()), &error)
        })?;
        address.set_scope_id(index.get());
    }
    Ok(address.into())
}

/// Applies the options of any socket. Call it before `connect` or `listen`: the window decides the scale factor that is
/// negotiated, and the first packet carries the TOS.
///
/// Returns a remark when the system gave another window than was asked for.
pub(super) fn apply(
    socket: &Socket,
    options: &SocketOptions,
) -> Result<Option<String>, EngineError> {
    if let Some(device) = &options.device {
        socket.bind_device(Some(device.as_bytes())).map_err(|error| {
            EngineError::system(format!("bind to the interface {device}"), &error)
        })?;
    }
    if let Some(tos) = options.tos {
        set_tos(socket, tos)?;
    }
    if let Some(ttl) = options.ttl {
        set_ttl(socket, ttl)?;
    }
    match options.window {
        Some(bytes) => set_window(socket, bytes),
        None => Ok(None),
    }
}

/// Sets the type-of-service byte (IPv6: traffic class). An IPv6 socket gets both, for IPv4 peers that it may have.
pub(super) fn set_tos(socket: &Socket, tos: u8) -> Result<(), EngineError> {
    let failed =
        |error: io::Error| EngineError::system(format!("set the TOS byte {tos:#04x}"), &error);
    match socket.domain().map_err(failed)? {
        Domain::IPV6 => {
            socket.set_tclass_v6(tos.into()).map_err(failed)?;
            // Fails on a socket that is bound to IPv6 only, where it is not needed.
            let _ = socket.set_tos_v4(tos.into());
            Ok(())
        }
        _ => socket.set_tos_v4(tos.into()).map_err(failed),
    }
}

fn set_ttl(socket: &Socket, ttl: u8) -> Result<(), EngineError> {
    let failed =
        |error: io::Error| EngineError::system(format!("set the time to live {ttl}"), &error);
    match socket.domain().map_err(failed)? {
        Domain::IPV6 => {
            socket.set_unicast_hops_v6(ttl.into()).map_err(failed)?;
            // As for the TOS byte.
            let _ = socket.set_ttl_v4(ttl.into());
            Ok(())
        }
        _ => socket.set_ttl_v4(ttl.into()).map_err(failed),
    }
}

fn set_window(socket: &Socket, bytes: usize) -> Result<Option<String>, EngineError> {
    let failed =
        |error: io::Error| EngineError::system(format!("set a window of {bytes} bytes"), &error);
    socket.set_send_buffer_size(bytes).map_err(failed)?;
    socket.set_recv_buffer_size(bytes).map_err(failed)?;
    let send = granted(socket.send_buffer_size().map_err(failed)?);
    let receive = granted(socket.recv_buffer_size().map_err(failed)?);
    let differs = send != bytes || receive != bytes;
    Ok(differs.then(|| {
        format!("asked for a window of {bytes} bytes, the system gave {send} for sending and {receive} for receiving")
    }))
}

/// Linux reports twice the size it grants, because it counts its own overhead in.
fn granted(reported: usize) -> usize {
    if cfg!(target_os = "linux") { reported / 2 } else { reported }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> SocketOptions {
        SocketOptions {
            window: Some(65_536),
            tos: Some(0xb8),
            ttl: Some(7),
            ..SocketOptions::default()
        }
    }

    #[test]
    fn options_are_in_force_on_both_families() {
        let v4 = create("127.0.0.1:0".parse().unwrap(), Type::STREAM).unwrap();
        assert_eq!(apply(&v4, &options()), Ok(None));
        assert_eq!((v4.tos_v4().unwrap(), v4.ttl_v4().unwrap()), (0xb8, 7));
        assert!(v4.send_buffer_size().unwrap() >= 65_536);

        let v6 = create("[::1]:0".parse().unwrap(), Type::DGRAM).unwrap();
        assert_eq!(apply(&v6, &options()), Ok(None));
        assert_eq!((v6.tclass_v6().unwrap(), v6.unicast_hops_v6().unwrap()), (0xb8, 7));
    }

    #[test]
    fn an_ipv6_socket_marks_its_ipv4_peers_too() {
        let listener = create("[::]:0".parse().unwrap(), Type::STREAM).unwrap();
        bind(&listener, "[::]:0".parse().unwrap()).unwrap();
        listener.listen(1).unwrap();
        let port = listener.local_addr().unwrap().as_socket().unwrap().port();
        let _client = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        set_tos(&accepted, 0xb8).unwrap();
        assert_eq!(accepted.tos_v4().unwrap(), 0xb8);
    }

    #[test]
    fn a_window_that_the_system_does_not_grant_is_told() {
        let socket = create("127.0.0.1:0".parse().unwrap(), Type::STREAM).unwrap();
        let huge = SocketOptions { window: Some(1 << 30), ..SocketOptions::default() };
        let note = apply(&socket, &huge).unwrap().unwrap();
        assert!(
            note.starts_with("asked for a window of 1073741824 bytes, the system gave "),
            "{note}"
        );
    }

    #[test]
    fn a_window_that_the_system_makes_larger_is_told() {
        let socket = create("127.0.0.1:0".parse().unwrap(), Type::STREAM).unwrap();
        let tiny = SocketOptions { window: Some(1), ..SocketOptions::default() };
        let note = apply(&socket, &tiny).unwrap().unwrap();
        assert!(note.starts_with("asked for a window of 1 bytes, the system gave "), "{note}");
    }

    #[test]
    fn a_port_in_use_is_named() {
        let first = create("127.0.0.1:0".parse().unwrap(), Type::STREAM).unwrap();
        bind(&first, "127.0.0.1:0".parse().unwrap()).unwrap();
        first.listen(1).unwrap();
        let taken = first.local_addr().unwrap().as_socket().unwrap();
        let second = create(taken, Type::STREAM).unwrap();
        let error = bind(&second, taken).unwrap_err().to_string();
        assert!(error.starts_with(&format!("failed to bind to {taken}: ")), "{error}");
    }

    #[test]
    fn only_link_local_addresses_get_an_interface() {
        let address = |text: &str| text.parse::<SocketAddr>().unwrap();
        let loopback = interface::index("lo").unwrap();
        assert_eq!(
            within_zone(address("[fe80::1]:5001"), Some("lo")),
            Ok(address(&format!("[fe80::1%{loopback}]:5001")))
        );
        for other in ["[fe80::1%77]:5001", "[2001:db8::1]:5001", "192.0.2.1:5001"] {
            assert_eq!(within_zone(address(other), Some("lo")), Ok(address(other)));
        }
        assert_eq!(within_zone(address("[fe80::1]:5001"), None), Ok(address("[fe80::1]:5001")));
        let error = within_zone(address("[fe80::1]:5001"), Some("nowhere0")).unwrap_err();
        assert!(
            error.to_string().starts_with("failed to use the interface nowhere0 for fe80::1: "),
            "{error}"
        );
    }

    #[test]
    fn a_device_that_is_not_there_is_named() {
        let socket = create("127.0.0.1:0".parse().unwrap(), Type::STREAM).unwrap();
        let bound = |device: &str| {
            let options =
                SocketOptions { device: Some(device.to_owned()), ..SocketOptions::default() };
            apply(&socket, &options).map_err(|error| error.to_string())
        };
        assert_eq!(bound("lo"), Ok(None));
        let error = bound("nowhere0").unwrap_err();
        assert!(error.starts_with("failed to bind to the interface nowhere0: "), "{error}");
    }
}
