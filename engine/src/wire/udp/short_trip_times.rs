//! The header of small datagrams with trip-times.

use crate::wire::bytes::{put_u32, u32_at};
use crate::wire::error::require;
use crate::wire::payload::are_digits;
use crate::wire::{BaseFlags, WireError, WireTime};

/// The short header: 12 bytes at offset 16, when trip-times are asked for with datagrams of 92 to 127 bytes. No other
/// setting reaches the server, and sequence numbers are read as 32 bits.
///
/// iperf clients do not fill the start time: 2.2.1 leaves zeros there, 2.1.8 the digits of the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShortTripTimes {
    /// The flags word: [`BaseFlags::SHORT_TRIP_TIMES`], and nothing else from iperf.
    pub flags: BaseFlags,
    /// Start of the test as it was sent; ask [`Self::filled_start`] before using it.
    pub start: WireTime,
}

impl ShortTripTimes {
    /// Where the header ends in a datagram.
    pub const END: usize = 28;
    /// Smallest datagram that iperf sends with this header.
    pub const MIN_DATAGRAM: usize = 92;

    /// A header with this start time.
    #[must_use]
    pub fn starting_at(start: WireTime) -> Self {
        Self { flags: BaseFlags::SHORT_TRIP_TIMES, start }
    }

    /// The start of the test, unless the client did not fill it.
    #[must_use]
    pub fn filled_start(&self) -> Option<WireTime> {
        let mut bytes = [0; 8];
        self.start.write(&mut bytes, 0);
        (!self.start.is_zero() && !are_digits(&bytes, 20)).then_some(self.start)
    }

    pub(super) fn decode(datagram: &[u8]) -> Result<Self, WireError> {
        require("datagram with short trip-times header", datagram, Self::END)?;
        Ok(Self { flags: BaseFlags(u32_at(datagram, 16)), start: WireTime::read(datagram, 20) })
    }

    /// Writes the header into a datagram; what does not fit is dropped.
    pub fn encode_over(&self, datagram: &mut [u8]) {
        put_u32(datagram, 16, self.flags.0);
        self.start.write(datagram, 20);
    }
}
