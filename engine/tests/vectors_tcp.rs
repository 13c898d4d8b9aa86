//! Every recorded TCP stream decodes, and encodes to the same bytes where bytes are defined.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod captures;

use std::time::Duration;

use captures::{Capture, bytes};
use linerate_engine::wire::tcp::{
    Acknowledgement, BouncebackFlags, BouncebackMessage, BurstHeader, CongestionControl, Extent,
    FirstWord, KeyPolicy, PermitKey, TestHeader,
};
use linerate_engine::wire::{
    Amount, BaseFlags, BurstSettings, FixedPoint, Layout, Limit, LowerFlags, Rate, Start, Threads,
    UpperFlags, Version, WireTime, payload,
};
use serde_json::Value;

const CAPTURES: usize = 85;

const BURSTS: UpperFlags = UpperFlags(0x2011);
const BOTH_WAYS: UpperFlags = UpperFlags(0x0c00);

/// What the streams of all captures were found to hold.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    test_headers: usize,
    server_headers: usize,
    acknowledgements: usize,
    requests: usize,
    replies: usize,
    burst_headers: usize,
    keys: usize,
    bare_streams: usize,
    empty_streams: usize,
}

#[test]
fn every_capture_encodes_to_the_bytes_it_was_decoded_from() {
    let captures = captures::all("tcp-");
    assert_eq!(captures.len(), CAPTURES);
    let mut found = Found::default();
    for capture in &captures {
        let connections = capture.content["extra"]["connections"].as_array().unwrap();
        assert!(!connections.is_empty(), "{}", capture.name);
        let first = &connections[0];
        assert_eq!(
            capture.content["client_to_server_hex"], first["initiator_to_responder_hex"],
            "{}",
            capture.name
        );
        assert_eq!(
            capture.content["server_to_client_hex"], first["responder_to_initiator_hex"],
            "{}",
            capture.name
        );
        for connection in connections {
            check_connection(capture, connection, &mut found);
        }
    }
    let expected = Found {
        test_headers: 85,
        server_headers: 7,
        acknowledgements: 55,
        requests: 38,
        replies: 37,
        burst_headers: 29,
        keys: 7,
        bare_streams: 4,
        empty_streams: 5,
    };
    assert_eq!(found, expected);
}

fn check_connection(capture: &Capture, connection: &Value, found: &mut Found) {
    let there = bytes(&connection["initiator_to_responder_hex"]);
    let back = bytes(&connection["responder_to_initiator_hex"]);
    let Some(first) = there.first_chunk::<4>() else {
        found.empty_streams += 1;
        return assert!(back.is_empty(), "{}", capture.name);
    };
    match FirstWord::classify(*first, KeyPolicy::Open) {
        FirstWord::Bounceback => {
            found.requests += check_bouncebacks(capture, &there);
            found.replies += check_bouncebacks(capture, &back);
        }
        FirstWord::Header { length } => check_test(capture, &there, length, &back, found),
        FirstWord::Legacy => {
            found.bare_streams += 1;
            assert!(payload::are_digits(&there, 0), "{}", capture.name);
            assert!(back.is_empty(), "{}", capture.name);
        }
        FirstWord::Malformed { declared } => panic!("{}: header of {declared} bytes", capture.name),
    }
}

fn check_test(capture: &Capture, there: &[u8], length: usize, back: &[u8], found: &mut Found) {
    let header = check_header(capture, there);
    found.test_headers += 1;
    assert_eq!(header.length(), length, "{}", capture.name);
    let mut data = &there[length..];
    if let Some(key_length) = header.key_length {
        let (key, rest) = data.split_at(usize::from(key_length));
        check_key(capture, &header, key, &there[..length + key.len()]);
        found.keys += 1;
        data = rest;
    }
    let forward = !header.upper().contains(UpperFlags::REVERSE);
    check_data(capture, &header, if forward { data } else { &[] }, found);
    check_answer(capture, &header, back, found);
}

