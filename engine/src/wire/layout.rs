//! The two generations of header layouts.

use super::Version;

/// Which generation of iperf 2 a header follows.
///
/// The offsets are the same but for the UDP isochronous block; the generations differ in how many bytes each part of a
/// header takes, because 2.2 appended one word (the barrier wait) to the extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Layout {
    /// 2.1.x: TCP headers of 60, 80, 92 and 112 bytes, UDP headers of 76, 108 and 140.
    V2_1,
    /// 2.2.x: TCP headers of 64, 80, 96 and 112 bytes, UDP headers of 80, 112 and 144. What this engine sends.
    #[default]
    V2_2,
}

impl Layout {
    /// The generation of the program that names itself `version`; an unknown version counts as new.
    #[must_use]
    pub fn of_version(version: Version) -> Self {
        if version.is_before_2_2() { Self::V2_1 } else { Self::V2_2 }
    }

    /// The generation that sends TCP headers of `fixed_length` bytes (without congestion control and key); lengths that
    /// both know are decided by `version`.
    #[must_use]
    pub fn of_tcp_header(fixed_length: usize, version: Version) -> Self {
        match fixed_length {
            60 | 92 => Self::V2_1,
            64 | 96 => Self::V2_2,
            _ => Self::of_version(version),
        }
    }

    /// The generation that declares UDP headers of `declared_length` bytes; other lengths are decided by `version`.
    #[must_use]
    pub fn of_udp_header(declared_length: usize, version: Version) -> Self {
        match declared_length {
            76 | 108 | 140 => Self::V2_1,
            80 | 112 | 144 => Self::V2_2,
            _ => Self::of_version(version),
        }
    }

    /// Length of base and extension together in a TCP header: 60 or 64 bytes.
    #[must_use]
    pub fn extended_length(self) -> usize {
        match self {
            Self::V2_1 => 60,
            Self::V2_2 => 64,
        }
    }

    /// Length of the start part as it counts in the length of a header: 20 (with a reserved word in front) or 16 bytes.
    #[must_use]
    pub fn start_length(self) -> usize {
        match self {
            Self::V2_1 => 20,
            Self::V2_2 => 16,
        }
    }
}
