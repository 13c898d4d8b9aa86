//! Big-endian access to a fixed layout of which only a prefix may be present.
//!
//! Reading beyond the end gives zero and writing beyond the end is dropped: that is how iperf treats a header that was
//! cut. Callers check the lengths that matter first and return a typed error for them.

/// The byte pair at `offset`, zero where `bytes` has ended.
pub(super) fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    u16::from_be_bytes(array_at(bytes, offset))
}

/// The word at `offset`, zero where `bytes` has ended.
pub(super) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_be_bytes(array_at(bytes, offset))
}

/// The word at `offset` in two's complement.
pub(super) fn i32_at(bytes: &[u8], offset: usize) -> i32 {
    i32::from_be_bytes(array_at(bytes, offset))
}

/// A 64-bit number from its two halves.
pub(super) fn join(high: u32, low: u32) -> u64 {
    (u64::from(high) << 32) | u64::from(low)
}

/// The halves of a 64-bit number: high, low.
#[expect(
    clippy::cast_possible_truncation,
    reason = "both halves are exactly the bits that are wanted"
)]
pub(super) fn split(value: u64) -> (u32, u32) {
    ((value >> 32) as u32, value as u32)
}

/// Writes as many bytes of `value` as fit behind `offset`.
pub(super) fn put(bytes: &mut [u8], offset: usize, value: &[u8]) {
    for (place, byte) in bytes.iter_mut().skip(offset).zip(value) {
        *place = *byte;
    }
}

/// Writes a byte pair.
pub(super) fn put_u16(bytes: &mut [u8], offset: usize, value: u16) {
    put(bytes, offset, &value.to_be_bytes());
}

/// Writes a word.
pub(super) fn put_u32(bytes: &mut [u8], offset: usize, value: u32) {
    put(bytes, offset, &value.to_be_bytes());
}

/// Writes a word in two's complement.
pub(super) fn put_i32(bytes: &mut [u8], offset: usize, value: i32) {
    put(bytes, offset, &value.to_be_bytes());
}

fn array_at<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let mut array = [0; N];
    for (place, byte) in array.iter_mut().zip(bytes.iter().skip(offset)) {
        *place = *byte;
    }
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_cut_reads_as_zero_behind_the_cut() {
        assert_eq!(u32_at(&[1, 2, 3], 1), 0x0203_0000);
        assert_eq!(u32_at(&[], usize::MAX), 0);
    }

    #[test]
    fn writing_behind_the_end_is_dropped() {
        let mut bytes = [0; 3];
        put_u32(&mut bytes, 2, 0x0102_0304);
        put_u32(&mut bytes, usize::MAX, 7);
        assert_eq!(bytes, [0, 0, 1]);
    }

    #[test]
    fn halves_join_to_the_number_they_came_from() {
        assert_eq!(split(0x0000_0001_0000_0006), (1, 6));
        assert_eq!(join(1, 6), 0x0000_0001_0000_0006);
    }
}
