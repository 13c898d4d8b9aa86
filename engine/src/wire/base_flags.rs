//! The first flags word of a test header.

use std::ops::BitOr;

/// The flags word at the start of a TCP test header, at offset 16 of a datagram, and in the UDP report.
///
/// Where [`Self::LENGTH`] is set, the bits below it carry the header length; a decoded header keeps the flags without
/// those bits, because its parts say how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BaseFlags(pub u32);

impl BaseFlags {
    /// Base part valid for a connection back (`-d`, `-r`, and the transfer id). In a UDP report: figures present.
    pub const VERSION1: Self = Self(0x8000_0000);
    /// The extension is present. In a UDP report: the latency figures are valid.
    pub const EXTEND: Self = Self(0x4000_0000);
    /// UDP: upper and lower flags carry settings of the test.
    pub const UDP_TESTS: Self = Self(0x2000_0000);
    /// TCP: the header ends with the length of a permit key, and the key follows the header.
    pub const KEY_CHECK: Self = Self(0x1000_0000);
    /// UDP: sequence numbers have 64 bits.
    pub const SEQUENCE_64: Self = Self(0x0800_0000);
    /// Reverse and full duplex are asked for in the upper flags; no acknowledgement unless [`Self::PEER_DETECT`].
    pub const VERSION2: Self = Self(0x0400_0000);
    /// TCP `-X`: the client waits for the acknowledgement. Comes with [`Self::VERSION2`].
    pub const PEER_DETECT: Self = Self(0x0200_0000);
    /// TCP: not a test header but a bounceback message.
    pub const BOUNCEBACK: Self = Self(0x0080_0000);
    /// UDP: the short trip-times header.
    pub const SHORT_TRIP_TIMES: Self = Self(0x0002_0000);
    /// The bits below carry the header length times two.
    pub const LENGTH: Self = Self(0x0001_0000);
    /// With [`Self::VERSION1`]: connect back at once (`-d`) instead of after the test (`-r`).
    pub const RUN_NOW: Self = Self(0x0000_0001);

    const TCP_LENGTH_MASK: u32 = 0x0000_01fe;
    const UDP_LENGTH_MASK: u32 = 0x0000_fffe;

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

    /// Length of a TCP header with this first word, in bytes: declared, or by the rule for headers that declare none
    /// (24 for the base, 40 more for the extension).
    pub(super) fn tcp_length(self) -> usize {
        if self.contains(Self::LENGTH) {
            return usize::from((self.0 & Self::TCP_LENGTH_MASK) as u16 >> 1);
        }
        let base = if self.intersects(Self::VERSION1 | Self::EXTEND) { 24 } else { 0 };
        let extension = if self.intersects(Self::VERSION2 | Self::EXTEND) { 40 } else { 0 };
        base + extension
    }

    /// Length that a UDP header declares, counted from the start of the datagram.
    pub(super) fn udp_length(self) -> Option<usize> {
        self.contains(Self::LENGTH)
            .then(|| usize::from((self.0 & Self::UDP_LENGTH_MASK) as u16 >> 1))
    }

    /// Without the length bits of a TCP header that declares its length.
    pub(super) fn without_tcp_length(self) -> Self {
        if self.contains(Self::LENGTH) { Self(self.0 & !Self::TCP_LENGTH_MASK) } else { self }
    }

    /// Without the length bits of a UDP header that declares its length.
    pub(super) fn without_udp_length(self) -> Self {
        if self.contains(Self::LENGTH) { Self(self.0 & !Self::UDP_LENGTH_MASK) } else { self }
    }

    /// The word with `length` in it, when it declares one.
    pub(super) fn with_length(self, length: u8) -> Self {
        if self.contains(Self::LENGTH) { Self(self.0 | (u32::from(length) << 1)) } else { self }
    }
}

impl BitOr for BaseFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_length_is_half_of_the_lower_bits() {
        assert_eq!(BaseFlags(0x4001_0080).tcp_length(), 64);
        assert_eq!(BaseFlags(0x4001_00ee).tcp_length(), 119);
        assert_eq!(BaseFlags(0xc001_0079).tcp_length(), 60);
        assert_eq!(BaseFlags(0x6c01_0120).udp_length(), Some(144));
        assert_eq!(BaseFlags(0x0002_0000).udp_length(), None);
    }

    #[test]
    fn headers_that_declare_no_length_follow_the_old_rule() {
        assert_eq!(BaseFlags::VERSION1.tcp_length(), 24);
        assert_eq!(BaseFlags::EXTEND.tcp_length(), 64);
        assert_eq!(BaseFlags::VERSION2.tcp_length(), 40);
        assert_eq!(BaseFlags(0).tcp_length(), 0);
    }

    #[test]
    fn length_bits_of_a_header_without_length_are_other_flags() {
        let flags = BaseFlags::VERSION1 | BaseFlags(0x10);
        assert_eq!(flags.without_tcp_length(), flags);
        assert_eq!(flags.with_length(64), flags);
    }
}
