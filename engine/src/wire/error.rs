//! How decoding or encoding can fail.

use std::fmt;

/// Bytes that are not what they should be, or a message that cannot be put on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireError {
    /// The message ends before its defined end.
    TooShort {
        /// The message that was expected.
        what: &'static str,
        /// Bytes that are there.
        got: usize,
        /// Bytes that are needed.
        need: usize,
    },
    /// The message would be longer than the wire can express or a peer accepts.
    TooLong {
        /// The part that is too long.
        what: &'static str,
        /// Its length in bytes.
        length: usize,
        /// The most that is possible.
        limit: usize,
    },
    /// A length or value inside the message contradicts the message.
    Invalid {
        /// The field.
        what: &'static str,
        /// Its value on the wire.
        value: u64,
    },
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { what, got, need } => {
                write!(f, "{what} is {got} bytes long, at least {need} are needed")
            }
            Self::TooLong { what, length, limit } => {
                write!(f, "{what} is {length} bytes long, at most {limit} are possible")
            }
            Self::Invalid { what, value } => {
                write!(f, "{what} has the impossible value {value:#x}; the peer may not be iperf 2")
            }
        }
    }
}

impl std::error::Error for WireError {}

/// Checks that `bytes` holds at least `need` bytes of `what`.
pub(super) fn require(what: &'static str, bytes: &[u8], need: usize) -> Result<(), WireError> {
    if bytes.len() < need {
        return Err(WireError::TooShort { what, got: bytes.len(), need });
    }
    Ok(())
}
