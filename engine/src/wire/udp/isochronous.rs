//! Frame fields in each datagram of an isochronous flow.

use crate::wire::bytes::{put_u32, u32_at};
use crate::wire::error::require;
use crate::wire::{Layout, WireError, WireTime};

/// The frame that a datagram belongs to, at offset 80, in 2.1 at 76. All zero in the first datagram of a client's flow.
///
/// A server that sends isochronous frames without trip-times puts the block into datagrams that have no header otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct IsochronousBlock {
    /// Microseconds from frame to frame, cut to whole ones.
    pub period_microseconds: u32,
    /// Start of the first frame; the same in all datagrams.
    pub start: WireTime,
    /// Id of the frame that was sent before, 0 for the first.
    pub previous_frame: u32,
    /// Id of this frame, from 1; jumps when the sender missed time slots.
    pub frame: u32,
    /// Bytes of this frame.
    pub size: u32,
    /// Bytes of the frame that are still to be sent, this datagram included: the size in a frame's first datagram, the
    /// datagram's own length in its last.
    pub remaining: u32,
}

impl IsochronousBlock {
    /// Length in a header in bytes: the fields, and a word that nobody fills.
    pub const LENGTH: usize = 32;

    const FIELDS_LENGTH: usize = 28;

    /// Where the block stands in a datagram.
    #[must_use]
    pub fn offset(layout: Layout) -> usize {
        match layout {
            Layout::V2_1 => 76,
            Layout::V2_2 => 80,
        }
    }

    /// Reads the block of a datagram.
    ///
    /// # Errors
    /// [`WireError::TooShort`] when the datagram ends before the block does.
    pub fn decode(datagram: &[u8], layout: Layout) -> Result<Self, WireError> {
        let offset = Self::offset(layout);
        require("isochronous datagram", datagram, offset + Self::FIELDS_LENGTH)?;
        Ok(Self::read(datagram, offset))
    }

    /// Writes the fields into a datagram; what does not fit is dropped.
    pub fn encode_over(&self, datagram: &mut [u8], layout: Layout) {
        let offset = Self::offset(layout);
        put_u32(datagram, offset, self.period_microseconds);
        self.start.write(datagram, offset + 4);
        put_u32(datagram, offset + 12, self.previous_frame);
        put_u32(datagram, offset + 16, self.frame);
        put_u32(datagram, offset + 20, self.size);
        put_u32(datagram, offset + 24, self.remaining);
    }

    pub(super) fn read(datagram: &[u8], offset: usize) -> Self {
        Self {
            period_microseconds: u32_at(datagram, offset),
            start: WireTime::read(datagram, offset + 4),
            previous_frame: u32_at(datagram, offset + 12),
            frame: u32_at(datagram, offset + 16),
            size: u32_at(datagram, offset + 20),
            remaining: u32_at(datagram, offset + 24),
        }
    }
}
