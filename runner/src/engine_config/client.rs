use std::net::SocketAddr;
use std::num::NonZeroU16;
use std::time::Duration;

use linerate_engine::config::{
    Amount, ClientConfig, ClientTransport, Direction, Length, PermitKey, Rate, TcpClientOptions,
};
use linerate_schema::scenario::{ClientOptions, Direction as WantedDirection, Transport};
use linerate_schema::units::{DiffServ, Seconds, SendRate};

use super::ConfigError;
use super::options::{
    bind_address, bytes, given, interval, socket_options, tcp_socket_options, within,
};

const DEFAULT_TIME: Duration = Duration::from_secs(10);
const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const DEFAULT_TCP_LENGTH: usize = 128 * 1024;
const DEFAULT_UDP_LENGTH: usize = 1470;
const DEFAULT_UDP_LENGTH_IPV6: usize = 1450;
const DEFAULT_UDP_BITS_PER_SECOND: u64 = 1024 * 1024;

/// The wire has 31 bits for a time in units of 10 ms.
const LONGEST_TIME: Duration = Duration::from_secs(i32::MAX as u64 / 100);
/// The wire has 31 bits for the bytes that a client asks a server to send.
const MOST_ASKED_BYTES: u64 = i32::MAX as u64;
/// The wire has 56 bits for a rate.
const HIGHEST_RATE: f64 = (1_u64 << 56) as f64 - 256.0;
/// A datagram carries at least its sequence number and time.
const UDP_LENGTHS: std::ops::RangeInclusive<u64> = 16..=65_507;
/// Larger writes bring nothing and cost memory for every stream.
const TCP_LENGTHS: std::ops::RangeInclusive<u64> = 1..=1 << 30;

/// What a client needs beside its options.
#[derive(Debug, Clone)]
pub struct ClientNeeds {
    /// Address and port of the server.
    pub server: SocketAddr,
    /// The key to show, made or given; see [`KeyChoice`](super::KeyChoice).
    pub permit_key: Option<PermitKey>,
}

/// Completes the options of a client.
///
/// # Errors
/// When options contradict each other or a value does not fit the protocol.
pub fn client_config(
    options: &ClientOptions,
    needs: ClientNeeds,
) -> Result<ClientConfig, ConfigError> {
    let transport = given(options.transport.as_ref()).unwrap_or_default();
    let direction = match given(options.direction.as_ref()).unwrap_or_default() {
        WantedDirection::Forward => Direction::Forward,
        WantedDirection::Reverse => Direction::Reverse,
    };
    let length = length(options, transport, needs.server)?;
    let parallel = given(options.parallel.as_ref()).unwrap_or(1);
    let parallel = within("parallel", parallel, &(1..=1000))?;
    Ok(ClientConfig {
        server: needs.server,
        bind: bind(options, needs.server)?,
        direction,
        amount: amount(options, direction)?,
        rate: rate(options, transport)?,
        length,
        parallel: NonZeroU16::new(parallel).unwrap_or(NonZeroU16::MIN),
        interval: interval(options.interval.as_ref())?,
        socket: socket_options(
            options.window.as_ref(),
            tos(options)?,
            given(options.ttl.as_ref()),
        )?,
        trip_times: given(options.trip_times.as_ref()).unwrap_or(false),
        transport: transport_options(options, transport, needs.permit_key)?,
    })
}

fn transport_options(
    options: &ClientOptions,
    transport: Transport,
    permit_key: Option<PermitKey>,
) -> Result<ClientTransport, ConfigError> {
    match transport {
        Transport::Tcp => Ok(ClientTransport::Tcp(TcpClientOptions {
            connect_timeout: connect_timeout(options),
            tcp: tcp_socket_options(
                given(options.mss.as_ref()),
                given(options.nodelay.as_ref()).unwrap_or(false),
                options.congestion.as_ref(),
            )?,
            permit_key: permit_key.map(checked_key).transpose()?,
        })),
        Transport::Udp => {
            let tcp_only = [
                ("mss", options.mss.is_some()),
                ("nodelay", options.nodelay.is_some()),
                ("congestion", options.congestion.is_some()),
                ("permit-key", permit_key.is_some() || options.permit_key.is_some()),
                ("connect", options.connect.is_some()),
            ];
            match tcp_only.into_iter().find(|(_, given)| *given) {
                Some((option, _)) => Err(ConfigError::TcpOnly { option }),
                None => Ok(ClientTransport::Udp),
            }
        }
    }
}

/// How long a TCP client waits for its connection.
pub(crate) fn connect_timeout(options: &ClientOptions) -> Duration {
    let timeout = options.connect.as_ref().and_then(|connect| given(connect.timeout.as_ref()));
    timeout.map_or(DEFAULT_CONNECT_TIMEOUT, |Seconds(timeout)| timeout)
}