fn check_answer(capture: &Capture, header: &TestHeader, mut back: &[u8], found: &mut Found) {
    if back.is_empty() {
        found.empty_streams += 1;
        return;
    }
    if header.wants_acknowledgement() {
        let acknowledgement = Acknowledgement::decode(back).unwrap();
        let mut again = Vec::new();
        acknowledgement.encode_into(&mut again);
        assert_eq!(again, back[..again.len()], "{}", capture.name);
        let trip_times = header.upper().contains(UpperFlags::TRIP_TIMES);
        assert_eq!(acknowledgement.times.is_some(), trip_times, "{}", capture.name);
        if let (Some(times), Some(start)) = (acknowledgement.times, header.start) {
            assert_eq!(times.sent, start.time, "{}", capture.name);
        }
        found.acknowledgements += 1;
        back = &back[again.len()..];
    }
    if !header.upper().intersects(BOTH_WAYS) {
        return assert!(back.is_empty(), "{}", capture.name);
    }
    let announces = UpperFlags::TRIP_TIMES | UpperFlags::PERIODIC_BURST;
    if !header.upper().intersects(announces) {
        return check_data(capture, header, back, found);
    }
    let own = check_header(capture, back);
    found.server_headers += 1;
    assert!(!own.upper().contains(UpperFlags::REVERSE), "{}", capture.name);
    check_data(capture, &own, &back[own.length()..], found);
}

/// Decodes the header at the start of a stream, compares both directions, and tries all shorter prefixes.
fn check_header(capture: &Capture, stream: &[u8]) -> TestHeader {
    let header =
        TestHeader::decode(stream).unwrap_or_else(|error| panic!("{}: {error}", capture.name));
    let mut again = Vec::new();
    header.encode_into(&mut again).unwrap();
    assert_eq!(again, stream[..header.length()], "{}", capture.name);
    assert!(matches!(header.extent, Extent::ByRule(_)), "{}: {:?}", capture.name, header.extent);
    assert!(header.unknown.is_empty(), "{}", capture.name);
    for length in 0..header.length() {
        assert!(
            TestHeader::decode(&stream[..length]).is_err(),
            "{}: prefix of {length} bytes",
            capture.name
        );
    }
    header
}

fn check_key(capture: &Capture, header: &TestHeader, key: &[u8], stream: &[u8]) {
    let key = PermitKey::new(key).unwrap();
    let mut again = Vec::new();
    header.encode_with_key_into(&key, &mut again).unwrap();
    assert_eq!(again, stream, "{}", capture.name);
    let arguments = capture.content["client_args"].as_str().unwrap();
    let given = arguments.split_once("--permit-key=").unwrap().1.split(' ').next().unwrap();
    let kept = &given.as_bytes()[..given.len().min(PermitKey::MAX_LENGTH)];
    assert!(key.matches(kept), "{}", capture.name);
}

/// Checks the data behind a header: burst headers where the header announces them, digits elsewhere (2.2).
fn check_data(capture: &Capture, header: &TestHeader, data: &[u8], found: &mut Found) {
    if header.upper().intersects(BURSTS) {
        return found.burst_headers += check_bursts(capture, data);
    }
    // Written with a low-water mark, each write carries an unannounced burst header; old versions leave their header there.
    let stamped = capture.name.contains("prefetch") || capture.name.contains("near-congestion");
    let load = capture.name.contains("working-load");
    let other = capture.name.contains("v218") || capture.name == "tcp-file-input";
    if !stamped && !load && !other {
        assert!(payload::are_digits(data, 0), "{}", capture.name);
    }
}

fn check_bursts(capture: &Capture, mut data: &[u8]) -> usize {
    let mut bursts = 0;
    while data.len() >= BurstHeader::LENGTH {
        let header =
            BurstHeader::decode(data).unwrap_or_else(|error| panic!("{}: {error}", capture.name));
        let mut again = data[..BurstHeader::LENGTH].to_vec();
        header.encode_over(&mut again);
        assert_eq!(again, data[..BurstHeader::LENGTH], "{}", capture.name);
        bursts += 1;
        assert_eq!(usize::try_from(header.id).unwrap(), bursts, "{}", capture.name);
        assert!(header.written >= header.start, "{}", capture.name);
        let size = usize::try_from(header.size).unwrap();
        data = data.get(size..).unwrap_or_default();
    }
    bursts
}

