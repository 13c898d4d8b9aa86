use linerate_engine::wire::Version;

/// The version of this program.
pub(super) fn short() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Also the version of iperf whose protocol the engine speaks, as it announces itself to its peers.
pub(super) fn long() -> String {
    format!("{}\nengine: iperf {} wire protocol", short(), Version::V2_2_1)
}
