//! What the first four bytes of a TCP stream announce.

use crate::wire::bytes::u32_at;
use crate::wire::{BaseFlags, TestBase};

/// Whether the server asks for a permit key, which changes what the first word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyPolicy {
    /// No key is needed.
    #[default]
    Open,
    /// A key is needed: a word that declares a length is a header, whatever else it says.
    KeyRequired,
}

/// What follows the first four bytes of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstWord {
    /// A [`BouncebackMessage`](super::BouncebackMessage), of which these are the first four bytes.
    Bounceback,
    /// A [`TestHeader`](super::TestHeader).
    Header {
        /// Length in bytes, these four included: 24 to 255. A permit key comes on top.
        length: usize,
    },
    /// Looks like a test header but declares fewer bytes than the shortest one has: refuse the connection.
    Malformed {
        /// The declared length in bytes.
        declared: usize,
    },
    /// Data without header; these four bytes are data, too. (iperf servers lose them.)
    Legacy,
}

impl FirstWord {
    /// Sorts the four bytes, in the order of iperf: bounceback, header, data.
    #[must_use]
    pub fn classify(bytes: [u8; 4], keys: KeyPolicy) -> Self {
        let flags = BaseFlags(u32_at(&bytes, 0));
        if flags.contains(BaseFlags::BOUNCEBACK) {
            return Self::Bounceback;
        }
        let announced =
            flags.intersects(BaseFlags::VERSION1 | BaseFlags::EXTEND | BaseFlags::VERSION2);
        let forced = keys == KeyPolicy::KeyRequired && flags.contains(BaseFlags::LENGTH);
        if !announced && !forced {
            return Self::Legacy;
        }
        match flags.tcp_length() {
            declared if declared < TestBase::LENGTH => Self::Malformed { declared },
            length => Self::Header { length },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classify(word: u32) -> FirstWord {
        FirstWord::classify(word.to_be_bytes(), KeyPolicy::Open)
    }

    #[test]
    fn headers_are_known_by_their_version_flags() {
        assert_eq!(classify(0x4001_0080), FirstWord::Header { length: 64 });
        assert_eq!(classify(0xc001_0079), FirstWord::Header { length: 60 });
        assert_eq!(classify(0x4001_00ee), FirstWord::Header { length: 119 });
        assert_eq!(classify(0x8000_0000), FirstWord::Header { length: 24 });
        assert_eq!(classify(0x4000_0000), FirstWord::Header { length: 64 });
        assert_eq!(classify(0x4001_0030), FirstWord::Header { length: 24 });
    }

    #[test]
    fn bounceback_wins_over_everything_else() {
        assert_eq!(classify(0x0080_0000), FirstWord::Bounceback);
        assert_eq!(classify(0xffff_ffff), FirstWord::Bounceback);
    }

    #[test]
    fn digits_and_zeros_are_legacy_data() {
        assert_eq!(classify(0x3031_3233), FirstWord::Legacy);
        assert_eq!(classify(0), FirstWord::Legacy);
    }

    #[test]
    fn a_server_with_a_key_takes_any_declared_length_for_a_header() {
        let word = 0x0001_0080_u32;
        assert_eq!(classify(word), FirstWord::Legacy);
        assert_eq!(
            FirstWord::classify(word.to_be_bytes(), KeyPolicy::KeyRequired),
            FirstWord::Header { length: 64 }
        );
    }

    #[test]
    fn a_header_that_declares_less_than_the_base_is_malformed() {
        assert_eq!(classify(0x4001_0004), FirstWord::Malformed { declared: 2 });
        assert_eq!(classify(0x4001_002e), FirstWord::Malformed { declared: 23 });
    }
}
