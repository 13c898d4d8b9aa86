use std::net::SocketAddr;
use std::num::NonZeroU16;
use std::time::Duration;

use linerate_engine::config::{
    Addressing, Amount, ClientConfig, ClientTransport, Direction, Increment, Length, PermitKey,
    Rate, SocketOptions, TcpClientOptions,
};
use linerate_schema::Spanned;
use linerate_schema::scenario::{ClientOptions, Direction as WantedDirection, Transport};
use linerate_schema::units::{DiffServ, Seconds, SendRate};

use super::ConfigError;
use super::options::{Binding, bytes, given, interval, socket_options, tcp_socket_options, within};

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
    /// Name, on the client's host, of the interface through which a link-local server is reached.
    pub zone: Option<String>,
    /// Number of ports of the server, from that of `server` on; the client's own, where it gives some, come first.
    pub ports: NonZeroU16,
    /// Transport protocol: the client's own or, where it gives none, its server's.
    pub transport: Transport,
    /// The key to show, made or given; see [`KeyChoice`](super::KeyChoice).
    pub permit_key: Option<PermitKey>,
}

impl ClientNeeds {
    /// A server with one port that asks for no key.
    #[must_use]
    pub fn new(server: SocketAddr, transport: Transport) -> Self {
        Self { server, zone: None, ports: NonZeroU16::MIN, transport, permit_key: None }
    }
}

/// Completes the options of a client.
///
/// # Errors
/// When options contradict each other or a value does not fit the protocol.
pub fn client_config(
    options: &ClientOptions,
    needs: ClientNeeds,
) -> Result<ClientConfig, ConfigError> {
    let transport = needs.transport;
    if options.transport.as_ref().is_some_and(|own| own.value != transport) {
        return Err(ConfigError::Conflict {
            first: "the client's transport",
            second: "its server's",
            help: "give both the same, or only one of them",
        });
    }
    let direction = match given(options.direction.as_ref()).unwrap_or_default() {
        WantedDirection::Forward => Direction::Forward,
        WantedDirection::Reverse => Direction::Reverse,
        WantedDirection::FullDuplex => Direction::FullDuplex,
    };
    let length = length(options, transport, needs.server)?;
    let bind = bind(options, needs.server)?;
    Ok(ClientConfig {
        server: needs.server,
        bind: bind.address,
        direction,
        amount: amount(options, direction)?,
        rate: rate(options, transport)?,
        length,
        parallel: parallel(options, &needs)?,
        interval: interval(options.interval.as_ref())?,
        socket: SocketOptions {
            device: bind.device,
            ..socket_options(options.window.as_ref(), tos(options)?, given(options.ttl.as_ref()))?
        },
        addressing: Addressing { zone: needs.zone.clone(), increment: increment(options, &needs)? },
        trip_times: given(options.trip_times.as_ref()).unwrap_or(false),
        transport: transport_options(options, transport, direction, needs.permit_key)?,
    })
}

