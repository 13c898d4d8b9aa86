use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use linerate_engine::config::{
    Length, PermitKey, ServerConfig, ServerTransport, TcpServerOptions, UdpServerOptions,
};
use linerate_schema::scenario::{PortChoice, ServerOptions, Transport};

use super::ConfigError;
use super::client::default_length;
use super::options::{bind_address, bytes, given, interval, socket_options, tcp_socket_options};

const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
const SHORTEST_IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// A flow may miss so many datagrams in a row before it counts as vanished.
const GAPS_BEFORE_IDLE: u32 = 4;

/// What a server needs beside its options; it comes from the flows that use it.
#[derive(Debug, Clone)]
pub struct ServerNeeds {
    /// Transport of the flows.
    pub transport: Transport,
    /// Port to listen on.
    pub port: PortChoice,
    /// Whether it must be reachable over IPv6.
    pub ipv6: bool,
    /// The interval that the flows ask for, where the server's own options have none.
    pub interval: Option<Duration>,
    /// The longest time between two datagrams that the flows' rates can produce.
    pub longest_gap: Duration,
    /// The key that clients must show.
    pub permit_key: Option<PermitKey>,
}

/// Completes the options of a server.
///
/// # Errors
/// When options contradict each other or a value does not fit the protocol.
pub fn server_config(
    options: &ServerOptions,
    needs: ServerNeeds,
) -> Result<ServerConfig, ConfigError> {
    let length = match given(options.length.as_ref()) {
        Some(chosen) => Length::Chosen(bytes("length", chosen, &(1..=1 << 30))?),
        None => Length::Default(default_length(needs.transport, needs.ipv6)),
    };
    let port = match needs.port {
        PortChoice::Auto => 0,
        PortChoice::Fixed(port) => port,
    };
    Ok(ServerConfig {
        address: address(options, needs.ipv6)?,
        port,
        length,
        interval: interval(options.interval.as_ref())?.or(needs.interval),
        socket: socket_options(options.window.as_ref(), given(options.tos.as_ref()), None)?,
        transport: transport_options(options, needs)?,
    })
}

fn transport_options(
    options: &ServerOptions,
    needs: ServerNeeds,
) -> Result<ServerTransport, ConfigError> {
    match needs.transport {
        Transport::Tcp => Ok(ServerTransport::Tcp(TcpServerOptions {
            tcp: tcp_socket_options(
                given(options.mss.as_ref()),
                false,
                options.congestion.as_ref(),
            )?,
            permit_key: needs.permit_key,
            header_timeout: HEADER_TIMEOUT,
        })),
        Transport::Udp => {
            let tcp_only =
                [("mss", options.mss.is_some()), ("congestion", options.congestion.is_some())];
            match tcp_only.into_iter().find(|(_, given)| *given) {
                Some((option, _)) => Err(ConfigError::TcpOnly { option }),
                None => Ok(ServerTransport::Udp(UdpServerOptions {
                    idle_timeout: SHORTEST_IDLE_TIMEOUT
                        .max(needs.longest_gap.saturating_mul(GAPS_BEFORE_IDLE)),
                })),
            }
        }
    }
}

fn address(options: &ServerOptions, ipv6: bool) -> Result<IpAddr, ConfigError> {
    let Some(text) = &options.bind else {
        return Ok(match ipv6 {
            true => Ipv6Addr::UNSPECIFIED.into(),
            false => Ipv4Addr::UNSPECIFIED.into(),
        });
    };
    let address = bind_address(&text.value)?.ip();
    if address.is_ipv6() != ipv6 {
        return Err(ConfigError::WrongFamily { option: "bind", given: text.value.clone() });
    }
    Ok(address)
}
