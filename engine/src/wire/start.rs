//! The start part of a test header.

use super::WireTime;
use super::bytes::{join, put_u32, split, u32_at};

/// Start time and fair-queue rate: 16 bytes, at offset 64 of a TCP header and 112 of a datagram.
///
/// The part may be there for another feature's sake: look at the flag of a field before using it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Start {
    /// With [`UpperFlags::TRIP_TIMES`](super::UpperFlags::TRIP_TIMES) the start of the test, with
    /// [`UpperFlags::EPOCH_START`](super::UpperFlags::EPOCH_START) a scheduled one.
    pub time: WireTime,
    /// Fair-queue rate in **bytes** per second, valid with [`UpperFlags::FQ_RATE`](super::UpperFlags::FQ_RATE). Unlike
    /// the offered rate its upper word is not shifted.
    pub fq_rate_bytes_per_second: u64,
}

impl Start {
    /// Length on the wire in bytes.
    pub const LENGTH: usize = 16;

    pub(super) fn read(bytes: &[u8], offset: usize) -> Self {
        let fq_rate_bytes_per_second = join(u32_at(bytes, offset + 12), u32_at(bytes, offset + 8));
        Self { time: WireTime::read(bytes, offset), fq_rate_bytes_per_second }
    }

    pub(super) fn write(&self, bytes: &mut [u8], offset: usize) {
        let (high, low) = split(self.fq_rate_bytes_per_second);
        self.time.write(bytes, offset);
        put_u32(bytes, offset + 8, low);
        put_u32(bytes, offset + 12, high);
    }
}
