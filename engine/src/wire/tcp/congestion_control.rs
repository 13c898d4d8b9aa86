//! The name of a congestion control in a header.

use std::fmt;

use crate::wire::WireError;

/// The congestion control that a client asks for. ASCII by convention; a peer may send any bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CongestionControl(Vec<u8>);

impl CongestionControl {
    /// Longest name that an iperf server has room for, in bytes.
    pub const MAX_LENGTH: usize = 31;

    /// A name to send.
    ///
    /// # Errors
    /// [`WireError::TooShort`] when the name is empty, [`WireError::TooLong`] above [`Self::MAX_LENGTH`].
    pub fn new(name: &str) -> Result<Self, WireError> {
        let what = "congestion control name";
        let length = name.len();
        if length == 0 {
            return Err(WireError::TooShort { what, got: 0, need: 1 });
        }
        if length > Self::MAX_LENGTH {
            return Err(WireError::TooLong { what, length, limit: Self::MAX_LENGTH });
        }
        Ok(Self(name.as_bytes().to_vec()))
    }

    /// The name, if it is text.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The bytes as they were sent.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn from_wire(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl fmt::Debug for CongestionControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CongestionControl({})", self.0.escape_ascii())
    }
}
