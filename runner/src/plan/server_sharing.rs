//! Which flows of a case use the same server.

use linerate_engine::config::ClientConfig;
use linerate_schema::scenario::Flow;

use super::planned::{AddressFamily, PlannedServer};
use super::target::{listening_port, transport};
use crate::engine_config::{KeyChoice, gap_between_writes};

/// Position of `wanted` in `servers`, which grows if no flow before uses the same.
pub(super) fn join_or_add(servers: &mut Vec<PlannedServer>, wanted: PlannedServer) -> usize {
    let Some(position) = servers.iter().position(|server| server.is_shared_with(&wanted)) else {
        servers.push(wanted);
        return servers.len() - 1;
    };
    servers[position].join(&wanted);
    position
}

impl PlannedServer {
    /// The server that a flow needs, were it alone. `config` is absent for a flow that cannot run.
    pub(super) fn wanted_by(
        flow: &Flow,
        position: usize,
        family: AddressFamily,
        config: Option<&ClientConfig>,
    ) -> Self {
        Self {
            name: flow.server.name.clone(),
            host: flow.server.host.clone(),
            transport: transport(flow),
            port: listening_port(flow),
            family,
            interval: flow.options.interval.as_ref().map(|interval| interval.value.0),
            longest_gap: config.map(gap_between_writes).unwrap_or_default(),
            permit_key: key_choice(flow),
            first_flow: position,
        }
    }

    /// Two flows share a server when they name the same entry and ask for the same kind of socket.
    fn is_shared_with(&self, other: &Self) -> bool {
        self.name.is_some()
            && (&self.name, &self.host, self.transport, self.port, &self.permit_key)
                == (&other.name, &other.host, other.transport, other.port, &other.permit_key)
    }

    /// Adds what another flow needs of the same server.
    fn join(&mut self, other: &Self) {
        if other.family == AddressFamily::Ipv6 {
            self.family = AddressFamily::Ipv6;
        }
        self.interval = match (self.interval, other.interval) {
            (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        self.longest_gap = self.longest_gap.max(other.longest_gap);
    }
}

/// What the flow says about a permit key.
pub(super) fn key_choice(flow: &Flow) -> Option<KeyChoice> {
    flow.options.permit_key.as_ref().map(|key| KeyChoice::of(key))
}
