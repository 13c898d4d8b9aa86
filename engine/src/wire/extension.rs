//! The extension of a test header.

use super::bytes::{put_u16, put_u32, u16_at, u32_at};
use super::{Layout, LowerFlags, Rate, UpperFlags, Version};

/// The extension: settings that the base has no room for. 40 bytes in 2.2, 36 in 2.1; behind the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Extension {
    /// Type word, 0 in a request.
    pub message_type: u32,
    /// Length word, 0 in a request.
    pub message_length: u32,
    /// Settings.
    pub upper: UpperFlags,
    /// More settings, 2.2 only.
    pub lower: LowerFlags,
    /// Version of the sender of the header.
    pub version: Version,
    /// 0.
    pub reserved: u16,
    /// The TOS byte (DSCP and ECN) in the low 8 bits.
    pub tos: u16,
    /// Offered rate, zero when none was chosen (TCP).
    pub rate: Rate,
    /// TCP: low-water mark of unsent bytes, valid with [`UpperFlags::WRITE_PREFETCH`].
    pub write_prefetch: u32,
    /// TCP, 2.2 only: microseconds that the stream waited for its siblings, valid with [`LowerFlags::BARRIER_TIME`].
    pub barrier_wait_microseconds: u32,
}

impl Extension {
    /// An extension that says which version this engine speaks and nothing else.
    #[must_use]
    pub fn of_this_version() -> Self {
        Self { version: Version::V2_2_1, ..Self::default() }
    }

    /// Length on the wire in bytes.
    #[must_use]
    pub fn length(layout: Layout) -> usize {
        layout.extended_length() - super::TestBase::LENGTH
    }

    /// Reads all fields but the barrier wait, which only 2.2 has.
    pub(super) fn read(bytes: &[u8], offset: usize) -> Self {
        Self {
            message_type: u32_at(bytes, offset),
            message_length: u32_at(bytes, offset + 4),
            upper: UpperFlags(u16_at(bytes, offset + 8)),
            lower: LowerFlags(u16_at(bytes, offset + 10)),
            version: Version::read(bytes, offset + 12),
            reserved: u16_at(bytes, offset + 20),
            tos: u16_at(bytes, offset + 22),
            rate: Rate::read(bytes, offset + 24),
            write_prefetch: u32_at(bytes, offset + 32),
            barrier_wait_microseconds: 0,
        }
    }

    /// Reads all fields, the barrier wait included.
    pub(super) fn read_with_barrier(bytes: &[u8], offset: usize) -> Self {
        Self { barrier_wait_microseconds: u32_at(bytes, offset + 36), ..Self::read(bytes, offset) }
    }

    /// Writes all fields but the barrier wait.
    pub(super) fn write(&self, bytes: &mut [u8], offset: usize) {
        put_u32(bytes, offset, self.message_type);
        put_u32(bytes, offset + 4, self.message_length);
        put_u16(bytes, offset + 8, self.upper.0);
        put_u16(bytes, offset + 10, self.lower.0);
        self.version.write(bytes, offset + 12);
        put_u16(bytes, offset + 20, self.reserved);
        put_u16(bytes, offset + 22, self.tos);
        self.rate.write(bytes, offset + 24);
        put_u32(bytes, offset + 32, self.write_prefetch);
    }

    /// Writes all fields.
    pub(super) fn write_with_barrier(&self, bytes: &mut [u8], offset: usize) {
        self.write(bytes, offset);
        put_u32(bytes, offset + 36, self.barrier_wait_microseconds);
    }
}
