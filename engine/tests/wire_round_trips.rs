//! Encoding and decoding are inverse for each header, and each shorter prefix is an error or a defined short form.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use linerate_engine::wire::tcp::{
    AckTimes, Acknowledgement, BouncebackFlags, BouncebackMessage, BurstHeader, CongestionControl,
    Extent, PermitKey, TestHeader,
};
use linerate_engine::wire::udp::{
    self, DatagramHeader, DatagramPrefix, FinReport, IsochronousBlock, LatencyFigures,
    SequenceWidth, ShortTripTimes,
};
use linerate_engine::wire::{
    Amount, BaseFlags, BurstSettings, Extension, FixedPoint, Layout, LowerFlags, Rate, SignedTime,
    Start, TestBase, Threads, UpperFlags, Version, WireError, WireTime,
};
use proptest::prelude::*;

fn layouts() -> impl Strategy<Value = Layout> {
    prop_oneof![Just(Layout::V2_1), Just(Layout::V2_2)]
}

prop_compose! {
    fn times()(seconds: u32, microseconds: u32) -> WireTime {
        WireTime { seconds, microseconds }
    }
}

prop_compose! {
    fn signed_times()(seconds: i32, microseconds: i32) -> SignedTime {
        SignedTime { seconds, microseconds }
    }
}

prop_compose! {
    fn fixed_points()(integer: u32, millionths: u32) -> FixedPoint {
        FixedPoint { integer, millionths }
    }
}

prop_compose! {
    fn bases()(threads: u32, port: u32, buffer_length: u32, window: u32, amount: i32) -> TestBase {
        let flags = BaseFlags::EXTEND | BaseFlags::LENGTH;
        let (threads, amount) = (Threads(threads), Amount(amount));
        TestBase { flags, threads, port, buffer_length, window, amount }
    }
}

prop_compose! {
    fn extensions()(
        words: [u32; 4],
        upper: u16,
        lower in any::<u16>().prop_map(|lower| LowerFlags(lower).without(LowerFlags::CONGESTION_CONTROL)),
        reserved: u16,
        tos: u16,
        rate: (u32, u32),
    ) -> Extension {
        Extension {
            message_type: words[0],
            message_length: words[1],
            upper: UpperFlags(upper),
            lower,
            version: Version::V2_2_1,
            reserved,
            tos,
            rate: Rate { low: rate.0, high: rate.1 },
            write_prefetch: words[2],
            barrier_wait_microseconds: words[3],
        }
    }
}

prop_compose! {
    /// Never all zero: a part that is zero and not announced counts as absent.
    fn starts()(seconds in 1_u32.., microseconds: u32, fq_rate_bytes_per_second: u64) -> Start {
        Start { time: WireTime { seconds, microseconds }, fq_rate_bytes_per_second }
    }
}

prop_compose! {
    /// Never all zero, for the same reason.
    fn settings()(
        frames in 1_u32..,
        millionths: u32,
        mean in fixed_points(),
        deviation in fixed_points(),
        gap_milliseconds in fixed_points(),
    ) -> BurstSettings {
        let frames_per_second = FixedPoint { integer: frames, millionths };
        BurstSettings { frames_per_second, mean, deviation, gap_milliseconds }
    }
}

prop_compose! {
    fn tcp_headers()(
        base in bases(),
        mut extension in extensions(),
        layout in layouts(),
        start in prop::option::of(starts()),
        settings in prop::option::of(settings()),
        name in prop::option::of("[a-z]{1,31}"),
        key in prop::option::of(prop::collection::vec(any::<u8>(), 4..=127)),
    ) -> (TestHeader, Option<PermitKey>) {
        if layout == Layout::V2_1 {
            extension.version = Version::V2_1_8;
            extension.barrier_wait_microseconds = 0;
        }
        // A header with a name is never cut; without start part its settings would be.
        let cut = settings.is_some() && start.is_none() && name.is_none();
        let settings = settings.map(|settings| if cut { cut_as(layout, settings) } else { settings });
        let extent = Extent::ByRule(layout);
        let mut header = TestHeader {
            base, extension: Some(extension), start, settings, extent, ..TestHeader::default()
        };
        if let Some(name) = name {
            header = header.with_congestion_control(CongestionControl::new(&name).unwrap());
        }
        let key = key.map(|key| PermitKey::new(&key).unwrap());
        if let Some(key) = &key {
            header = header.with_permit_key(key);
        }
        (header, key)
    }
}

