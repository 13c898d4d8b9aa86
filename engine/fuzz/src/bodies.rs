//! What the fuzz targets do with their bytes. Each function panics when a decoder breaks its promise: it never panics
//! itself, and what it decoded encodes to the same bytes or the same meaning.

use linerate_engine::stats::{FinRepetitions, SequenceTracker};
use linerate_engine::wire::tcp::{
    Acknowledgement, BouncebackMessage, BurstHeader, FirstWord, KeyPolicy, TestHeader,
};
use linerate_engine::wire::udp::{
    DatagramHeader, DatagramPrefix, FinAnswer, FinReport, SequenceWidth,
};

/// The start of a TCP stream, read as a server and as a client would.
pub(crate) fn tcp_stream(data: &[u8]) {
    if let Some(first) = data.first_chunk::<4>() {
        for keys in [KeyPolicy::Open, KeyPolicy::KeyRequired] {
            if let FirstWord::Header { length } = FirstWord::classify(*first, keys) {
                assert!((24..=255).contains(&length));
            }
        }
    }
    if let Ok(header) = TestHeader::decode(data) {
        let mut again = Vec::new();
        header.encode_into(&mut again).expect("what was decoded can be encoded");
        assert_eq!(again, data[..header.length()]);
    }
    if let Ok(acknowledgement) = Acknowledgement::decode(data) {
        let mut again = Vec::new();
        acknowledgement.encode_into(&mut again);
        assert_eq!(Acknowledgement::decode(&again), Ok(acknowledgement));
    }
    if let Ok(message) = BouncebackMessage::decode(data) {
        let mut again = Vec::new();
        message.encode_into(&mut again);
        assert_eq!(again, data[..again.len()]);
        assert!(message.size >= 60);
    }
    if let Ok(header) = BurstHeader::decode(data) {
        let mut again = data.to_vec();
        header.encode_over(&mut again);
        assert_eq!(again, data);
    }
}

/// One datagram, read as the first of a flow.
pub(crate) fn udp_datagram(data: &[u8]) {
    let width = SequenceWidth::of_first_datagram(data);
    if let Ok(prefix) = DatagramPrefix::decode(data, width) {
        let mut again = data.to_vec();
        prefix.encode_over(&mut again);
        assert_eq!(DatagramPrefix::decode(&again, width), Ok(prefix));
    }
    let Ok(header) = DatagramHeader::decode(data) else { return };
    let mut again = data.to_vec();
    match header {
        DatagramHeader::Absent => {}
        DatagramHeader::ShortTripTimes(short) => {
            short.encode_over(&mut again);
            assert_eq!(again, data);
        }
        DatagramHeader::Test(test) => {
            test.encode_over(&mut again);
            assert_eq!(DatagramHeader::decode(&again), Ok(header));
            assert!(test.first_datagram_length(data.len()) >= data.len());
        }
    }
}

/// A datagram that came back after a FIN.
pub(crate) fn fin_answer(data: &[u8]) {
    match FinAnswer::classify(data) {
        FinAnswer::Report(report) => {
            let mut again = Vec::new();
            report.encode_into(&mut again);
            assert_eq!(FinReport::decode(&again), Ok(report));
        }
        FinAnswer::Echo { fin_number } => assert!(fin_number > 0),
        FinAnswer::Bare | FinAnswer::OldAcknowledgement | FinAnswer::Other => {}
    }
}

/// Sequence numbers, nine bytes each: a kind and a number, which may be far or near the one before.
pub(crate) fn sequence_numbers(data: &[u8]) {
    let mut tracker = SequenceTracker::new();
    let mut number = 0_u64;
    let mut before = tracker.counts();
    for step in data.chunks_exact(9) {
        let (kind, bytes) = (step[0], &step[1..]);
        let value = bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
        match kind % 4 {
            0 => number = number.saturating_add(1),
            1 => number = number.saturating_add(value % 200_000),
            2 => number = number.saturating_sub(value % 200_000),
            _ => number = value,
        }
        if kind & 0x80 == 0 {
            tracker.record(number);
        } else {
            tracker.record_fin(number, FinRepetitions { least: 0, most: u64::from(kind & 0x0f) });
        }
        let counts = tracker.counts();
        assert!(counts.received <= counts.expected);
        assert!(counts.reordered <= counts.received);
        assert!(counts.undecided <= counts.reordered);
        assert!(counts.doubtful_losses <= counts.lost());
        assert!(counts.received + counts.duplicates >= before.received + before.duplicates);
        before = counts;
    }
}