fn transport_options(
    options: &ClientOptions,
    transport: Transport,
    direction: Direction,
    permit_key: Option<PermitKey>,
) -> Result<ClientTransport, ConfigError> {
    match transport {
        Transport::Tcp if direction == Direction::FullDuplex => {
            Err(ConfigError::UdpOnly { option: "the direction full-duplex" })
        }
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
fn connect_timeout(options: &ClientOptions) -> Duration {
    let timeout = options.connect.as_ref().and_then(|connect| given(connect.timeout.as_ref()));
    timeout.map_or(DEFAULT_CONNECT_TIMEOUT, |Seconds(timeout)| timeout)
}

/// Time between two writes or datagrams of a stream at its rate; zero when the rate is unlimited.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a rate and a length, to be divided")]
pub fn gap_between_writes(config: &ClientConfig) -> Duration {
    let seconds = match config.rate {
        Rate::Unlimited => 0.0,
        Rate::BitsPerSecond(bits) => config.length.bytes() as f64 * 8.0 / bits as f64,
        Rate::PacketsPerSecond(packets) => 1.0 / packets,
    };
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// The wire has room for a key of 4 to 127 bytes.
fn checked_key(key: PermitKey) -> Result<PermitKey, ConfigError> {
    if (4..=127).contains(&key.0.len()) {
        return Ok(key);
    }
    Err(ConfigError::OutOfRange {
        option: "permit-key",
        given: format!("of {} characters", key.0.len()),
        possible: "4 to 127 characters, or auto".to_owned(),
    })
}

fn amount(options: &ClientOptions, direction: Direction) -> Result<Amount, ConfigError> {
    match (&options.time, &options.bytes) {
        (Some(_), Some(_)) => Err(ConfigError::Conflict {
            first: "time",
            second: "bytes",
            help: "a flow ends after a time or after an amount, so remove one of them",
        }),
        (None, Some(bytes)) => {
            let most = if direction.has_reverse() { MOST_ASKED_BYTES } else { u64::MAX };
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

fn bind(options: &ClientOptions, server: SocketAddr) -> Result<Binding, ConfigError> {
    let Some(text) = &options.bind else { return Ok(Binding::default()) };
    let binding = Binding::read(&text.value)?;
    if binding.address.is_some_and(|address| address.is_ipv6() != server.is_ipv6()) {
        return Err(ConfigError::WrongFamily { option: "bind", given: text.value.clone() });
    }
    Ok(binding)
}

/// The ports that the streams go to, from the first one on.
fn ports(options: &ClientOptions, needs: &ClientNeeds) -> NonZeroU16 {
    options.port.as_ref().map_or(needs.ports, |ports| ports.count())
}

/// Several ports have one stream each.
fn parallel(options: &ClientOptions, needs: &ClientNeeds) -> Result<NonZeroU16, ConfigError> {
    let ports = ports(options, needs);
    let parallel = given(options.parallel.as_ref()).unwrap_or(ports.get());
    let parallel = within("parallel", parallel, &(1..=1000))?;
    if ports.get() > 1 && parallel != ports.get() {
        return Err(ConfigError::Conflict {
            first: "parallel",
            second: "a range of ports",
            help: "there is one stream for each port, so remove parallel, or give the client one port",
        });
    }
    Ok(NonZeroU16::new(parallel).unwrap_or(NonZeroU16::MIN))
}

fn increment(options: &ClientOptions, needs: &ClientNeeds) -> Result<Increment, ConfigError> {
    let several_ports = ports(options, needs).get() > 1;
    let Some(wanted) = options.increment.as_ref() else {
        return Ok(Increment { destination_port: several_ports, ..Increment::default() });
    };
    let is_wanted = |option: Option<&Spanned<bool>>| given(option).unwrap_or(false);
    let binding = bind(options, needs.server)?;
    let address = binding.address.filter(|address| !address.ip().is_unspecified());
    let source_address = is_wanted(wanted.source_address.as_ref());
    if source_address && address.is_none() {
        return Err(ConfigError::Needs {
            option: "increment.source-address",
            needs: "an address in bind, such as bind: 192.0.2.1",
        });
    }
    if is_wanted(wanted.source_port.as_ref())
        && binding.address.is_none_or(|address| address.port() == 0)
    {
        return Err(ConfigError::Needs {
            option: "increment.source-port",
            needs: "a port in bind, such as bind: 0.0.0.0:6001",
        });
    }
    Ok(Increment {
        destination_address: is_wanted(wanted.destination_address.as_ref()),
        destination_port: several_ports || is_wanted(wanted.destination_port.as_ref()),
        source_address,
    })
}

#[cfg(test)]
mod tests {
    use linerate_schema::scenario::{ConnectOptions, IncrementOptions};
    use linerate_schema::units::{BitRate, ByteCount, PacketRate};

    use super::*;
    use crate::fixtures::{given, ports};

    fn needs(server: &str, transport: Transport) -> ClientNeeds {
        ClientNeeds::new(server.parse().unwrap(), transport)
    }

    fn tcp() -> ClientNeeds {
        needs("127.0.0.1:5001", Transport::Tcp)
    }

    fn udp() -> ClientNeeds {
        needs("127.0.0.1:5001", Transport::Udp)
    }

    /// The error of options that contradict each other.
    fn error(options: ClientOptions, needs: ClientNeeds) -> String {
        client_config(&options, needs).expect_err("contradictory").to_string()
    }

    #[test]
    fn a_tcp_client_without_options_is_iperfs_default() {
        let config = client_config(&ClientOptions::default(), tcp()).unwrap();
        assert_eq!(config.amount, Amount::Time(Duration::from_secs(10)));
        assert_eq!(config.rate, Rate::Unlimited);
        assert_eq!(config.length, Length::Default(131_072));
        assert_eq!(config.parallel.get(), 1);
        assert_eq!(config.direction, Direction::Forward);
        assert_eq!((config.interval, config.bind, config.trip_times), (None, None, false));
        let ClientTransport::Tcp(options) = config.transport else { panic!("a TCP client") };
        assert_eq!(options.connect_timeout, Duration::from_secs(10));
        assert!(!options.tcp.nodelay);
    }

    #[test]
    fn a_udp_client_without_options_sends_1_mebibit_in_datagrams_that_fit() {
        let config = client_config(&ClientOptions::default(), udp()).unwrap();
        assert_eq!(config.rate, Rate::BitsPerSecond(1_048_576));
        assert_eq!(config.length, Length::Default(1470));
        let needs = needs("[::1]:5001", Transport::Udp);
        let config = client_config(&ClientOptions::default(), needs).unwrap();
        assert_eq!(config.length, Length::Default(1450));
    }

    #[test]
    fn rates_are_bits_packets_or_unlimited() {
        let rate = |rate, needs| {
            let options = ClientOptions { bitrate: given(rate), ..ClientOptions::default() };
            client_config(&options, needs).map(|config| config.rate)
        };
        let bits = |bits| SendRate::Bits(BitRate(bits));
        assert_eq!(rate(bits(0.0), udp()), Ok(Rate::Unlimited));
        assert_eq!(rate(bits(5e7), tcp()), Ok(Rate::BitsPerSecond(50_000_000)));
        let packets = SendRate::Packets(PacketRate(1000.0));
        assert_eq!(rate(packets, udp()), Ok(Rate::PacketsPerSecond(1000.0)));
        assert!(rate(packets, tcp()).is_err());
        for nonsense in [-1.0, 0.1, 1e30, f64::NAN, f64::INFINITY] {
            assert!(rate(bits(nonsense), udp()).is_err(), "{nonsense}");
            assert!(rate(SendRate::Packets(PacketRate(nonsense - 1.0)), udp()).is_err());
        }
    }

    #[test]
    fn addresses_of_streams_count_up_as_asked() {
        let increment = IncrementOptions {
            destination_address: given(true),
            source_address: given(true),
            source_port: given(true),
            ..IncrementOptions::default()
        };
        let options = ClientOptions {
            bind: given("192.0.2.1:6001%eth1".to_owned()),
            increment: given(increment),
            ..ClientOptions::default()
        };
        let config = client_config(&options, tcp()).unwrap();
        assert_eq!(config.bind, Some("192.0.2.1:6001".parse().unwrap()));
        assert_eq!(config.socket.device.as_deref(), Some("eth1"));
        let expected =
            Increment { destination_address: true, destination_port: false, source_address: true };
        assert_eq!(config.addressing.increment, expected);
        let device = ClientOptions { bind: given("%eth1".to_owned()), ..ClientOptions::default() };
        let config = client_config(&device, tcp()).unwrap();
        assert_eq!((config.bind, config.socket.device.as_deref()), (None, Some("eth1")));
    }

    #[test]
    fn several_ports_have_a_stream_each() {
        let streams = |options: &ClientOptions, server_ports| {
            let needs = ClientNeeds { ports: NonZeroU16::new(server_ports).unwrap(), ..tcp() };
            let config = client_config(options, needs)?;
            Ok::<_, ConfigError>((
                config.parallel.get(),
                config.addressing.increment.destination_port,
            ))
        };
        let base = ClientOptions::default;
        assert_eq!(streams(&base(), 4), Ok((4, true)));
        assert_eq!(streams(&ClientOptions { parallel: given(4), ..base() }, 4), Ok((4, true)));
        let one = ClientOptions { port: given(ports("5002")), parallel: given(3), ..base() };
        assert_eq!(streams(&one, 4), Ok((3, false)));
        let two = ClientOptions { port: given(ports("5002-5003")), ..base() };
        assert_eq!(streams(&two, 1), Ok((2, true)));
        assert!(streams(&ClientOptions { parallel: given(3), ..base() }, 4).is_err());
    }

    #[test]
    fn contradictions_say_what_to_do() {
        let base = ClientOptions::default;
        let seconds = |s| given(Seconds(Duration::from_secs_f64(s)));
        let errors = [
            error(
                ClientOptions { time: seconds(1.0), bytes: given(ByteCount(1)), ..base() },
                tcp(),
            ),
            error(ClientOptions { time: seconds(0.001), ..base() }, tcp()),
            error(ClientOptions { interval: seconds(0.001), ..base() }, tcp()),
            error(ClientOptions { parallel: given(0), ..base() }, tcp()),
            error(ClientOptions { mss: given(10), ..base() }, tcp()),
            error(ClientOptions { mss: given(1400), ..base() }, udp()),
            error(ClientOptions { connect: given(ConnectOptions::default()), ..base() }, udp()),
            error(ClientOptions { length: given(ByteCount(70_000)), ..base() }, udp()),
            error(ClientOptions { ttl: given(0), ..base() }, tcp()),
            error(ClientOptions { bind: given("eth0".to_owned()), ..base() }, tcp()),
            error(ClientOptions { bind: given("::1".to_owned()), ..base() }, tcp()),
            error(
                ClientOptions {
                    increment: given(IncrementOptions {
                        source_address: given(true),
                        ..IncrementOptions::default()
                    }),
                    ..base()
                },
                tcp(),
            ),
            error(
                ClientOptions {
                    bind: given("127.0.0.1".to_owned()),
                    increment: given(IncrementOptions {
                        source_port: given(true),
                        ..IncrementOptions::default()
                    }),
                    ..base()
                },
                tcp(),
            ),
            error(
                ClientOptions { port: given(ports("5001-5004")), parallel: given(3), ..base() },
                tcp(),
            ),
            error(ClientOptions { transport: given(Transport::Udp), ..base() }, tcp()),
            error(
                ClientOptions { tos: given(DiffServ(4)), dscp: given(DiffServ(8)), ..base() },
                tcp(),
            ),
            error(
                ClientOptions {
                    bytes: given(ByteCount(1 << 31)),
                    direction: given(WantedDirection::Reverse),
                    ..base()
                },
                tcp(),
            ),
            error(ClientOptions { direction: given(WantedDirection::FullDuplex), ..base() }, tcp()),
            error(base(), ClientNeeds { permit_key: Some(PermitKey("abc".to_owned())), ..tcp() }),
            error(base(), ClientNeeds { permit_key: Some(PermitKey("abcd".to_owned())), ..udp() }),
        ];
        insta::assert_snapshot!(errors.join("\n"));
    }

    #[test]
    fn every_option_reaches_the_engine() {
        let options = ClientOptions {
            direction: given(WantedDirection::Reverse),
            bytes: given(ByteCount(1_000_000)),
            bitrate: given(SendRate::Bits(BitRate(1e6))),
            length: given(ByteCount(1000)),
            parallel: given(4),
            interval: given(Seconds(Duration::from_millis(500))),
            window: given(ByteCount(65_536)),
            mss: given(1400),
            nodelay: given(true),
            congestion: given("reno".to_owned()),
            dscp: given(DiffServ(0xb8)),
            ttl: given(9),
            bind: given("127.0.0.1:6000".to_owned()),
            trip_times: given(true),
            connect: given(ConnectOptions { timeout: given(Seconds(Duration::from_secs(2))) }),
            ..ClientOptions::default()
        };
        let key = PermitKey("secret".to_owned());
        let needs = ClientNeeds { permit_key: Some(key), ..tcp() };
        insta::assert_debug_snapshot!(client_config(&options, needs).unwrap());
    }
}
