//! Bursts in a TCP stream with trip times: stamping them, and finding them again.

use std::num::NonZeroU64;

use crate::wire::WireTime;
use crate::wire::tcp::BurstHeader;

/// Stamps the bursts of a sender: numbers them from 1 and counts the stream's bytes.
#[derive(Debug, Clone)]
pub struct BurstStamper {
    start: WireTime,
    id: u32,
    sequence: u64,
}

impl BurstStamper {
    /// For a stream that started at `start` with a test header (iperf counts its bytes from 2 behind one).
    #[must_use]
    pub fn behind_test_header(start: WireTime) -> Self {
        Self { start, id: 0, sequence: 2 }
    }

    /// Writes the header of the next burst, which is all of `burst`, over its start. `written` is the time just before
    /// it is handed to the kernel.
    pub fn stamp(&mut self, burst: &mut [u8], written: WireTime) {
        let size = u32::try_from(burst.len()).unwrap_or(u32::MAX);
        self.id = self.id.wrapping_add(1);
        self.sequence = self.sequence.wrapping_add(size.into());
        let header = BurstHeader {
            start: self.start,
            written,
            period_microseconds: 0,
            id: self.id,
            size,
            sequence: self.sequence,
        };
        header.encode_over(burst);
    }
}

/// What a [`BurstReader`] needs next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Bytes to look at, as many as there are: give them to [`BurstReader::take`].
    Bytes,
    /// At most so many bytes that nobody needs to see: tell [`BurstReader::skip`] how many it were.
    Skip(NonZeroU64),
}

/// Follows the bursts of a stream and measures how long each took from its stamp to its last byte.
///
/// Bytes come in as they are read, with the time after the read. Once a header declares a burst shorter than itself the
/// stream is out of step: there is no way to find the next header, so the rest is only counted.
#[derive(Debug, Clone, Default)]
pub struct BurstReader {
    position: Position,
}

#[derive(Debug, Clone)]
enum Position {
    Header { bytes: [u8; BurstHeader::LENGTH], filled: usize },
    Body { written: WireTime, left: NonZeroU64 },
    OutOfStep,
}

impl Default for Position {
    fn default() -> Self {
        Self::Header { bytes: [0; BurstHeader::LENGTH], filled: 0 }
    }
}

impl BurstReader {
    /// A reader that expects the header of the first burst.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What to read next.
    #[must_use]
    pub fn wanted(&self) -> Wanted {
        match self.position {
            Position::Header { .. } => Wanted::Bytes,
            Position::Body { left, .. } => Wanted::Skip(left),
            Position::OutOfStep => Wanted::Skip(NonZeroU64::MAX),
        }
    }

    /// Whether a header was found that cannot be one.
    #[must_use]
    pub fn is_out_of_step(&self) -> bool {
        matches!(self.position, Position::OutOfStep)
    }

    /// Takes bytes that were read, and gives `record` the latency in nanoseconds of each burst that they complete: the time
    /// from its stamp to `now`, nanoseconds since 1970-01-01 UTC. Negative when the clocks of the ends differ.
    pub fn take(&mut self, mut bytes: &[u8], now: i64, record: &mut impl FnMut(i64)) {
        while !bytes.is_empty() {
            let used = match &mut self.position {
                Position::Header { bytes: header, filled } => {
                    let used = bytes.len().min(BurstHeader::LENGTH - *filled);
                    header[*filled..*filled + used].copy_from_slice(&bytes[..used]);
                    *filled += used;
                    used
                }
                Position::Body { left, .. } => {
                    usize::try_from(left.get()).unwrap_or(usize::MAX).min(bytes.len())
                }
                Position::OutOfStep => return,
            };
            self.advance(used as u64, now, record);
            bytes = &bytes[used..];
        }
    }

    /// Passes over `count` bytes that were read without being looked at, at most as many as [`Self::wanted`] said.
    pub fn skip(&mut self, count: u64, now: i64, record: &mut impl FnMut(i64)) {
        self.advance(count, now, record);
    }

    fn advance(&mut self, count: u64, now: i64, record: &mut impl FnMut(i64)) {
        match &self.position {
            Position::Header { bytes, filled } if *filled == BurstHeader::LENGTH => {
                let Ok(header) = BurstHeader::decode(bytes) else {
                    self.position = Position::OutOfStep;
                    return;
                };
                let left = u64::from(header.size).saturating_sub(BurstHeader::LENGTH as u64);
                self.body(header.written, left, now, record);
            }
            Position::Body { written, left } => {
                let (written, left) = (*written, left.get().saturating_sub(count));
                self.body(written, left, now, record);
            }
            Position::Header { .. } | Position::OutOfStep => {}
        }
    }