/// What remains of settings whose second half is not sent: 16 bytes in 2.2, 12 in 2.1.
fn cut_as(layout: Layout, settings: BurstSettings) -> BurstSettings {
    let kept = BurstSettings {
        deviation: FixedPoint::default(),
        gap_milliseconds: FixedPoint::default(),
        ..settings
    };
    match layout {
        Layout::V2_1 => BurstSettings { mean: FixedPoint { millionths: 0, ..kept.mean }, ..kept },
        Layout::V2_2 => kept,
    }
}

proptest! {
    #[test]
    fn tcp_test_header_survives_the_wire((header, key) in tcp_headers()) {
        let mut bytes = Vec::new();
        match &key {
            Some(key) => header.encode_with_key_into(key, &mut bytes).unwrap(),
            None => header.encode_into(&mut bytes).unwrap(),
        }
        let decoded = TestHeader::decode(&bytes).unwrap();
        prop_assert_eq!(&decoded, &header);
        prop_assert_eq!(&bytes[decoded.length()..], key.as_ref().map_or(&[][..], PermitKey::as_bytes));
        for length in 0..header.length() {
            prop_assert!(TestHeader::decode(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn tcp_header_of_any_length_keeps_every_byte(
        length in 24_usize..=255,
        noise in prop::collection::vec(any::<u8>(), 255),
    ) {
        let mut bytes = noise;
        bytes.truncate(length);
        let flags = 0x4001_0000 | u32::try_from(length).unwrap() << 1;
        bytes[..4].copy_from_slice(&flags.to_be_bytes());
        if length > 34 {
            bytes[34] &= 0x7f;
        }
        let header = TestHeader::decode(&bytes).unwrap();
        let mut again = Vec::new();
        header.encode_into(&mut again).unwrap();
        prop_assert_eq!(again, bytes);
    }

    #[test]
    fn acknowledgement_survives_the_wire(
        flags: u32,
        version: (u32, u32),
        reserved: [u32; 2],
        times in prop::option::of((times(), times(), times())),
    ) {
        let version = Version { high: version.0, low: version.1 };
        let times = times.map(|(sent, received, acknowledged)| AckTimes { sent, received, acknowledged });
        let acknowledgement = Acknowledgement { flags, version, reserved, times };
        let mut bytes = Vec::new();
        acknowledgement.encode_into(&mut bytes);
        prop_assert_eq!(Acknowledgement::decode(&bytes), Ok(acknowledgement));
        for length in 0..bytes.len() {
            prop_assert!(Acknowledgement::decode(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn burst_header_survives_the_wire(
        start in times(), written in times(), period_microseconds: u32, id: u32, size in 92_u32.., sequence: u64,
    ) {
        let header = BurstHeader { start, written, period_microseconds, id, size, sequence };
        let mut bytes = Vec::new();
        header.encode_into(&mut bytes);
        prop_assert_eq!(BurstHeader::decode(&bytes), Ok(header));
        for length in 0..bytes.len() {
            prop_assert!(BurstHeader::decode(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn bounceback_message_survives_the_wire(
        id: u32,
        size in 60_u32..,
        sent in times(),
        server in (times(), times()),
        settings: u16,
        words: (u16, u32, u32, u32),
        client_read in times(),
        reply_size in prop::option::of(any::<u32>()),
    ) {
        let message = BouncebackMessage {
            settings: BouncebackFlags(settings),
            tos: words.0,
            runtime: words.1,
            server_received: server.0,
            server_sent: server.1,
            hold_microseconds: words.2,
            round_trip: words.3,
            client_read,
            reply_size,
            ..BouncebackMessage::request(id, size, sent)
        };
        let mut bytes = Vec::new();
        message.encode_into(&mut bytes);
        prop_assert_eq!(BouncebackMessage::decode(&bytes), Ok(message));
        for length in 0..bytes.len() {
            let short = BouncebackMessage::decode(&bytes[..length]);
            if length < BouncebackMessage::LENGTH_2_1 {
                prop_assert!(short.is_err());
            } else {
                prop_assert_eq!(short, Ok(BouncebackMessage { reply_size: None, ..message }));
            }
        }
    }

    #[test]
    fn datagram_prefix_survives_the_wire(sequence: i64, sent in times(), length in 16_usize..64) {
        let prefix = DatagramPrefix { sequence, sent };
        let mut datagram = vec![0; length];
        prefix.encode_over(&mut datagram);
        prop_assert_eq!(DatagramPrefix::decode(&datagram, SequenceWidth::Bits64), Ok(prefix));
        let narrow = DatagramPrefix::decode(&datagram, SequenceWidth::Bits32).unwrap();
        if i32::try_from(sequence).is_ok() {
            prop_assert_eq!(narrow, prefix);
        }
        for length in 0..DatagramPrefix::LENGTH {
            prop_assert!(DatagramPrefix::decode(&datagram[..length], SequenceWidth::Bits64).is_err());
        }
    }

    #[test]
    fn udp_test_header_survives_the_wire(
        base in bases(),
        mut extension in extensions(),
        layout in layouts(),
        block in prop::option::of((1_u32.., times(), any::<[u32; 4]>())),
        start in prop::option::of(starts()),
        settings in prop::option::of(settings()),
    ) {
        if layout == Layout::V2_1 {
            extension.version = Version::V2_1_8;
            extension.barrier_wait_microseconds = 0;
        }
        let isochronous = block.map(|(period_microseconds, start, [previous_frame, frame, size, remaining])| {
            IsochronousBlock { period_microseconds, start, previous_frame, frame, size, remaining }
        });
        // Announced parts are present even when they are zero, so flags and parts have to agree.
        extension.upper = extension.upper.without(UpperFlags(0x1251));
        let extension = Some(extension);
        let header = udp::TestHeader { layout, base, extension, isochronous, start, settings, ..Default::default() }
            .with_derived_words();
        let mut datagram = vec![0xee; 200];
        header.encode_over(&mut datagram);
        prop_assert_eq!(DatagramHeader::decode(&datagram), Ok(DatagramHeader::Test(header)));
        prop_assert!(datagram[..16].iter().chain(&datagram[160..]).all(|byte| *byte == 0xee));
        for length in 0..datagram.len() {
            check_cut_udp_header(&datagram[..length], &header)?;
        }
    }

    #[test]
    fn short_trip_times_header_survives_the_wire(other_flags in 0_u32..0x0800, start in times()) {
        let mut header = ShortTripTimes::starting_at(start);
        header.flags = header.flags | BaseFlags(other_flags);
        let mut datagram = vec![0; 92];
        header.encode_over(&mut datagram);
        prop_assert_eq!(DatagramHeader::decode(&datagram), Ok(DatagramHeader::ShortTripTimes(header)));
        for length in 20..ShortTripTimes::END {
            prop_assert!(DatagramHeader::decode(&datagram[..length]).is_err());
        }
    }

    #[test]
    fn server_report_survives_the_wire(
        counters: [u64; 4],
        duration in times(),
        jitter in times(),
        latency in prop::option::of((any::<[u32; 4]>(), any::<i32>(), prop::collection::vec(signed_times(), 5))),
    ) {
        let latency = latency.map(|(words, packets_per_second, times)| LatencyFigures {
            min: times[0],
            max: times[1],
            sum: times[2],
            mean: times[3],
            m2: words[0],
            m2_millionths: words[1],
            last_deviation: times[4],
            count: words[2],
            packets_per_second,
            interval_sum: words[3],
        });
        let [bytes, lost, out_of_order, datagrams] = counters;
        let flags = BaseFlags::VERSION1 | BaseFlags::SEQUENCE_64;
        let mut report = FinReport { flags, bytes, duration, lost, out_of_order, datagrams, jitter, latency };
        if report.latency.is_none() {
            // The short form has no room for the upper halves.
            report.lost &= 0xffff_ffff;
            report.out_of_order &= 0xffff_ffff;
            report.datagrams &= 0xffff_ffff;
        }
        let mut wire = Vec::new();
        report.encode_into(&mut wire);
        prop_assert_eq!(FinReport::decode(&wire), Ok(report));
        for length in 0..wire.len() {
            prop_assert_eq!(FinReport::decode(&wire[..length]).is_ok(), length >= FinReport::SHORT_LENGTH);
        }
    }

    #[test]
    fn rates_and_amounts_survive_their_words(rate in 0..=Rate::MAX_BITS_PER_SECOND, bytes in 1..=i32::MAX) {
        prop_assert_eq!(Rate::from_bits_per_second(rate).bits_per_second(), rate);
        prop_assert_eq!(Amount::from_bytes(u64::from(bytes.unsigned_abs())), Amount(bytes));
    }
}

/// A datagram cut inside base or extension is an error; behind them, parts are missing or end in zeros.
fn check_cut_udp_header(cut: &[u8], header: &udp::TestHeader) -> Result<(), TestCaseError> {
    let decoded = DatagramHeader::decode(cut);
    let needed = 16 + header.layout.extended_length();
    if cut.len() < 20 {
        let absent = cut.len() >= 16;
        prop_assert_eq!(decoded.is_ok(), absent);
    } else if cut.len() < needed {
        let too_short = matches!(decoded, Err(WireError::TooShort { .. }));
        prop_assert!(too_short);
    } else {
        let decoded = *decoded.unwrap().test().unwrap();
        prop_assert_eq!((decoded.base, decoded.extension), (header.base, header.extension));
    }
    Ok(())
}

#[test]
fn permit_key_flag_without_key_is_refused() {
    let mut header = TestHeader::request();
    header.base.flags = header.base.flags | BaseFlags::KEY_CHECK;
    assert!(matches!(header.encode_into(&mut Vec::new()), Err(WireError::Invalid { .. })));
}

#[test]
fn a_name_that_reaches_beyond_the_header_is_refused() {
    let mut bytes = Vec::new();
    let name = CongestionControl::new("cubic").unwrap();
    TestHeader::request().with_congestion_control(name).encode_into(&mut bytes).unwrap();
    bytes[113] = 6;
    let error = TestHeader::decode(&bytes).unwrap_err();
    assert_eq!(
        error,
        WireError::Invalid { what: "length of the congestion control name", value: 6 }
    );
}

#[test]
fn a_header_of_more_than_255_bytes_is_refused() {
    let header = TestHeader { unknown: vec![0; 144], ..TestHeader::request() };
    let error = header.encode_into(&mut Vec::new()).unwrap_err();
    assert_eq!(error, WireError::TooLong { what: "test header", length: 256, limit: 255 });
}

#[test]
fn the_old_header_of_24_bytes_asks_for_a_connection_back() {
    let mut bytes = [0; 24];
    bytes[0] = 0x80;
    bytes[23] = 1;
    let header = TestHeader::decode(&bytes).unwrap();
    assert_eq!((header.base.flags, header.extension), (BaseFlags::VERSION1, None));
    assert!(!header.wants_acknowledgement());
    let mut again = Vec::new();
    header.encode_into(&mut again).unwrap();
    assert_eq!(again, bytes);
}

#[test]
fn an_extended_header_that_declares_24_bytes_has_no_extension() {
    let mut bytes = [0; 24];
    bytes[..4].copy_from_slice(&0x4001_0030_u32.to_be_bytes());
    let header = TestHeader::decode(&bytes).unwrap();
    assert_eq!(header.extension, None);
    assert!(header.wants_acknowledgement());
}

#[test]
fn declared_lengths_follow_the_sum_of_the_parts() {
    let length = |layout, start: bool, settings: bool, name: bool| {
        let mut header = TestHeader { extent: Extent::ByRule(layout), ..TestHeader::request() };
        header.start = start.then(Start::default);
        header.settings = settings.then(BurstSettings::default);
        if name {
            header = header.with_congestion_control(CongestionControl::new("cubic").unwrap());
        }
        header.length()
    };
    let of_2_2 = [
        (false, false, false),
        (true, false, false),
        (false, true, false),
        (true, true, false),
        (false, false, true),
    ]
    .map(|(start, settings, name)| length(Layout::V2_2, start, settings, name));
    assert_eq!(of_2_2, [64, 80, 96, 112, 119]);
    let of_2_1 = [(false, false), (true, false), (false, true), (true, true)]
        .map(|(start, settings)| length(Layout::V2_1, start, settings, false));
    assert_eq!(of_2_1, [60, 80, 92, 112]);
}

#[test]
fn an_acknowledgement_of_another_type_or_length_is_refused() {
    let mut bytes = Vec::new();
    Acknowledgement::of_this_version(None).encode_into(&mut bytes);
    let with = |offset: usize, byte: u8| {
        let mut changed = bytes.clone();
        changed[offset] = byte;
        Acknowledgement::declared_length(&changed)
    };
    assert_eq!(Acknowledgement::declared_length(&bytes), Ok(28));
    assert_eq!(with(3, 1), Err(WireError::Invalid { what: "acknowledgement type", value: 1 }));
    assert_eq!(with(7, 27), Err(WireError::Invalid { what: "acknowledgement length", value: 27 }));
    assert_eq!(
        with(4, 1),
        Err(WireError::Invalid { what: "acknowledgement length", value: 0x0100_001c })
    );
}

#[test]
fn a_burst_smaller_than_its_header_is_out_of_step() {
    let mut bytes = Vec::new();
    BurstHeader { size: 91, ..BurstHeader::default() }.encode_into(&mut bytes);
    let error = BurstHeader::decode(&bytes).unwrap_err();
    assert_eq!(error, WireError::Invalid { what: "burst size", value: 91 });
}

#[test]
fn first_datagrams_make_room_for_the_header() {
    let plain = udp::TestHeader::request();
    assert_eq!((plain.first_datagram_length(16), plain.first_datagram_length(1470)), (80, 1470));
    let mut with_settings = udp::TestHeader { settings: Some(BurstSettings::default()), ..plain };
    with_settings = with_settings.with_derived_words();
    assert_eq!(
        (with_settings.declared_length, with_settings.first_datagram_length(16)),
        (112, 160)
    );
}

#[test]
fn an_old_datagram_header_without_extension_is_read() {
    let mut datagram = [0; 60];
    datagram[16] = 0x80;
    datagram[23] = 1;
    let header = *DatagramHeader::decode(&datagram).unwrap().test().unwrap();
    assert_eq!(
        (header.base.flags, header.extension, header.base.threads),
        (BaseFlags::VERSION1, None, Threads(1))
    );
}

#[test]
fn errors_say_what_was_expected() {
    let short = BurstHeader::decode(&[0; 10]).unwrap_err();
    assert_eq!(short.to_string(), "burst header is 10 bytes long, at least 92 are needed");
    let long = CongestionControl::new(&"x".repeat(32)).unwrap_err();
    assert_eq!(
        long.to_string(),
        "congestion control name is 32 bytes long, at most 31 are possible"
    );
    let invalid = BouncebackMessage::decode(&[0; 64]).unwrap_err();
    assert_eq!(
        invalid.to_string(),
        "bounceback flags has the impossible value 0x0; the peer may not be iperf 2"
    );
}
