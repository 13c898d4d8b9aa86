/// Bits per second.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, schemars::JsonSchema, serde::Deserialize)]
pub struct BitRate(pub f64);

/// Packets per second.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, schemars::JsonSchema, serde::Deserialize)]
pub struct PacketRate(pub f64);

/// A target rate of a sender.
#[derive(Debug, Clone, Copy, PartialEq, schemars::JsonSchema, serde::Deserialize)]
pub enum SendRate {
    /// Bits of payload per second; 0 means unlimited.
    Bits(BitRate),
    /// Datagrams per second.
    Packets(PacketRate),
}
