//! The upper flags of the extension.

use std::ops::BitOr;

/// The upper flags of an extended header: settings of the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct UpperFlags(pub u16);

impl UpperFlags {
    /// Data is isochronous frames.
    pub const ISOCHRONOUS: Self = Self(0x0001);
    /// UDP: frame length checks over IPv6.
    pub const L2_IPV6: Self = Self(0x0002);
    /// UDP: frame length checks.
    pub const L2_LENGTH_CHECK: Self = Self(0x0004);
    /// UDP: no report is exchanged at the end.
    pub const NO_UDP_FIN: Self = Self(0x0008);
    /// Send times are to be taken as trip times; the start time is valid.
    pub const TRIP_TIMES: Self = Self(0x0010);
    /// UDP: isochronous settings are present.
    pub const ISOCHRONOUS_SETTINGS: Self = Self(0x0040);
    /// UDP: the rate is in packets per second. Defined, never sent by iperf.
    pub const RATE_IN_PACKETS: Self = Self(0x0080);
    /// A rate is set. Defined, never sent by iperf.
    pub const RATE_SET: Self = Self(0x0100);
    /// The fair-queue rate is valid.
    pub const FQ_RATE: Self = Self(0x0200);
    /// The server shall send.
    pub const REVERSE: Self = Self(0x0400);
    /// Both shall send.
    pub const FULL_DUPLEX: Self = Self(0x0800);
    /// The start time is a scheduled start.
    pub const EPOCH_START: Self = Self(0x1000);
    /// TCP: data is periodic bursts.
    pub const PERIODIC_BURST: Self = Self(0x2000);
    /// TCP: the sending server shall write when the socket asks for more.
    pub const WRITE_PREFETCH: Self = Self(0x4000);
    /// TCP: the server shall acknowledge segments at once.
    pub const TCP_QUICK_ACK: Self = Self(0x8000);

    /// All bits of `other` are set.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// At least one bit of `other` is set.
    #[must_use]
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The same flags without those of `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitOr for UpperFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
