use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::NonZeroU16;
use std::time::Duration;

use linerate_engine::config::{
    Length, PermitKey, ServerConfig, ServerTransport, SocketOptions, TcpServerOptions,
    UdpServerOptions,
};
use linerate_schema::scenario::{PortChoice, ServerOptions, Transport};

use super::ConfigError;
use super::client::default_length;
use super::options::{Binding, bytes, given, interval, socket_options, tcp_socket_options};

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
    let (port, ports) = match needs.port {
        PortChoice::Auto => (0, NonZeroU16::MIN),
        PortChoice::Fixed(ports) => (ports.first(), ports.count()),
    };
    let binding = binding(options, needs.ipv6)?;
    let unspecified = unspecified(needs.ipv6);
    Ok(ServerConfig {
        address: binding.address.map_or(unspecified, |address| address.ip()),
        port,
        ports,
        length,
        interval: interval(options.interval.as_ref())?.or(needs.interval),
        socket: SocketOptions {
            device: binding.device,
            ..socket_options(options.window.as_ref(), given(options.tos.as_ref()), None)?
        },
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

fn binding(options: &ServerOptions, ipv6: bool) -> Result<Binding, ConfigError> {
    let Some(text) = &options.bind else { return Ok(Binding::default()) };
    let binding = Binding::read(&text.value)?;
    if binding.address.is_some_and(|address| address.is_ipv6() != ipv6) {
        return Err(ConfigError::WrongFamily { option: "bind", given: text.value.clone() });
    }
    Ok(binding)
}

fn unspecified(ipv6: bool) -> IpAddr {
    match ipv6 {
        true => Ipv6Addr::UNSPECIFIED.into(),
        false => Ipv4Addr::UNSPECIFIED.into(),
    }
}

#[cfg(test)]
mod tests {
    use linerate_schema::units::{ByteCount, DiffServ, Seconds};

    use super::*;
    use crate::fixtures::{given, ports};

    fn needs(transport: Transport) -> ServerNeeds {
        ServerNeeds {
            transport,
            port: PortChoice::Auto,
            ipv6: false,
            interval: None,
            longest_gap: Duration::ZERO,
            permit_key: None,
        }
    }

    #[test]
    fn a_server_without_options_listens_on_a_free_port_of_all_addresses() {
        let config = server_config(&ServerOptions::default(), needs(Transport::Tcp)).unwrap();
        assert_eq!((config.address.to_string().as_str(), config.port), ("0.0.0.0", 0));
        assert_eq!(config.length, Length::Default(131_072));
        let ipv6 = ServerNeeds { ipv6: true, ..needs(Transport::Udp) };
        let config = server_config(&ServerOptions::default(), ipv6).unwrap();
        assert_eq!(config.address.to_string(), "::");
    }

    #[test]
    fn slow_flows_get_a_patient_udp_server() {
        let idle = |longest_gap| {
            let needs = ServerNeeds { longest_gap, ..needs(Transport::Udp) };
            match server_config(&ServerOptions::default(), needs).unwrap().transport {
                ServerTransport::Udp(options) => options.idle_timeout,
                ServerTransport::Tcp(_) => panic!("a UDP server"),
            }
        };
        assert_eq!(idle(Duration::from_millis(1)), Duration::from_secs(10));
        assert_eq!(idle(Duration::from_secs(30)), Duration::from_secs(120));
        assert_eq!(idle(Duration::MAX), Duration::MAX);
    }

    #[test]
    fn the_servers_own_interval_wins_over_its_flows() {
        let flows = ServerNeeds { interval: Some(Duration::from_secs(1)), ..needs(Transport::Tcp) };
        let of = |options: &ServerOptions| server_config(options, flows.clone()).unwrap().interval;
        assert_eq!(of(&ServerOptions::default()), Some(Duration::from_secs(1)));
        let own = Seconds(Duration::from_millis(100));
        let options = ServerOptions { interval: given(own), ..ServerOptions::default() };
        assert_eq!(of(&options), Some(Duration::from_millis(100)));
    }

    #[test]
    fn every_option_reaches_the_engine() {
        let options = ServerOptions {
            length: given(ByteCount(1000)),
            window: given(ByteCount(65_536)),
            mss: given(1400),
            congestion: given("reno".to_owned()),
            tos: given(DiffServ(0x20)),
            bind: given("127.0.0.1".to_owned()),
            ..ServerOptions::default()
        };
        let needs = ServerNeeds {
            port: PortChoice::Fixed(ports("5002")),
            permit_key: Some(PermitKey("secret".to_owned())),
            ..needs(Transport::Tcp)
        };
        insta::assert_debug_snapshot!(server_config(&options, needs).unwrap());
    }

    #[test]
    fn contradictions_are_refused() {
        let mss = ServerOptions { mss: given(1400), ..ServerOptions::default() };
        let refused = server_config(&mss, needs(Transport::Udp));
        assert_eq!(refused, Err(ConfigError::TcpOnly { option: "mss" }));
        let bind = ServerOptions { bind: given("::1".to_owned()), ..ServerOptions::default() };
        let refused = server_config(&bind, needs(Transport::Udp));
        assert!(matches!(refused, Err(ConfigError::WrongFamily { .. })), "{refused:?}");
    }
}