fn checked_key(key: PermitKey) -> Result<PermitKey, ConfigError> {
    within("permit-key, in length,", key.0.len(), &(4..=127))?;
    Ok(key)
}

fn amount(options: &ClientOptions, direction: Direction) -> Result<Amount, ConfigError> {
    match (&options.time, &options.bytes) {
        (Some(_), Some(_)) => Err(ConfigError::Conflict {
            first: "time",
            second: "bytes",
            help: "a flow ends after a time or after an amount, so remove one of them",
        }),
        (None, Some(bytes)) => {
            let most = match direction {
                Direction::Forward => u64::MAX,
                Direction::Reverse => MOST_ASKED_BYTES,
            };
            Ok(Amount::Bytes(within("bytes", bytes.value.0, &(1..=most))?))
        }
        (time, None) => {
            let time = given(time.as_ref()).map_or(DEFAULT_TIME, |Seconds(time)| time);
            if time < Duration::from_millis(10) || time > LONGEST_TIME {
                let possible = format!("0.01 s to {} s", LONGEST_TIME.as_secs());
                let given = format!("{} s", time.as_secs_f64());
                return Err(ConfigError::OutOfRange { option: "time", given, possible });
            }
            Ok(Amount::Time(time))
        }
    }
}

fn rate(options: &ClientOptions, transport: Transport) -> Result<Rate, ConfigError> {
    let out_of_range = |given: String, possible: &str| ConfigError::OutOfRange {
        option: "bitrate",
        given,
        possible: possible.to_owned(),
    };
    match (given(options.bitrate.as_ref()), transport) {
        (None, Transport::Tcp) => Ok(Rate::Unlimited),
        (None, Transport::Udp) => Ok(Rate::BitsPerSecond(DEFAULT_UDP_BITS_PER_SECOND)),
        (Some(SendRate::Bits(rate)), _) if rate.0 == 0.0 => Ok(Rate::Unlimited),
        (Some(SendRate::Bits(rate)), _) => {
            if !(1.0..=HIGHEST_RATE).contains(&rate.0) {
                return Err(out_of_range(format!("{} bit/s", rate.0), "1 bit/s to 72 Pbit/s"));
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to be between 1 and 2^56"
            )]
            Ok(Rate::BitsPerSecond(rate.0.round() as u64))
        }
        (Some(SendRate::Packets(_)), Transport::Tcp) => {
            Err(ConfigError::UdpOnly { option: "a bitrate in packets per second" })
        }
        (Some(SendRate::Packets(rate)), Transport::Udp) => {
            if !(rate.0 > 0.0 && rate.0 <= 1e9) {
                return Err(out_of_range(
                    format!("{} pps", rate.0),
                    "more than 0 and at most 1e9 pps",
                ));
            }
            Ok(Rate::PacketsPerSecond(rate.0))
        }
    }
}

fn length(
    options: &ClientOptions,
    transport: Transport,
    server: SocketAddr,
) -> Result<Length, ConfigError> {
    let Some(chosen) = given(options.length.as_ref()) else {
        return Ok(Length::Default(default_length(transport, server.is_ipv6())));
    };
    let range = match transport {
        Transport::Tcp => TCP_LENGTHS,
        Transport::Udp => UDP_LENGTHS,
    };
    Ok(Length::Chosen(bytes("length", chosen, &range)?))
}

/// Bytes per write or datagram when the user gives none, as iperf 2 has them.
pub(super) fn default_length(transport: Transport, ipv6: bool) -> usize {
    match (transport, ipv6) {
        (Transport::Tcp, _) => DEFAULT_TCP_LENGTH,
        (Transport::Udp, false) => DEFAULT_UDP_LENGTH,
        (Transport::Udp, true) => DEFAULT_UDP_LENGTH_IPV6,
    }
}

fn tos(options: &ClientOptions) -> Result<Option<DiffServ>, ConfigError> {
    match (given(options.tos.as_ref()), given(options.dscp.as_ref())) {
        (Some(_), Some(_)) => Err(ConfigError::Conflict {
            first: "tos",
            second: "dscp",
            help: "they are the same field, so remove one of them",
        }),
        (tos, dscp) => Ok(tos.or(dscp)),
    }
}

fn bind(options: &ClientOptions, server: SocketAddr) -> Result<Option<SocketAddr>, ConfigError> {
    let Some(text) = &options.bind else { return Ok(None) };
    let address = bind_address(&text.value)?;
    if address.is_ipv6() != server.is_ipv6() {
        return Err(ConfigError::WrongFamily { option: "bind", given: text.value.clone() });
    }
    Ok(Some(address))
}
