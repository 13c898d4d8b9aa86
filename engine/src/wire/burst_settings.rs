//! The settings of bursts and isochronous frames in a test header.

use super::FixedPoint;

/// Settings of periodic bursts or isochronous frames: 32 bytes, at offset 80 of a TCP header and 128 of a datagram.
///
/// A TCP header for periodic bursts without trip-times is cut after the first 16 bytes (2.1: 12); the rest reads as zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BurstSettings {
    /// Isochronous: frames per second. Periodic bursts: 1 / period.
    pub frames_per_second: FixedPoint,
    /// Isochronous: mean rate in bit/s. Periodic bursts: size of a burst in bytes.
    pub mean: FixedPoint,
    /// Isochronous: standard deviation of the rate in bit/s.
    pub deviation: FixedPoint,
    /// UDP: gap between the datagrams of a frame in milliseconds.
    pub gap_milliseconds: FixedPoint,
}

impl BurstSettings {
    /// Length on the wire in bytes, when it is not cut.
    pub const LENGTH: usize = 32;

    pub(super) fn read(bytes: &[u8], offset: usize) -> Self {
        Self {
            frames_per_second: FixedPoint::read(bytes, offset),
            mean: FixedPoint::read(bytes, offset + 8),
            deviation: FixedPoint::read(bytes, offset + 16),
            gap_milliseconds: FixedPoint::read(bytes, offset + 24),
        }
    }

    pub(super) fn write(&self, bytes: &mut [u8], offset: usize) {
        self.frames_per_second.write(bytes, offset);
        self.mean.write(bytes, offset + 8);
        self.deviation.write(bytes, offset + 16);
        self.gap_milliseconds.write(bytes, offset + 24);
    }
}
