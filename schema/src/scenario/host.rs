use schemars::JsonSchema;
use serde::Deserialize;

use super::presence::Presence;
use crate::Spanned;

/// A place where traffic ends live.
#[derive(Debug, Clone, PartialEq)]
pub enum Host {
    /// This machine. `address` is the one that clients connect to; a loopback address of the right family otherwise.
    Local {
        /// Address of this machine to send traffic to, without port.
        address: Option<Spanned<String>>,
    },
    /// Somebody else's iperf 2 server: only the client side is ours.
    External {
        /// Address or DNS name, without port.
        address: Spanned<String>,
    },
}

impl Host {
    /// The address given in the scenario.
    #[must_use]
    pub fn address(&self) -> Option<&str> {
        match self {
            Self::Local { address } => address.as_ref().map(|a| a.value.as_str()),
            Self::External { address } => Some(&address.value),
        }
    }
}

/// A place where traffic ends live: this machine, or somebody else's iperf 2 server.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(rename = "Host")]
pub(crate) struct HostEntry {
    /// Address that clients connect to, without port. Default: a loopback address.
    pub(crate) address: Presence<Spanned<String>>,
    /// Whether the host runs its own iperf 2 server, so that only the client side is ours. It needs an `address`.
    pub(crate) external: Option<Spanned<bool>>,
}
