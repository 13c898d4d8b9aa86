//! What a TCP server says to a client: whether it may use the server, and what it gets to read first.

use super::tcp_stamps::Stamps;
use crate::error::EngineError;
use crate::wire::tcp::{AckTimes, Acknowledgement, PermitKey, TestHeader};
use crate::wire::{
    BaseFlags, Extension, LowerFlags, Start, TestBase, Threads, UpperFlags, WireTime,
};

/// Whether a client may use the server: `offered` is the key behind its header.
///
/// A key that nobody asked for is refused, too, as iperf does.
///
/// # Errors
/// [`EngineError::KeyRefused`].
pub fn check_key(expected: Option<&PermitKey>, offered: Option<&[u8]>) -> Result<(), EngineError> {
    match (expected, offered) {
        (None, None) => Ok(()),
        (Some(expected), Some(offered)) if expected.matches(offered) => Ok(()),
        _ => Err(EngineError::KeyRefused),
    }
}

/// The acknowledgement for a client, if its header wants one; with times when `stamps` are accepted.
///
/// `received` is when the header had come. (iperf takes the time of the accept, which may lie before the header was sent and
/// makes the client's check of the clocks worthless.)
#[must_use]
pub fn acknowledgement(
    header: &TestHeader,
    stamps: Stamps,
    received: WireTime,
    now: WireTime,
) -> Option<Vec<u8>> {
    if !header.wants_acknowledgement() {
        return None;
    }
    let times = header.start.filter(|_| stamps == Stamps::Present).map(|start| AckTimes {
        sent: start.time,
        received,
        acknowledged: now,
    });
    let mut bytes = Vec::new();
    Acknowledgement::of_this_version(times).encode_into(&mut bytes);
    Some(bytes)
}

/// The header that a server sends in front of stamped bursts: the client's, turned around.
///
/// # Errors
/// When it cannot be encoded, which a header that was decoded always can.
pub fn reply_header(header: &TestHeader, now: WireTime) -> Result<Vec<u8>, EngineError> {
    let asked = header.extension.unwrap_or_default();
    let dropped = UpperFlags::REVERSE | UpperFlags::FQ_RATE;
    let reply = TestHeader {
        base: TestBase {
            flags: BaseFlags::EXTEND | BaseFlags::LENGTH,
            threads: Threads::of_streams(1),
            ..header.base
        },
        extension: Some(Extension {
            upper: asked.upper.without(dropped),
            lower: LowerFlags::default(),
            tos: asked.tos,
            ..Extension::of_this_version()
        }),
        start: Some(Start { time: now, fq_rate_bytes_per_second: 0 }),
        ..TestHeader::default()
    };
    let mut bytes = Vec::new();
    reply
        .encode_into(&mut bytes)
        .map_err(|error| EngineError::Protocol { reason: error.to_string() })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header from words in hex.
    fn header(words: &str) -> TestHeader {
        let bytes: Vec<u8> = words
            .split_whitespace()
            .flat_map(|word| u32::from_str_radix(word, 16).unwrap().to_be_bytes())
            .collect();
        TestHeader::decode(&bytes).unwrap()
    }

    const PLAIN_2_1: &str = "40010078 00000002 00001389 00000000 00000000 ffffff9c 00000000 00000000 \
         00000000 00020001 00080003 000000b8 00000000 00000000 00000000";
    const TRIP_TIMES: &str = "400100a0 00000001 00001389 00002710 00000000 ffffff9c 00000000 00000000 \
         00100000 00020001 00080003 00000000 01312d00 00000000 00000000 00000000 \
         6b0de3f3 00043b95 00000000 00000000";
    const REVERSE: &str = "44010078 00000001 00001389 00002710 00000000 000f4240 00000000 00000000 \
         04000000 00020001 00080003 00000000 00000000 00000000 00000000";

    #[test]
    fn the_acknowledgement_has_times_only_when_trip_times_are_accepted() {
        let (received, now) =
            (WireTime { seconds: 7, microseconds: 1 }, WireTime { seconds: 7, microseconds: 2 });
        let answer = |words, stamps| acknowledgement(&header(words), stamps, received, now);
        assert_eq!(answer(PLAIN_2_1, Stamps::Absent).map(|bytes| bytes.len()), Some(28));
        assert_eq!(answer(TRIP_TIMES, Stamps::Absent).map(|bytes| bytes.len()), Some(28));
        let bytes = answer(TRIP_TIMES, Stamps::Present).unwrap();
        let times = Acknowledgement::decode(&bytes).unwrap().times.unwrap();
        let sent = WireTime { seconds: 0x6b0d_e3f3, microseconds: 0x0004_3b95 };
        assert_eq!(times, AckTimes { sent, received, acknowledged: now });
        assert_eq!(answer(REVERSE, Stamps::Absent), None);
    }

    #[test]
    fn a_key_must_be_asked_for_and_be_the_right_one() {
        let key = PermitKey::new(b"ABCDEFGH").unwrap();
        assert_eq!(check_key(None, None), Ok(()));
        assert_eq!(check_key(Some(&key), Some(b"ABCDEFGH")), Ok(()));
        assert_eq!(check_key(Some(&key), Some(b"ABCDEFGX")), Err(EngineError::KeyRefused));
        assert_eq!(check_key(Some(&key), None), Err(EngineError::KeyRefused));
        assert_eq!(check_key(None, Some(b"ABCDEFGH")), Err(EngineError::KeyRefused));
    }

    // iperf 2.1.8 answers the same request with these bytes but for its version and the time (protocol page, 7.78).
    #[test]
    fn the_header_in_front_of_stamped_bursts_turns_the_request_around() {
        let request = header(
            "440100a0 00000001 00001389 00002710 00000000 ffffff9c 00000000 00000000 \
             04100000 00020001 00080003 00000000 01312d00 00000000 00000000 00000000 \
             6b0de3f6 0000c5e3 00000000 00000000",
        );
        let now = WireTime { seconds: 0x6b0d_e3f6, microseconds: 0xc6ac };
        let expected = header(
            "400100a0 00000001 00001389 00002710 00000000 ffffff9c 00000000 00000000 \
             00100000 00020002 00010003 00000000 00000000 00000000 00000000 00000000 \
             6b0de3f6 0000c6ac 00000000 00000000",
        );
        let reply = reply_header(&request, now).unwrap();
        assert_eq!(reply.len(), 80);
        assert_eq!(TestHeader::decode(&reply).unwrap(), expected);
    }
}
