//! Which header a datagram carries.

use super::{DatagramPrefix, ShortTripTimes, TestHeader};
use crate::wire::bytes::u32_at;
use crate::wire::payload::are_digits;
use crate::wire::{BaseFlags, WireError};

/// What stands behind the prefix of a flow's first datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatagramHeader {
    /// Nothing: a plain flow. The word is missing, zero, or the digits of the payload (`-C`, data from a server).
    Absent,
    /// Trip-times with small datagrams.
    ShortTripTimes(ShortTripTimes),
    /// A test header.
    Test(TestHeader),
}

impl DatagramHeader {
    /// Reads the header of a datagram.
    ///
    /// # Errors
    /// [`WireError::TooShort`] when the datagram has no room for the prefix, or is cut inside the header that it
    /// announces (as the later datagrams of a flow with a short length are).
    pub fn decode(datagram: &[u8]) -> Result<Self, WireError> {
        crate::wire::error::require("datagram", datagram, DatagramPrefix::LENGTH)?;
        let word = datagram.get(DatagramPrefix::LENGTH..DatagramPrefix::LENGTH + 4);
        let flags = BaseFlags(u32_at(datagram, DatagramPrefix::LENGTH));
        if flags.0 == 0 || word.is_none_or(|word| are_digits(word, DatagramPrefix::LENGTH)) {
            return Ok(Self::Absent);
        }
        let test =
            BaseFlags::VERSION1 | BaseFlags::EXTEND | BaseFlags::VERSION2 | BaseFlags::LENGTH;
        if flags.contains(BaseFlags::SHORT_TRIP_TIMES) && !flags.intersects(test) {
            return ShortTripTimes::decode(datagram).map(Self::ShortTripTimes);
        }
        TestHeader::decode(datagram).map(Self::Test)
    }

    /// The test header, if there is one.
    #[must_use]
    pub fn test(&self) -> Option<&TestHeader> {
        match self {
            Self::Test(header) => Some(header),
            Self::Absent | Self::ShortTripTimes(_) => None,
        }
    }
}
