//! The server's answer to a TCP test header.

use crate::wire::bytes::{put_u32, u32_at};
use crate::wire::error::require;
use crate::wire::{Version, WireError, WireTime};

/// The acknowledgement: 28 bytes, or 52 with [`AckTimes`] when the server accepted trip-times.
///
/// A server sends it unasked for every header without VERSION2, and for `-X`. Read [`Self::LENGTH`] bytes, ask
/// [`Self::declared_length`], read the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Acknowledgement {
    /// Flags, 0.
    pub flags: u32,
    /// Version of the server.
    pub version: Version,
    /// Two reserved words, 0.
    pub reserved: [u32; 2],
    /// Times for a check of the clocks, when trip-times were asked for and accepted.
    pub times: Option<AckTimes>,
}

/// The times of an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AckTimes {
    /// Echo of the start time in the client's header.
    pub sent: WireTime,
    /// Server clock when the connection was accepted.
    pub received: WireTime,
    /// Server clock when the acknowledgement was made.
    pub acknowledged: WireTime,
}

const WHAT: &str = "acknowledgement";
const TYPE: u32 = 2;

impl Acknowledgement {
    /// Length without times, in bytes.
    pub const LENGTH: usize = 28;
    /// Length with times, in bytes.
    pub const LENGTH_WITH_TIMES: usize = 52;

    /// The answer of this engine.
    #[must_use]
    pub fn of_this_version(times: Option<AckTimes>) -> Self {
        Self { version: Version::V2_2_1, times, ..Self::default() }
    }

    /// How many bytes the acknowledgement has that begins with `bytes` (at least the first eight).
    ///
    /// # Errors
    /// [`WireError::TooShort`] for fewer bytes, [`WireError::Invalid`] when the type is not 2 or the length is below 28
    /// or above 1024.
    pub fn declared_length(bytes: &[u8]) -> Result<usize, WireError> {
        require(WHAT, bytes, 8)?;
        let message_type = u32_at(bytes, 0);
        if message_type != TYPE {
            return Err(WireError::Invalid {
                what: "acknowledgement type",
                value: message_type.into(),
            });
        }
        let declared = u32_at(bytes, 4);
        match usize::try_from(declared) {
            Ok(length) if (Self::LENGTH..=1024).contains(&length) => Ok(length),
            _ => Err(WireError::Invalid { what: "acknowledgement length", value: declared.into() }),
        }
    }

    /// Reads an acknowledgement. The times are there from 52 declared bytes on; a length between is the short form.
    ///
    /// # Errors
    /// As [`Self::declared_length`], and [`WireError::TooShort`] when fewer bytes are given than declared.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let length = Self::declared_length(bytes)?;
        require(WHAT, bytes, length)?;
        let times = (length >= Self::LENGTH_WITH_TIMES).then(|| AckTimes {
            sent: WireTime::read(bytes, 28),
            received: WireTime::read(bytes, 36),
            acknowledged: WireTime::read(bytes, 44),
        });
        let reserved = [u32_at(bytes, 20), u32_at(bytes, 24)];
        Ok(Self { flags: u32_at(bytes, 8), version: Version::read(bytes, 12), reserved, times })
    }

    /// Appends the acknowledgement to `out`.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; Self::LENGTH_WITH_TIMES];
        put_u32(&mut bytes, 0, TYPE);
        put_u32(&mut bytes, 4, if self.times.is_some() { 52 } else { 28 });
        put_u32(&mut bytes, 8, self.flags);
        self.version.write(&mut bytes, 12);
        put_u32(&mut bytes, 20, self.reserved[0]);
        put_u32(&mut bytes, 24, self.reserved[1]);
        let Some(times) = self.times else {
            out.extend_from_slice(&bytes[..Self::LENGTH]);
            return;
        };
        times.sent.write(&mut bytes, 28);
        times.received.write(&mut bytes, 36);
        times.acknowledged.write(&mut bytes, 44);
        out.extend_from_slice(&bytes);
    }
}
