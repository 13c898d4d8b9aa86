use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::{Direction, PortRange, ServerReference, Transport};
use crate::Spanned;
use crate::units::{ByteCount, DiffServ, Dscp, Seconds, SendRate};

/// Options of a client, a profile, or `defaults.client`. iperf's options carry iperf's name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ClientOptions {
    /// Name of the profile whose options apply where this entry gives none.
    pub r#use: Option<Spanned<String>>,
    /// Name of the host the client runs on. Default: the first local host.
    pub host: Option<Spanned<String>>,
    /// The server to connect to: its name under `servers`, or its options in place.
    pub server: Option<Spanned<ServerReference>>,
    /// Port of the server, instead of the one the server gives, or a range such as `5001-5004` with one stream for each
    /// port (iperf `-p`).
    pub port: Option<Spanned<PortRange>>,
    /// Transport protocol: `tcp` (default) or `udp` (iperf `-u`).
    pub transport: Option<Spanned<Transport>>,
    /// Who sends: `forward` (the client, default), `reverse` (the server, iperf `-R`), or `full-duplex` (both at once over
    /// the same connection, iperf `--full-duplex`; UDP only). With `full-duplex`, assertions name the way:
    /// `reverse.throughput`.
    pub direction: Option<Spanned<Direction>>,
    /// How long to send (iperf `-t`), resolution 10 ms. Default 10 s unless `bytes` is given.
    pub time: Option<Spanned<Seconds>>,
    /// How many bytes to send instead of a time (iperf `-n`), per stream.
    pub bytes: Option<Spanned<ByteCount>>,
    /// Target rate per stream (iperf `-b`): bits per second, or packets per second with UDP. Default: unlimited with
    /// TCP, 1 Mbit/s (1048576 bit/s) with UDP.
    pub bitrate: Option<Spanned<SendRate>>,
    /// Bytes per write (TCP, default 128K) or per datagram (UDP, default 1470, with IPv6 1450) (iperf `-l`).
    pub length: Option<Spanned<ByteCount>>,
    /// Number of parallel streams (iperf `-P`), 1 to 1000. Default 1, or the number of ports.
    #[schemars(range(min = 1, max = 1000))]
    pub parallel: Option<Spanned<u16>>,
    /// Length of a reporting interval (iperf `-i`), at least 5 ms. Default: no intervals.
    pub interval: Option<Spanned<Seconds>>,
    /// Socket buffer size, and with it the TCP window (iperf `-w`).
    pub window: Option<Spanned<ByteCount>>,
    /// TCP maximum segment size (iperf `-M`), 88 to 65495.
    #[schemars(range(min = 88, max = 65495))]
    pub mss: Option<Spanned<u16>>,
    /// Switches Nagle's algorithm off (iperf `-N`). TCP only.
    pub nodelay: Option<Spanned<bool>>,
    /// TCP congestion control algorithm (iperf `-Z`).
    pub congestion: Option<Spanned<String>>,
    /// IP type-of-service byte as a number or a DSCP name such as `ef` (iperf `-S`).
    pub tos: Option<Spanned<DiffServ>>,
    /// DSCP, 0 to 63 or a name such as `ef` (iperf `--dscp`); the same field as `tos`.
    #[serde(deserialize_with = "dscp_as_byte")]
    #[schemars(with = "Option<Dscp>")]
    pub dscp: Option<Spanned<DiffServ>>,
    /// IP time to live (IPv6: hop limit), 1 to 255 (iperf `-T`).
    #[schemars(range(min = 1, max = 255))]
    pub ttl: Option<Spanned<u8>>,
    /// Local address to send from (iperf `-B`), with a port and a network interface where wanted: `192.0.2.1`,
    /// `192.0.2.1:6001`, `192.0.2.1%eth1`, `%eth1`, `fe80::1%eth0`. The port counts up by one for each further stream.
    pub bind: Option<Spanned<String>>,
    /// Addresses and ports that count up by one for each further stream.
    pub increment: Option<Spanned<IncrementOptions>>,
    /// Uses IPv6 (iperf `-V`).
    pub ipv6: Option<Spanned<bool>>,
    /// Stamps data for one-way latency (iperf `--trip-times`); the clocks of both ends must agree.
    pub trip_times: Option<Spanned<bool>>,
    /// Key that the server must also have (iperf `--permit-key`), 4 to 127 characters, or `auto` for a fresh one.
    /// TCP only.
    #[schemars(length(min = 4, max = 127))]
    pub permit_key: Option<Spanned<String>>,
    /// How the connection is made.
    pub connect: Option<Spanned<ConnectOptions>>,
    /// Starts this client so long after the case's start. Default 0.
    pub start: Option<Spanned<Seconds>>,
}

/// Addresses and ports that count up by one for each further stream of a flow.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct IncrementOptions {
    /// The server's address (iperf `--incr-dstip`).
    pub destination_address: Option<Spanned<bool>>,
    /// The server's port (iperf `--incr-dstport`).
    pub destination_port: Option<Spanned<bool>>,
    /// The local address (iperf `--incr-srcip`); needs an address in `bind`.
    pub source_address: Option<Spanned<bool>>,
    /// The local port (iperf `--incr-srcport`); needs a port in `bind`, which counts up anyway.
    pub source_port: Option<Spanned<bool>>,
}

/// How a TCP connection is made.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ConnectOptions {
    /// How long to wait for the connection. Default 10 s.
    pub timeout: Option<Spanned<Seconds>>,
}

fn dscp_as_byte<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Spanned<DiffServ>>, D::Error> {
    let dscp = Option::<Spanned<Dscp>>::deserialize(deserializer)?;
    Ok(dscp.map(|dscp| dscp.map(DiffServ::from)))
}
