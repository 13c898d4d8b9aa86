/// A number of bytes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, schemars::JsonSchema, serde::Deserialize,
)]
pub struct ByteCount(pub u64);
