//! The key that a server may ask for.

use std::fmt;

use crate::wire::WireError;

/// A permit key: the bytes behind a test header. Never shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct PermitKey(Vec<u8>);

impl PermitKey {
    /// Shortest key that iperf takes, in bytes.
    pub const MIN_LENGTH: usize = 4;
    /// Longest key that 2.2 takes, in bytes (2.1: one more).
    pub const MAX_LENGTH: usize = 127;

    /// A key to send or to ask for.
    ///
    /// # Errors
    /// [`WireError::TooShort`] or [`WireError::TooLong`] outside [`Self::MIN_LENGTH`]..=[`Self::MAX_LENGTH`]. (iperf cuts
    /// a longer key silently.)
    pub fn new(key: &[u8]) -> Result<Self, WireError> {
        let (what, length) = ("permit key", key.len());
        if length < Self::MIN_LENGTH {
            return Err(WireError::TooShort { what, got: length, need: Self::MIN_LENGTH });
        }
        if length > Self::MAX_LENGTH {
            return Err(WireError::TooLong { what, length, limit: Self::MAX_LENGTH });
        }
        Ok(Self(key.to_vec()))
    }

    /// The bytes of the key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether `offered` is this key. The time it takes depends on the lengths only, not on where they differ.
    #[must_use]
    pub fn matches(&self, offered: &[u8]) -> bool {
        let difference =
            self.0.iter().zip(offered).fold(0, |all, (ours, theirs)| all | (ours ^ theirs));
        self.0.len() == offered.len() && difference == 0
    }
}

impl fmt::Debug for PermitKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PermitKey({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_outside_the_length_limits_are_refused() {
        assert!(PermitKey::new(b"abc").is_err());
        assert!(PermitKey::new(b"abcd").is_ok());
        assert!(PermitKey::new(&[b'k'; 127]).is_ok());
        assert!(PermitKey::new(&[b'k'; 128]).is_err());
    }

    #[test]
    fn only_the_same_bytes_match() {
        let key = PermitKey::new(b"ABCDEFGH").unwrap();
        assert!(key.matches(b"ABCDEFGH"));
        assert!(!key.matches(b"ABCDEFGX"));
        assert!(!key.matches(b"ABCDEFG"));
        assert!(!key.matches(b"ABCDEFGHI"));
    }

    #[test]
    fn debug_does_not_show_the_key() {
        let shown = format!("{:?}", PermitKey::new(b"secret").unwrap());
        assert_eq!(shown, "PermitKey(6 bytes)");
    }
}