fn check_bouncebacks(capture: &Capture, mut stream: &[u8]) -> usize {
    let version = capture.content["extra"]["client_version"].as_str().unwrap();
    let length =
        if version == "2.1.8" { BouncebackMessage::LENGTH_2_1 } else { BouncebackMessage::LENGTH };
    let mut messages = 0;
    while stream.len() >= length {
        let message = BouncebackMessage::decode(&stream[..length]).unwrap();
        let mut again = Vec::new();
        message.encode_into(&mut again);
        assert_eq!(again, stream[..length], "{}", capture.name);
        messages += 1;
        let reply = message.server_sent != WireTime::UNSET;
        let size = if reply { message.reply_length() } else { message.size };
        stream = stream.get(usize::try_from(size).unwrap()..).unwrap_or_default();
    }
    messages
}

fn header_of(name: &str) -> TestHeader {
    let capture = captures::load(name);
    TestHeader::decode(&bytes(&capture.content["client_to_server_hex"])).unwrap()
}

/// The fields of a header that the options of the client decide.
#[derive(Debug, PartialEq)]
struct Fields {
    length: usize,
    layout: Layout,
    flags: u32,
    threads: Threads,
    port: u32,
    buffer_length: u32,
    limit: Limit,
    upper: UpperFlags,
    lower: LowerFlags,
    version: &'static str,
    tos: u16,
    bits_per_second: u64,
    write_prefetch: u32,
    fq_bytes_per_second: Option<u64>,
    settings: Option<(f64, f64, f64)>,
    congestion_control: Option<String>,
    key_length: Option<u16>,
}

/// A plain test of one second with `-l 10000 -b 20m`, by 2.2.1 unless said otherwise: what most captures ran.
fn paced() -> Fields {
    Fields { buffer_length: 10_000, bits_per_second: 20_000_000, ..plain() }
}

/// A plain test of one second, by 2.2.1.
fn plain() -> Fields {
    Fields {
        length: 64,
        layout: Layout::V2_2,
        flags: 0x4001_0000,
        threads: Threads(1),
        port: 5001,
        buffer_length: 0,
        limit: Limit::Time(Duration::from_secs(1)),
        upper: UpperFlags(0),
        lower: LowerFlags(0),
        version: "2.2.1-rc",
        tos: 0,
        bits_per_second: 0,
        write_prefetch: 0,
        fq_bytes_per_second: None,
        settings: None,
        congestion_control: None,
        key_length: None,
    }
}

