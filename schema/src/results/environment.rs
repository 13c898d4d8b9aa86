use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a host is, as far as it influences a measurement. A fact that could not be read is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostFacts {
    /// The host's name in the scenario.
    pub name: String,
    /// How it is reached: `local`, `external`.
    pub kind: String,
    /// The system's own host name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// Address used for traffic to this host, when the scenario gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Operating system and release of the kernel, such as `Linux 6.12.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Processor model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    /// Number of processors available to the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// Memory in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Default TCP congestion control algorithm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_congestion_control: Option<String>,
    /// Default queueing discipline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_qdisc: Option<String>,
    /// Version of the engine that ran there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<String>,
}
