//! The first 16 bytes of every datagram.

use crate::wire::bytes::{i32_at, join, put_u32, split, u32_at};
use crate::wire::error::require;
use crate::wire::{BaseFlags, WireError, WireTime};

/// Sequence number and send time: the first 16 bytes of every datagram of a flow.
///
/// Data is numbered from 1. The end of a flow is a datagram with the negated next number (after 91 datagrams: −92), and
/// each repetition of it is one more negative. See [`Self::fin_number`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DatagramPrefix {
    /// Sequence number; negative in a FIN.
    pub sequence: i64,
    /// Sender's clock just before the datagram was written. A repeated FIN keeps the time of the first.
    pub sent: WireTime,
}

/// How wide the sequence numbers of a flow are. Decided once, from the first datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SequenceWidth {
    /// Only the word at offset 0 counts, signed.
    #[default]
    Bits32,
    /// Both words count.
    Bits64,
}

impl SequenceWidth {
    /// What the header of a flow's first datagram says: 64 bits if its flag is set, else 32. A datagram without header
    /// is read as 32 bits, like iperf does; senders write both words, so both readings agree below 2³¹.
    #[must_use]
    pub fn of_first_datagram(datagram: &[u8]) -> Self {
        let flags = BaseFlags(u32_at(datagram, DatagramPrefix::LENGTH));
        if flags.contains(BaseFlags::SEQUENCE_64) { Self::Bits64 } else { Self::Bits32 }
    }
}

impl DatagramPrefix {
    /// Length on the wire in bytes.
    pub const LENGTH: usize = 16;

    /// The end marker of a flow: `number` is one more than that of the last datagram, and one more for each repetition.
    #[must_use]
    pub fn fin(number: u64, sent: WireTime) -> Self {
        Self { sequence: i64::try_from(number).map_or(i64::MIN, |number| -number), sent }
    }

    /// This datagram ends the flow.
    #[must_use]
    pub fn is_fin(&self) -> bool {
        self.sequence < 0
    }

    /// The number of a FIN without its sign.
    #[must_use]
    pub fn fin_number(&self) -> Option<u64> {
        self.is_fin().then(|| self.sequence.unsigned_abs())
    }

    /// Reads the start of a datagram.
    ///
    /// # Errors
    /// [`WireError::TooShort`] below 16 bytes.
    pub fn decode(datagram: &[u8], width: SequenceWidth) -> Result<Self, WireError> {
        require("datagram", datagram, Self::LENGTH)?;
        let low = u32_at(datagram, 0);
        let sequence = match width {
            SequenceWidth::Bits32 => i64::from(i32_at(datagram, 0)),
            SequenceWidth::Bits64 => join(u32_at(datagram, 12), low).cast_signed(),
        };
        Ok(Self { sequence, sent: WireTime::read(datagram, 4) })
    }

    /// Writes the prefix over the start of a datagram, always with both words of the number. What does not fit into the
    /// datagram is dropped.
    pub fn encode_over(&self, datagram: &mut [u8]) {
        let (high, low) = split(self.sequence.cast_unsigned());
        put_u32(datagram, 0, low);
        self.sent.write(datagram, 4);
        put_u32(datagram, 12, high);
    }

    /// Appends the prefix to `out`.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; Self::LENGTH];
        self.encode_over(&mut bytes);
        out.extend_from_slice(&bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fin_is_negative_in_both_widths() {
        let mut bytes = Vec::new();
        DatagramPrefix::fin(92, WireTime::default()).encode_into(&mut bytes);
        assert_eq!(bytes[..4], [0xff, 0xff, 0xff, 0xa4]);
        assert_eq!(bytes[12..], [0xff; 4]);
        for width in [SequenceWidth::Bits32, SequenceWidth::Bits64] {
            assert_eq!(DatagramPrefix::decode(&bytes, width).unwrap().fin_number(), Some(92));
        }
    }

    #[test]
    fn numbers_beyond_32_bits_need_the_wide_reading() {
        let mut bytes = Vec::new();
        DatagramPrefix { sequence: 4_294_967_306, sent: WireTime::default() }
            .encode_into(&mut bytes);
        let sequence = |width| DatagramPrefix::decode(&bytes, width).unwrap().sequence;
        assert_eq!(sequence(SequenceWidth::Bits64), 4_294_967_306);
        assert_eq!(sequence(SequenceWidth::Bits32), 10);
    }

    #[test]
    fn a_datagram_of_15_bytes_is_too_short() {
        let error = DatagramPrefix::decode(&[0; 15], SequenceWidth::Bits32).unwrap_err();
        assert_eq!(error, WireError::TooShort { what: "datagram", got: 15, need: 16 });
    }
}
