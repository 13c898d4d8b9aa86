//! The header of small datagrams with trip-times.

use crate::wire::bytes::{put_u16, u16_at};
use crate::wire::error::require;
use crate::wire::payload::are_digits;
use crate::wire::{WireError, WireTime};

/// The short header: 12 bytes at offset 16, when trip-times are asked for with datagrams of 92 to 127 bytes. No other
/// setting reaches the server, and sequence numbers are read as 32 bits.
///
/// iperf clients do not fill the start time: 2.2.1 leaves zeros there, 2.1.8 the digits of the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ShortTripTimes {
    /// The second half of the flags word, 0.
    pub lower_flags: u16,
    /// Start of the test as it was sent; ask [`Self::filled_start`] before using it.
    pub start: WireTime,
}

impl ShortTripTimes {
    /// Where the header ends in a datagram.
    pub const END: usize = 28;
    /// Smallest datagram that iperf sends with this header.
    pub const MIN_DATAGRAM: usize = 92;

    const MARK: u16 = 0x0002;

    /// The start of the test, unless the client did not fill it.
    #[must_use]
    pub fn filled_start(&self) -> Option<WireTime> {
        let mut bytes = [0; 8];
        self.start.write(&mut bytes, 0);
        (!self.start.is_zero() && !are_digits(&bytes, 20)).then_some(self.start)
    }

    pub(super) fn decode(datagram: &[u8]) -> Result<Self, WireError> {
        require("datagram with short trip-times header", datagram, Self::END)?;
        Ok(Self { lower_flags: u16_at(datagram, 18), start: WireTime::read(datagram, 20) })
    }

    /// Writes the header into a datagram; what does not fit is dropped.
    pub fn encode_over(&self, datagram: &mut [u8]) {
        put_u16(datagram, 16, Self::MARK);
        put_u16(datagram, 18, self.lower_flags);
        self.start.write(datagram, 20);
    }
}
