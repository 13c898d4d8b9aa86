//! The bytes that carry no meaning.

/// Fills a write buffer or a datagram with the digits that iperf sends: byte *n* is `'0' + n mod 10`.
///
/// On TCP the index starts again with each write buffer; on UDP it is the offset in the datagram, headers included.
pub fn fill_digits(buffer: &mut [u8]) {
    for (byte, digit) in buffer.iter_mut().zip((b'0'..=b'9').cycle()) {
        *byte = digit;
    }
}

/// The byte that iperf puts at `offset` of a buffer or datagram.
#[must_use]
pub fn digit_at(offset: usize) -> u8 {
    b"0123456789"[offset % 10]
}

/// All bytes follow the digits, where `bytes[0]` stands at `offset` of its buffer or datagram.
#[must_use]
pub fn are_digits(bytes: &[u8], offset: usize) -> bool {
    bytes.iter().enumerate().all(|(index, byte)| *byte == digit_at(offset.wrapping_add(index)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_repeat_every_ten_bytes() {
        let mut buffer = [0; 26];
        fill_digits(&mut buffer);
        assert_eq!(&buffer, b"01234567890123456789012345");
        assert_eq!(digit_at(16), b'6');
        assert!(are_digits(&buffer[16..], 16));
        assert!(!are_digits(&buffer[16..], 17));
    }
}
