//! What the engine executes: complete settings, no defaults left, choices as enums that carry their data.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU16;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A client: it connects, and sends or receives as [`Direction`] says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientConfig {
    /// Address and port of the server.
    pub server: SocketAddr,
    /// Local address to bind before connecting; port 0 lets the system choose. With several streams a fixed port is
    /// counted up by one for each stream.
    pub bind: Option<SocketAddr>,
    /// Transport protocol with its own options.
    pub transport: ClientTransport,
    /// Who sends.
    pub direction: Direction,
    /// When the sender stops.
    pub amount: Amount,
    /// How fast each stream's sender sends.
    pub rate: Rate,
    /// Bytes per write (TCP) or payload bytes per datagram (UDP).
    pub length: Length,
    /// Number of connections.
    pub parallel: NonZeroU16,
    /// Length of a reporting interval; `None` reports only totals.
    pub interval: Option<Duration>,
    /// Socket options.
    pub socket: SocketOptions,
    /// Whether senders stamp their data with the time it is written, for one-way latency.
    pub trip_times: bool,
    /// What the addresses of the streams have beside the first ones.
    pub addressing: Addressing,
}

/// What the addresses of a client's streams have beside `server` and `bind`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addressing {
    /// Name, on the client's host, of the interface through which a link-local server is reached.
    pub zone: Option<String>,
    /// What counts up.
    pub increment: Increment,
}

/// What counts up by one for each further stream. A fixed local port always does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Increment {
    /// The server's address.
    pub destination_address: bool,
    /// The server's port.
    pub destination_port: bool,
    /// The local address; needs one in `bind`.
    pub source_address: bool,
}

/// Transport of a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ClientTransport {
    /// TCP.
    Tcp(TcpClientOptions),
    /// UDP.
    Udp,
}

/// Options that only a TCP client has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TcpClientOptions {
    /// How long to wait for the connection.
    pub connect_timeout: Duration,
    /// Options of the TCP socket.
    pub tcp: TcpSocketOptions,
    /// Key to show to the server, 4 to 127 bytes.
    pub permit_key: Option<PermitKey>,
}

/// A permit key. Its `Debug` form hides the key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermitKey(pub String);

impl std::fmt::Debug for PermitKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PermitKey(…)")
    }
}

/// Options of a TCP socket, client's or server's.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TcpSocketOptions {
    /// Maximum segment size to ask for.
    pub mss: Option<u16>,
    /// Whether Nagle's algorithm is off.
    pub nodelay: bool,
    /// Congestion control algorithm.
    pub congestion: Option<String>,
}

/// Options of any socket.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SocketOptions {
    /// Size in bytes to ask for both socket buffers.
    pub window: Option<usize>,
    /// Type-of-service byte (IPv6: traffic class).
    pub tos: Option<u8>,
    /// Time to live (IPv6: hop limit).
    pub ttl: Option<u8>,
    /// Network interface to bind to, by its name on this host. It is also the zone of a link-local address in `bind` or of a
    /// server.
    pub device: Option<String>,
}

/// Who sends the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// The client.
    Forward,
    /// The server (`iperf -R`).
    Reverse,
    /// Both at the same time over the same connection (`iperf --full-duplex`).
    FullDuplex,
}

impl Direction {
    /// Whether the client sends, alone or too.
    #[must_use]
    pub fn has_forward(self) -> bool {
        match self {
            Self::Forward | Self::FullDuplex => true,
            Self::Reverse => false,
        }
    }

    /// Whether the server sends, alone or too.
    #[must_use]
    pub fn has_reverse(self) -> bool {
        match self {
            Self::Forward => false,
            Self::Reverse | Self::FullDuplex => true,
        }
    }
}

/// When a sender stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Amount {
    /// After this time, resolution 10 ms on the wire.
    Time(Duration),
    /// After this many payload bytes per stream.
    Bytes(u64),
}

/// How fast a sender sends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Rate {
    /// As fast as it can.
    Unlimited,
    /// Bits of payload per second.
    BitsPerSecond(u64),
    /// Datagrams per second; UDP only.
    PacketsPerSecond(f64),
}

/// Size of a write or a datagram, and whether the user chose it: iperf tells the server only a chosen one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Length {
    /// The engine's default for the transport.
    Default(usize),
    /// Chosen by the user.
    Chosen(usize),
}

impl Length {
    /// The number of bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::Default(bytes) | Self::Chosen(bytes) => bytes,
        }
    }
}

/// A server: it listens, and serves every client that comes, all at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerConfig {
    /// Address to listen on; the unspecified address for all.
    pub address: IpAddr,
    /// Port to listen on, the first of several; 0 lets the system choose.
    pub port: u16,
    /// Number of consecutive ports to listen on.
    pub ports: NonZeroU16,
    /// Transport protocol with its own options.
    pub transport: ServerTransport,
    /// Bytes per read (TCP), or write size of a reverse flow whose client gives none.
    pub length: Length,
    /// Length of a reporting interval; `None` reports only totals.
    pub interval: Option<Duration>,
    /// Socket options; `tos` overrides what clients ask for.
    pub socket: SocketOptions,
}

/// Transport of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ServerTransport {
    /// TCP.
    Tcp(TcpServerOptions),
    /// UDP.
    Udp(UdpServerOptions),
}

/// Options that only a TCP server has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TcpServerOptions {
    /// Options of the TCP socket.
    pub tcp: TcpSocketOptions,
    /// Key that clients must show.
    pub permit_key: Option<PermitKey>,
    /// How long a client may take to send its test header.
    pub header_timeout: Duration,
}

/// Options that only a UDP server has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UdpServerOptions {
    /// A flow whose client sends nothing for so long is ended as vanished.
    pub idle_timeout: Duration,
}
