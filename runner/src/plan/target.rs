//! Where a flow goes: family, address and port, as far as they are known before anything runs.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::NonZeroU16;

use indexmap::IndexMap;
use linerate_schema::scenario::{BindAddress, Flow, Host, PortChoice, PortRange, Transport};

use super::planned::AddressFamily;
use crate::engine_config::DEFAULT_PORT;

/// The flow's own transport, else its server's, else TCP.
pub(super) fn transport(flow: &Flow) -> Transport {
    let given = flow.options.transport.as_ref().or(flow.server.options.transport.as_ref());
    given.map(|transport| transport.value).unwrap_or_default()
}

/// The port that a server of ours listens on: its own, else the one that its client names.
pub(super) fn listening_port(flow: &Flow) -> PortChoice {
    match (&flow.server.options.port, &flow.options.port) {
        (Some(port), _) if port.value != PortChoice::Auto => port.value,
        (_, Some(ports)) => PortChoice::Fixed(ports.value),
        _ => PortChoice::Auto,
    }
}

/// The ports that a client of a server of ours connects to; absent when the system chooses one as the server starts.
pub(super) fn reachable_ports(flow: &Flow) -> Option<PortRange> {
    let of_client = flow.options.port.as_ref().map(|ports| ports.value);
    of_client.or(match listening_port(flow) {
        PortChoice::Auto => None,
        PortChoice::Fixed(ports) => Some(ports),
    })
}

/// The ports that a client of an external server connects to.
pub(super) fn external_ports(flow: &Flow) -> Option<PortRange> {
    reachable_ports(flow).or_else(|| NonZeroU16::new(DEFAULT_PORT).map(PortRange::from))
}

/// IPv6 when the flow or else its server asks for it, or when an address that the scenario gives is one.
pub(super) fn family(flow: &Flow, hosts: &IndexMap<String, Host>) -> AddressFamily {
    let switch = flow.options.ipv6.as_ref().or(flow.server.options.ipv6.as_ref());
    let given = [
        hosts.get(&flow.server.host).and_then(Host::address),
        flow.server.options.bind.as_ref().map(|bind| bind.value.as_str()),
        flow.options.bind.as_ref().map(|bind| bind.value.as_str()),
    ];
    let is_ipv6 = switch.is_some_and(|ipv6| ipv6.value)
        || given
            .into_iter()
            .flatten()
            .any(|text| literal(text).is_some_and(|address| address.is_ipv6()));
    if is_ipv6 { AddressFamily::Ipv6 } else { AddressFamily::Ipv4 }
}

/// The address that the client connects to: the host's, else the one that the server listens on, else loopback.
pub(super) fn target_address(
    flow: &Flow,
    family: AddressFamily,
    hosts: &IndexMap<String, Host>,
) -> String {
    let of_host = hosts.get(&flow.server.host).and_then(Host::address).map(str::to_owned);
    let of_server = || {
        let BindAddress { address, device, .. } =
            BindAddress::parse(&flow.server.options.bind.as_ref()?.value)?;
        let address = address.filter(|address| !address.is_unspecified())?;
        Some(match device.filter(|_| is_link_local(address)) {
            Some(device) => format!("{address}%{device}"),
            None => address.to_string(),
        })
    };
    of_host.or_else(of_server).unwrap_or_else(|| family.loopback().to_string())
}

/// The IP address in `text`, brackets, port and zone left aside; `None` for a name.
fn literal(text: &str) -> Option<IpAddr> {
    BindAddress::parse(text)?.address
}

fn is_link_local(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.is_unicast_link_local())
}

impl AddressFamily {
    /// The loopback address.
    #[must_use]
    pub fn loopback(self) -> IpAddr {
        match self {
            Self::Ipv4 => Ipv4Addr::LOCALHOST.into(),
            Self::Ipv6 => Ipv6Addr::LOCALHOST.into(),
        }
    }
}