    /// `left` bytes of the burst are still to come; with none the burst is complete.
    fn body(&mut self, written: WireTime, left: u64, now: i64, record: &mut impl FnMut(i64)) {
        self.position = match NonZeroU64::new(left) {
            Some(left) => Position::Body { written, left },
            None => {
                record(now - written.nanoseconds_since_epoch());
                Position::default()
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn at(seconds: u32) -> WireTime {
        WireTime { seconds, microseconds: 0 }
    }

    /// Bursts of these sizes, the first written at second 1, the next at second 2 and so on.
    fn stream(sizes: &[usize]) -> Vec<u8> {
        let mut stamper = BurstStamper::behind_test_header(at(0));
        let mut stream = Vec::new();
        for (second, size) in (1..).zip(sizes) {
            let mut burst = vec![b'x'; *size];
            stamper.stamp(&mut burst, at(second));
            stream.extend_from_slice(&burst);
        }
        stream
    }

    #[test]
    fn stamps_count_bursts_and_bytes() {
        let bytes = stream(&[100, 200]);
        let first = BurstHeader::decode(&bytes).unwrap();
        let second = BurstHeader::decode(&bytes[100..]).unwrap();
        assert_eq!((first.id, first.size, first.sequence), (1, 100, 102));
        assert_eq!((second.id, second.size, second.sequence), (2, 200, 302));
        assert_eq!((second.start, second.written), (at(0), at(2)));
        assert_eq!(&bytes[192..200], b"xxxxxxxx");
    }

    #[test]
    fn a_burst_is_complete_with_its_last_byte() {
        let bytes = stream(&[100]);
        let (mut reader, mut latencies) = (BurstReader::new(), Vec::new());
        reader.take(&bytes[..99], 3 * SECOND, &mut |latency| latencies.push(latency));
        assert_eq!(reader.wanted(), Wanted::Skip(NonZeroU64::MIN));
        reader.skip(1, 4 * SECOND, &mut |latency| latencies.push(latency));
        assert_eq!(latencies, [3 * SECOND]);
        assert_eq!(reader.wanted(), Wanted::Bytes);
    }

    #[test]
    fn a_burst_of_only_its_header_is_legal() {
        let mut latencies = Vec::new();
        BurstReader::new().take(&stream(&[92, 92]), 0, &mut |latency| latencies.push(latency));
        assert_eq!(latencies, [-SECOND, -2 * SECOND]);
    }

    #[test]
    fn an_impossible_burst_size_puts_the_stream_out_of_step_for_good() {
        let mut bytes = stream(&[92]);
        bytes[48..52].copy_from_slice(&91_u32.to_be_bytes());
        bytes.extend(stream(&[92]));
        let (mut reader, mut latencies) = (BurstReader::new(), Vec::new());
        reader.take(&bytes, 0, &mut |latency: i64| latencies.push(latency));
        assert!(reader.is_out_of_step());
        assert_eq!(latencies, []);
        assert_eq!(reader.wanted(), Wanted::Skip(NonZeroU64::MAX));
        reader.skip(1_000, 0, &mut |latency: i64| latencies.push(latency));
        assert!(reader.is_out_of_step());
    }

    proptest! {
        #[test]
        fn bursts_are_found_however_the_stream_is_cut(
            sizes in prop::collection::vec(92_usize..400, 1..20),
            cuts in prop::collection::vec(1_usize..500, 1..20),
            skips in prop::collection::vec(any::<bool>(), 20),
        ) {
            let bytes = stream(&sizes);
            let (mut reader, mut latencies) = (BurstReader::new(), Vec::new());
            let (mut rest, mut turn) = (&bytes[..], 0);
            while !rest.is_empty() {
                let cut = cuts[turn % cuts.len()].min(rest.len());
                let used = match reader.wanted() {
                    Wanted::Skip(left) if skips[turn % skips.len()] => {
                        let used = cut.min(usize::try_from(left.get()).unwrap());
                        reader.skip(used as u64, 0, &mut |latency| latencies.push(latency));
                        used
                    }
                    _ => {
                        reader.take(&rest[..cut], 0, &mut |latency| latencies.push(latency));
                        cut
                    }
                };
                rest = &rest[used..];
                turn += 1;
            }
            let expected: Vec<i64> = (1..).zip(&sizes).map(|(second, _)| -SECOND * second).collect();
            prop_assert_eq!(latencies, expected);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
            let mut reader = BurstReader::new();
            reader.take(&bytes, 0, &mut |_| {});
        }
    }
}
