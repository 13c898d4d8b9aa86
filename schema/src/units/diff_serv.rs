/// The IP type-of-service byte (IPv6: traffic class): DSCP in the upper six bits, ECN in the lower two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, schemars::JsonSchema, serde::Deserialize)]
pub struct DiffServ(pub u8);
