use schemars::JsonSchema;
use serde::Deserialize;

use super::{PortChoice, Transport};
use crate::Spanned;
use crate::units::{ByteCount, DiffServ, Seconds};

/// Options of a server. iperf's options carry iperf's name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ServerOptions {
    /// Name of the host it listens on. Default: the first local host.
    pub host: Option<Spanned<String>>,
    /// Port to listen on (iperf `-p`), or a range such as `5001-5004` to listen on each of them; `auto` (default) takes a
    /// free one. An external server's default is 5001.
    pub port: Option<Spanned<PortChoice>>,
    /// Transport protocol. Default: that of the flow.
    pub transport: Option<Spanned<Transport>>,
    /// Bytes per read (TCP, default 128K) or largest datagram (UDP, default 64K); also the write size of a reverse
    /// flow whose client gives none (iperf `-l`).
    pub length: Option<Spanned<ByteCount>>,
    /// Socket buffer size, and with it the TCP window (iperf `-w`).
    pub window: Option<Spanned<ByteCount>>,
    /// TCP maximum segment size (iperf `-M`).
    #[schemars(range(min = 88, max = 65495))]
    pub mss: Option<Spanned<u16>>,
    /// TCP congestion control algorithm of the server's own sending (iperf `-Z`).
    pub congestion: Option<Spanned<String>>,
    /// Marks the server's packets with this byte, whatever the client asks for (iperf `--tos-override`).
    pub tos: Option<Spanned<DiffServ>>,
    /// Address to listen on (iperf `-B`), with a network interface where wanted: `192.0.2.1`, `192.0.2.1%eth1`, `%eth1`.
    /// Default: all.
    pub bind: Option<Spanned<String>>,
    /// Listens on IPv6 (iperf `-V`).
    pub ipv6: Option<Spanned<bool>>,
    /// Length of a reporting interval (iperf `-i`). Default: the flow's.
    pub interval: Option<Spanned<Seconds>>,
}
