use std::time::Duration;

/// A span of time.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, schemars::JsonSchema, serde::Deserialize,
)]
pub struct Seconds(pub Duration);
