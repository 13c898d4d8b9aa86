//! The header in front of each burst of a TCP stream.

use crate::wire::bytes::{join, put_u32, split, u32_at};
use crate::wire::error::require;
use crate::wire::{WireError, WireTime};

/// The header of a burst: 92 bytes in front of each burst with trip-times, isochronous frames or periodic bursts.
///
/// Only the fields below mean something. The other bytes are leftovers of the sender's buffer; encoding over a buffer
/// leaves them alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BurstHeader {
    /// Start of the sender's test, the same in all bursts.
    pub start: WireTime,
    /// Sender's clock just before this burst was written.
    pub written: WireTime,
    /// Microseconds between bursts; valid for isochronous frames and periodic bursts only.
    pub period_microseconds: u32,
    /// 1, 2, 3 … with trip-times, else the number of the time slot: a slot that the sender missed leaves a gap.
    pub id: u32,
    /// Bytes of the burst, this header included.
    pub size: u32,
    /// The sender's count of bytes after this burst; starts at 1, or at 2 behind a test header.
    pub sequence: u64,
}

impl BurstHeader {
    /// Length on the wire in bytes, and the size of the smallest burst.
    pub const LENGTH: usize = 92;

    /// Reads a header.
    ///
    /// # Errors
    /// [`WireError::TooShort`] below 92 bytes. [`WireError::Invalid`] when the size is below 92: the stream is out of
    /// step, and nothing in it can be trusted to be a header any more.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        require("burst header", bytes, Self::LENGTH)?;
        let size = u32_at(bytes, 48);
        if usize::try_from(size).is_ok_and(|size| size < Self::LENGTH) {
            return Err(WireError::Invalid { what: "burst size", value: size.into() });
        }
        Ok(Self {
            start: WireTime::read(bytes, 12),
            written: WireTime::read(bytes, 20),
            period_microseconds: u32_at(bytes, 40),
            id: u32_at(bytes, 44),
            size,
            sequence: join(u32_at(bytes, 56), u32_at(bytes, 52)),
        })
    }

    /// Writes the fields over the start of a write buffer. A buffer shorter than 92 bytes takes what fits.
    pub fn encode_over(&self, buffer: &mut [u8]) {
        let (high, low) = split(self.sequence);
        self.start.write(buffer, 12);
        self.written.write(buffer, 20);
        put_u32(buffer, 40, self.period_microseconds);
        put_u32(buffer, 44, self.id);
        put_u32(buffer, 48, self.size);
        put_u32(buffer, 52, low);
        put_u32(buffer, 56, high);
    }

    /// Appends the header to `out`, with zeros where nothing is defined.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; Self::LENGTH];
        self.encode_over(&mut bytes);
        out.extend_from_slice(&bytes);
    }
}
