//! The lower flags of the extension.

use std::ops::BitOr;

/// The lower flags of an extended header, 2.2 only: zero in 2.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LowerFlags(pub u16);

impl LowerFlags {
    /// TCP: the name of a congestion control follows the fixed layout.
    pub const CONGESTION_CONTROL: Self = Self(0x8000);
    /// TCP: the barrier wait is valid.
    pub const BARRIER_TIME: Self = Self(0x4000);
    /// UDP: L4S mode.
    pub const UDP_L4S: Self = Self(0x2000);

    /// All bits of `other` are set.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The same flags without those of `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for LowerFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