fn fields(header: &TestHeader) -> Fields {
    let extension = header.extension.unwrap();
    let version = match extension.version {
        Version::V2_1_8 => "2.1.8",
        Version { high: 0x0002_0002, low: 0x0001_0001 } => "2.2.1-rc",
        other => panic!("version {other}"),
    };
    let Extent::ByRule(layout) = header.extent else { panic!("{:?}", header.extent) };
    let settings = header.settings.map(|settings| {
        let BurstSettings { frames_per_second, mean, deviation, gap_milliseconds } = settings;
        assert_eq!(gap_milliseconds, FixedPoint::default());
        (frames_per_second.as_f64(), mean.as_f64(), deviation.as_f64())
    });
    Fields {
        length: header.length(),
        layout,
        flags: header.base.flags.0,
        threads: header.base.threads,
        port: header.base.port,
        buffer_length: header.base.buffer_length,
        limit: header.base.amount.limit(),
        upper: extension.upper,
        lower: extension.lower,
        version,
        tos: extension.tos,
        bits_per_second: extension.rate.bits_per_second(),
        write_prefetch: extension.write_prefetch,
        fq_bytes_per_second: header.start.map(|start| start.fq_rate_bytes_per_second),
        settings,
        congestion_control: header
            .congestion_control
            .as_ref()
            .map(|name| name.as_str().unwrap().to_owned()),
        key_length: header.key_length,
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn headers_say_what_the_options_of_the_client_ask_for() {
    let old =
        |fields: Fields| Fields { length: 60, layout: Layout::V2_1, version: "2.1.8", ..fields };
    let timed = |fields: Fields| Fields { length: 80, fq_bytes_per_second: Some(0), ..fields };
    let trip_times = UpperFlags::TRIP_TIMES;
    let table = [
        ("plain", plain()),
        ("enhanced", paced()),
        ("num", Fields { limit: Limit::Bytes(1_000_000), ..plain() }),
        ("time-fraction", Fields { limit: Limit::Time(Duration::from_millis(1500)), ..paced() }),
        (
            "time-infinite-reverse",
            Fields {
                flags: 0x4401_0000,
                buffer_length: 10_000,
                limit: Limit::Bytes(1000),
                upper: UpperFlags::REVERSE,
                ..plain()
            },
        ),
        ("parallel", Fields { threads: Threads::of_streams(3), ..paced() }),
        (
            "rate-64bit",
            Fields { buffer_length: 131_072, bits_per_second: 10_000_000_000, ..plain() },
        ),
        ("peer-detect", Fields { flags: 0x4601_0000, ..paced() }),
        ("reverse", Fields { flags: 0x4401_0000, upper: UpperFlags::REVERSE, ..plain() }),
        (
            "reverse-num",
            Fields {
                flags: 0x4401_0000,
                buffer_length: 10_000,
                limit: Limit::Bytes(512_000),
                upper: UpperFlags::REVERSE,
                ..plain()
            },
        ),
        ("full-duplex", Fields { flags: 0x4401_0000, upper: UpperFlags::FULL_DUPLEX, ..paced() }),
        ("dualtest", Fields { flags: 0xc001_0001, port: 6001, ..paced() }),
        ("tradeoff", Fields { flags: 0xc001_0000, port: 6001, ..paced() }),
        ("quickack", Fields { upper: UpperFlags::TCP_QUICK_ACK, ..paced() }),
        ("tos", Fields { tos: 0x88, ..paced() }),
        (
            "sync-transfer-id",
            Fields {
                flags: 0xc001_0000,
                threads: Threads::with_transfer_id(2, 2),
                lower: LowerFlags::BARRIER_TIME,
                ..paced()
            },
        ),
        (
            "write-prefetch-reverse",
            Fields {
                flags: 0x4401_0000,
                buffer_length: 102_400,
                limit: Limit::Bytes(1 << 20),
                upper: UpperFlags::REVERSE | UpperFlags::WRITE_PREFETCH,
                write_prefetch: 262_144,
                ..plain()
            },
        ),
        ("trip-times", timed(Fields { upper: trip_times, ..paced() })),
        (
            "trip-times-min",
            timed(Fields {
                upper: trip_times,
                buffer_length: 92,
                limit: Limit::Bytes(920),
                ..plain()
            }),
        ),
        (
            "txstart-trip-times",
            timed(Fields { upper: trip_times | UpperFlags::EPOCH_START, ..paced() }),
        ),
        ("txstart", timed(paced())),
        (
            "fq-rate",
            Fields {
                length: 80,
                buffer_length: 10_000,
                upper: UpperFlags::FQ_RATE,
                fq_bytes_per_second: Some(2_500_000),
                ..plain()
            },
        ),
        ("isochronous", timed(Fields { upper: UpperFlags::ISOCHRONOUS, ..plain() })),
        (
            "isochronous-full-duplex",
            Fields {
                length: 112,
                flags: 0x4401_0000,
                upper: UpperFlags::ISOCHRONOUS | UpperFlags::FULL_DUPLEX,
                settings: Some((60.5, 18e6, 2e6)),
                ..timed(plain())
            },
        ),
        (
            "burst",
            Fields {
                length: 96,
                upper: UpperFlags::PERIODIC_BURST,
                settings: Some((5.0, 204_800.0, 0.0)),
                ..plain()
            },
        ),
        (
            "burst-trip-times",
            Fields {
                length: 112,
                upper: UpperFlags::PERIODIC_BURST | trip_times,
                settings: Some((5.0, 204_800.0, 0.0)),
                ..timed(plain())
            },
        ),
        (
            "tcp-cca",
            Fields {
                length: 119,
                lower: LowerFlags::CONGESTION_CONTROL,
                congestion_control: Some("cubic".into()),
                ..timed(paced())
            },
        ),
        (
            "tcp-cca-burst",
            Fields {
                length: 119,
                upper: UpperFlags::PERIODIC_BURST,
                lower: LowerFlags::CONGESTION_CONTROL,
                settings: Some((5.0, 204_800.0, 0.0)),
                congestion_control: Some("cubic".into()),
                ..timed(plain())
            },
        ),
        (
            "tcp-cca-permit-key",
            Fields {
                length: 121,
                flags: 0x5001_0000,
                lower: LowerFlags::CONGESTION_CONTROL,
                congestion_control: Some("cubic".into()),
                key_length: Some(8),
                ..timed(paced())
            },
        ),
        ("permit-key", Fields { length: 66, flags: 0x5001_0000, key_length: Some(8), ..paced() }),
        (
            "permit-key-max",
            Fields { length: 66, flags: 0x5001_0000, key_length: Some(127), ..paced() },
        ),
        (
            "permit-key-trip-times-reverse",
            Fields {
                flags: 0x5401_0000,
                upper: UpperFlags::REVERSE | trip_times,
                key_length: Some(8),
                ..Fields { length: 82, ..timed(paced()) }
            },
        ),
        ("v218-plain", old(paced())),
        ("v218-dualtest", Fields { flags: 0xc001_0001, port: 6001, ..old(paced()) }),
        ("v218-trip-times", timed(Fields { upper: trip_times, ..old(paced()) })),
        ("v218-txstart", timed(Fields { upper: UpperFlags::EPOCH_START, ..old(paced()) })),
        (
            "v218-burst",
            Fields {
                length: 92,
                upper: UpperFlags::PERIODIC_BURST,
                settings: Some((5.0, 204_800.0, 0.0)),
                ..Fields { layout: Layout::V2_1, version: "2.1.8", ..plain() }
            },
        ),
        (
            "v218-permit-key",
            Fields {
                flags: 0x5001_0000,
                key_length: Some(8),
                ..Fields { length: 62, ..old(paced()) }
            },
        ),
    ];
    assert!(table.len() >= 30);
    for (name, expected) in table {
        assert_eq!(fields(&header_of(&format!("tcp-{name}"))), expected, "{name}");
    }
}

#[test]
fn scheduled_start_is_in_the_start_part() {
    let start = header_of("tcp-txstart").start.unwrap();
    let time = WireTime { seconds: 1_796_072_358, microseconds: 250_000 };
    assert_eq!(start, Start { time, fq_rate_bytes_per_second: 0 });
}

#[test]
fn barrier_wait_is_in_the_extension() {
    assert_eq!(header_of("tcp-port-range").extension.unwrap().barrier_wait_microseconds, 175);
    assert_eq!(header_of("tcp-v218-parallel").extension.unwrap().barrier_wait_microseconds, 0);
}

#[test]
fn the_second_connection_of_a_working_load_names_its_congestion_control() {
    let capture = captures::load("tcp-working-load-down-cca");
    let connection = &capture.content["extra"]["connections"][1];
    let header = TestHeader::decode(&bytes(&connection["initiator_to_responder_hex"])).unwrap();
    assert_eq!(header.congestion_control, Some(CongestionControl::new("cubic").unwrap()));
    assert_eq!(header.upper(), UpperFlags::REVERSE | UpperFlags::WRITE_PREFETCH);
    assert_eq!(header.extension.unwrap().write_prefetch, 262_144);
}

#[test]
fn acknowledgement_carries_the_times_of_a_clock_check() {
    let capture = captures::load("tcp-trip-times-peer-detect");
    let acknowledgement =
        Acknowledgement::decode(&bytes(&capture.content["server_to_client_hex"])).unwrap();
    let times = acknowledgement.times.unwrap();
    assert_eq!(acknowledgement.version.to_string(), "2.2.1-rc");
    assert_eq!(times.sent, WireTime { seconds: 1_796_072_280, microseconds: 630_039 });
    assert!(times.received.nanoseconds_since(times.sent).abs() < 100_000_000);
    assert!(times.acknowledged >= times.received);
}

#[test]
fn acknowledgement_of_2_1_8_names_its_version() {
    let capture = captures::load("tcp-v218-peer-detect");
    let acknowledgement =
        Acknowledgement::decode(&bytes(&capture.content["server_to_client_hex"])).unwrap();
    assert_eq!((acknowledgement.version, acknowledgement.times), (Version::V2_1_8, None));
}

#[test]
fn burst_header_counts_the_bytes_behind_a_test_header_from_two() {
    let capture = captures::load("tcp-trip-times");
    let stream = bytes(&capture.content["client_to_server_hex"]);
    let burst = BurstHeader::decode(&stream[80..]).unwrap();
    let expected = BurstHeader {
        start: WireTime { seconds: 1_796_072_277, microseconds: 0x000d_2893 },
        written: WireTime { seconds: 1_796_072_277, microseconds: 0x000d_2895 },
        period_microseconds: 0xa5a5_a5a5,
        id: 1,
        size: 10_000,
        sequence: 10_002,
    };
    assert_eq!(burst, expected);
}

#[test]
fn asymmetric_bounceback_asks_for_a_longer_reply() {
    let capture = captures::load("tcp-bounceback-asymmetric");
    let request =
        BouncebackMessage::decode(&bytes(&capture.content["client_to_server_hex"])).unwrap();
    assert_eq!((request.size, request.reply_length(), request.id), (200, 300, 1));
    assert_eq!(request.settings, BouncebackFlags::REPLY_SIZE);
    assert_eq!((request.server_received, request.server_sent), (WireTime::UNSET, WireTime::UNSET));
    let reply =
        BouncebackMessage::decode(&bytes(&capture.content["server_to_client_hex"])).unwrap();
    assert_eq!(reply.client_sent, request.client_sent);
    assert!(reply.server_sent >= reply.server_received);
}

#[test]
fn bounceback_with_trip_times_carries_the_tos_byte() {
    let capture = captures::load("tcp-bounceback-trip-times-tos");
    let request =
        BouncebackMessage::decode(&bytes(&capture.content["client_to_server_hex"])).unwrap();
    let settings =
        BouncebackFlags::QUICK_ACK | BouncebackFlags::CLOCKS_SYNCHRONISED | BouncebackFlags::TOS;
    assert_eq!((request.settings, request.tos), (settings, 0x20));
}

#[test]
fn a_header_built_here_has_the_bytes_of_iperf_but_for_the_build_class() {
    let mut header = TestHeader::request();
    header.base.threads = Threads::of_streams(1);
    header.base.port = 5001;
    header.base.buffer_length = 10_000;
    header.base.amount = Amount::from_time(Duration::from_secs(1));
    header.base.flags = header.base.flags | BaseFlags::VERSION2 | BaseFlags::PEER_DETECT;
    let extension = header.extension.as_mut().unwrap();
    extension.rate = Rate::from_bits_per_second(20_000_000);
    extension.version = Version { high: 0x0002_0002, low: 0x0001_0001 };
    let mut built = Vec::new();
    header.encode_into(&mut built).unwrap();
    let recorded = bytes(&captures::load("tcp-peer-detect").content["client_to_server_hex"]);
    assert_eq!(built, recorded[..64]);
}
