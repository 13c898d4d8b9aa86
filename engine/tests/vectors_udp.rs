//! Every recorded datagram decodes, and encodes to the same bytes; the reports of real servers are reached from the same
//! datagrams.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod captures;

use std::time::Duration;

use captures::{Capture, bytes};
use linerate_engine::stats::{FinRepetitions, Jitter, SequenceTracker};
use linerate_engine::wire::udp::{
    DatagramHeader, DatagramPrefix, FinAnswer, FinReport, IsochronousBlock, SequenceWidth,
    TestHeader,
};
use linerate_engine::wire::{
    BaseFlags, FixedPoint, Layout, Limit, SignedTime, Threads, UpperFlags, Version, WireError,
    WireTime, payload,
};
use serde_json::Value;

const CAPTURES: usize = 100;

/// What the datagrams of all captures were found to be.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    datagrams: usize,
    fins: usize,
    test_headers: usize,
    short_headers: usize,
    bare: usize,
    cut: usize,
    without_prefix: usize,
    reports: usize,
    echoes: usize,
}

#[test]
fn every_datagram_encodes_to_the_bytes_it_was_decoded_from() {
    let captures = captures::all("udp-");
    assert_eq!(captures.len(), CAPTURES);
    let mut found = Found::default();
    let mut listed = 0;
    for capture in &captures {
        let datagrams = datagrams(capture);
        assert!(!datagrams.is_empty(), "{}", capture.name);
        listed += datagrams.len();
        for datagram in datagrams {
            check_datagram(capture, datagram, &mut found);
        }
    }
    assert_eq!(found.datagrams, listed);
    let expected = Found {
        datagrams: 1239,
        fins: 156,
        test_headers: 919,
        short_headers: 20,
        bare: 199,
        cut: 9,
        without_prefix: 9,
        reports: 75,
        echoes: 8,
    };
    assert_eq!(found, expected);
}

fn datagrams(capture: &Capture) -> &Vec<Value> {
    capture.content["datagrams"].as_array().unwrap()
}

fn check_datagram(capture: &Capture, datagram: &Value, found: &mut Found) {
    let recorded = bytes(&datagram["hex"]);
    found.datagrams += 1;
    match datagram["kind"].as_str().unwrap() {
        "ackfin" => {
            found.reports += 1;
            check_report(capture, &recorded);
        }
        "fin-echo" => {
            found.echoes += 1;
            let fin_number = fin_number(&recorded);
            assert_eq!(
                FinAnswer::classify(&recorded),
                FinAnswer::Echo { fin_number },
                "{}",
                capture.name
            );
        }
        kind => check_flow_datagram(capture, kind, &recorded, found),
    }
}

fn fin_number(recorded: &[u8]) -> u64 {
    DatagramPrefix::decode(recorded, SequenceWidth::Bits32).unwrap().fin_number().unwrap()
}

fn check_flow_datagram(capture: &Capture, kind: &str, recorded: &[u8], found: &mut Found) {
    let width = SequenceWidth::of_first_datagram(recorded);
    let Ok(prefix) = DatagramPrefix::decode(recorded, width) else {
        found.without_prefix += 1;
        return assert_eq!((recorded.len(), capture.name.as_str()), (12, "udp-length-12"));
    };
    assert_eq!(prefix.is_fin(), kind == "fin", "{}", capture.name);
    found.fins += usize::from(prefix.is_fin());
    let mut again = recorded.to_vec();
    again[..16].fill(0xee);
    prefix.encode_over(&mut again);
    match DatagramHeader::decode(recorded) {
        Ok(DatagramHeader::Absent) => {
            found.bare += 1;
            check_payload(capture, recorded, &mut again);
        }
        Ok(DatagramHeader::ShortTripTimes(header)) => {
            found.short_headers += 1;
            assert_eq!(header.filled_start(), None, "{}", capture.name);
            again[16..28].fill(0xee);
            header.encode_over(&mut again);
        }
        Ok(DatagramHeader::Test(header)) => {
            found.test_headers += 1;
            check_header(capture, &header);
            let end = recorded.len().min(TestHeader::END);
            again[16..end].fill(0xee);
            header.encode_over(&mut again);
            assert!(payload::are_digits(&recorded[end..], end), "{}", capture.name);
        }
        Err(WireError::TooShort { got, .. }) => {
            found.cut += 1;
            assert!(got == 40 && capture.name == "udp-length-40", "{}", capture.name);
        }
        Err(error) => panic!("{}: {error}", capture.name),
    }
    assert_eq!(again, recorded, "{}", capture.name);
}

/// Digits all over, but for the frame fields that a server of isochronous frames puts among them.
fn check_payload(capture: &Capture, recorded: &[u8], again: &mut [u8]) {
    if capture.name != "udp-isochronous-reverse" {
        return assert!(payload::are_digits(&recorded[16..], 16), "{}", capture.name);
    }
    let block = IsochronousBlock::decode(recorded, Layout::V2_2).unwrap();
    assert_eq!((block.period_microseconds, block.size), (16_666, 4166));
    again[80..108].fill(0xee);
    block.encode_over(again, Layout::V2_2);
    assert!(
        payload::are_digits(&recorded[16..80], 16) && payload::are_digits(&recorded[108..], 108)
    );
}

fn check_header(capture: &Capture, header: &TestHeader) {
    assert_eq!(header.with_derived_words(), *header, "{}", capture.name);
    let version = header.extension.unwrap().version;
    assert_eq!(Layout::of_version(version), header.layout, "{}", capture.name);
    assert!(header.base.flags.contains(BaseFlags::SEQUENCE_64), "{}", capture.name);
}

fn check_report(capture: &Capture, recorded: &[u8]) {
    let report =
        FinReport::decode(recorded).unwrap_or_else(|error| panic!("{}: {error}", capture.name));
    assert_eq!(FinAnswer::classify(recorded), FinAnswer::Report(report), "{}", capture.name);
    let mut again = Vec::new();
    report.encode_into(&mut again);
    assert_eq!(again, recorded, "{}", capture.name);
    for length in 0..recorded.len() {
        let short = FinReport::decode(&recorded[..length]);
        assert_eq!(
            short.is_ok(),
            length >= FinReport::SHORT_LENGTH,
            "{}: {length} bytes",
            capture.name
        );
    }
}

fn first_header(name: &str) -> TestHeader {
    let capture = captures::load(name);
    *DatagramHeader::decode(&bytes(&datagrams(&capture)[0]["hex"])).unwrap().test().unwrap()
}

/// The fields of a header that the options of the client decide.
#[derive(Debug, PartialEq)]
struct Fields {
    declared_length: u16,
    layout: Layout,
    flags: u32,
    threads: Threads,
    port: u32,
    buffer_length: u32,
    limit: Limit,
    upper: UpperFlags,
    version: &'static str,
    tos: u16,
    rate: u64,
    start: Option<WireTime>,
    fq_bytes_per_second: Option<u64>,
    frames_per_second: Option<f64>,
    mean: Option<f64>,
}

/// A plain test of one second, by 2.2.1.
fn plain() -> Fields {
    Fields {
        declared_length: 80,
        layout: Layout::V2_2,
        flags: 0x4801_0000,
        threads: Threads(1),
        port: 6001,
        buffer_length: 0,
        limit: Limit::Time(Duration::from_secs(1)),
        upper: UpperFlags(0),
        version: "2.2.1-rc",
        tos: 0,
        rate: 1_048_576,
        start: None,
        fq_bytes_per_second: None,
        frames_per_second: None,
        mean: None,
    }
}

fn lasting(milliseconds: u64) -> Fields {
    Fields { limit: Limit::Time(Duration::from_millis(milliseconds)), ..plain() }
}

fn started(seconds: u32, microseconds: u32, fields: Fields) -> Fields {
    let start = Some(WireTime { seconds, microseconds });
    Fields { start, fq_bytes_per_second: Some(0), ..fields }
}

fn fields(header: &TestHeader) -> Fields {
    let extension = header.extension.unwrap();
    let version = match extension.version {
        Version::V2_1_8 => "2.1.8",
        Version { high: 0x0002_0002, low: 0x0001_0001 } => "2.2.1-rc",
        other => panic!("version {other}"),
    };
    Fields {
        declared_length: header.declared_length,
        layout: header.layout,
        flags: header.base.flags.0,
        threads: header.base.threads,
        port: header.base.port,
        buffer_length: header.base.buffer_length,
        limit: header.base.amount.limit(),
        upper: extension.upper,
        version,
        tos: extension.tos,
        rate: extension.rate.bits_per_second(),
        start: header.start.map(|start| start.time),
        fq_bytes_per_second: header.start.map(|start| start.fq_rate_bytes_per_second),
        frames_per_second: header.settings.map(|settings| settings.frames_per_second.as_f64()),
        mean: header.settings.map(|settings| settings.mean.as_f64()),
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn headers_say_what_the_options_of_the_client_ask_for() {
    let old = |fields: Fields| Fields {
        declared_length: 76,
        layout: Layout::V2_1,
        version: "2.1.8",
        ..fields
    };
    let reverse =
        |fields: Fields| Fields { flags: 0x6c01_0000, upper: UpperFlags::REVERSE, ..fields };
    let timed = |fields: Fields| Fields { declared_length: 112, flags: 0x6801_0000, ..fields };
    let trip_times = UpperFlags::TRIP_TIMES;
    let no_fin = UpperFlags::NO_UDP_FIN;
    let frames = UpperFlags::ISOCHRONOUS | UpperFlags::ISOCHRONOUS_SETTINGS;
    let table = [
        ("default", plain()),
        ("default-2.1.8", old(plain())),
        ("enhanced", lasting(500)),
        ("amount", Fields { buffer_length: 1000, limit: Limit::Bytes(10_000), ..plain() }),
        ("num-bytes", Fields { limit: Limit::Bytes(20_480), rate: 10_000_000, ..plain() }),
        ("bandwidth-5g", Fields { rate: 5_000_000_000, ..lasting(200) }),
        ("pps", Fields { rate: 200, ..lasting(500) }),
        ("reverse-pps", reverse(Fields { rate: 100 * 8 * 1470, ..plain() })),
        ("reverse", reverse(plain())),
        ("reverse-2.1.8", reverse(old(plain()))),
        ("tos", Fields { tos: 0xb8, ..lasting(300) }),
        ("tos-reverse", Fields { tos: 0x20, ..reverse(lasting(300)) }),
        ("parallel-3", Fields { threads: Threads::of_streams(3), ..plain() }),
        ("sync-transfer-id", Fields { threads: Threads::with_transfer_id(2, 2), ..lasting(300) }),
        ("length-16", Fields { buffer_length: 16, ..lasting(200) }),
        ("length-65507", Fields { buffer_length: 65_507, ..lasting(600) }),
        ("dualtest", Fields { flags: 0xc801_0001, ..plain() }),
        (
            "dualtest-listenport",
            Fields { flags: 0xc801_0001, port: 6007, buffer_length: 500, ..plain() },
        ),
        ("tradeoff", Fields { flags: 0xc801_0000, ..plain() }),
        ("no-udp-fin", Fields { flags: 0x6801_0000, upper: no_fin, ..lasting(300) }),
        (
            "l2checks",
            Fields { flags: 0x6801_0000, upper: UpperFlags::L2_LENGTH_CHECK, ..lasting(500) },
        ),
        (
            "l2checks-ipv6",
            Fields {
                flags: 0x6801_0000,
                upper: UpperFlags::L2_LENGTH_CHECK | UpperFlags::L2_IPV6,
                ..lasting(500)
            },
        ),
        ("full-duplex", Fields { upper: UpperFlags::FULL_DUPLEX | no_fin, ..reverse(plain()) }),
        (
            "trip-times",
            started(1_796_071_111, 292_782, timed(Fields { upper: trip_times, ..plain() })),
        ),
        (
            "trip-times-client-2.1.8-server-2.2.1",
            Fields {
                declared_length: 108,
                ..started(
                    1_796_072_683,
                    892_817,
                    Fields { flags: 0x6801_0000, upper: trip_times, ..old(lasting(500)) },
                )
            },
        ),
        (
            "reverse-trip-times",
            started(
                1_796_071_059,
                777_497,
                Fields {
                    declared_length: 112,
                    upper: UpperFlags::REVERSE | trip_times,
                    ..reverse(plain())
                },
            ),
        ),
        ("fq-rate", {
            let fields =
                started(0, 0, timed(Fields { upper: UpperFlags::FQ_RATE, ..lasting(300) }));
            Fields { fq_bytes_per_second: Some(625_000), ..fields }
        }),
        (
            "txstart-time",
            started(1_796_071_726, 601_400, Fields { flags: 0x6801_0000, ..lasting(500) }),
        ),
        (
            "txstart-time-trip-times",
            started(
                1_796_071_731,
                96_860,
                timed(Fields { upper: trip_times | UpperFlags::EPOCH_START, ..lasting(500) }),
            ),
        ),
        (
            "isochronous-reverse",
            Fields {
                declared_length: 144,
                upper: UpperFlags::REVERSE | frames,
                frames_per_second: Some(60.0),
                mean: Some(2e6),
                ..reverse(lasting(500))
            },
        ),
        ("isochronous", timed(Fields { upper: UpperFlags::ISOCHRONOUS, ..plain() })),
    ];
    assert!(table.len() >= 30);
    for (name, expected) in table {
        assert_eq!(fields(&first_header(&format!("udp-{name}"))), expected, "{name}");
    }
}

#[test]
fn isochronous_settings_carry_the_gap_between_datagrams() {
    let settings = first_header("udp-isochronous-reverse").settings.unwrap();
    assert_eq!(settings.gap_milliseconds, FixedPoint { integer: 0, millionths: 5 });
}

#[test]
fn frame_fields_stand_four_bytes_earlier_in_2_1_8() {
    for (name, layout) in
        [("udp-isochronous", Layout::V2_2), ("udp-isochronous-2.1.8", Layout::V2_1)]
    {
        let capture = captures::load(name);
        let first = bytes(&datagrams(&capture)[0]["hex"]);
        let second = bytes(&datagrams(&capture)[1]["hex"]);
        let prefix = DatagramPrefix::decode(&second, SequenceWidth::Bits64).unwrap();
        let expected = IsochronousBlock {
            period_microseconds: 16_666,
            start: prefix.sent,
            previous_frame: 0,
            frame: 1,
            size: 4166,
            remaining: 4166,
        };
        assert_eq!(
            IsochronousBlock::decode(&first, layout),
            Ok(IsochronousBlock::default()),
            "{name}"
        );
        assert_eq!(IsochronousBlock::decode(&second, layout), Ok(expected), "{name}");
        let header = DatagramHeader::decode(&second).unwrap();
        assert_eq!(header.test().unwrap().isochronous, Some(expected), "{name}");
        let third = bytes(&datagrams(&capture)[2]["hex"]);
        assert_eq!(
            IsochronousBlock::decode(&third, layout).unwrap().remaining,
            4166 - 1470,
            "{name}"
        );
    }
}

#[test]
fn report_of_a_plain_test_holds_the_figures_that_the_server_counted() {
    let capture = captures::load("udp-default");
    let recorded =
        datagrams(&capture).iter().find(|datagram| datagram["kind"] == "ackfin").unwrap();
    let report = FinReport::decode(&bytes(&recorded["hex"])).unwrap();
    assert_eq!(report.flags, BaseFlags(0x8800_0000));
    assert_eq!(
        (report.bytes, report.datagrams, report.lost, report.out_of_order),
        (133_770, 91, 0, 0)
    );
    assert_eq!(report.duration, WireTime { seconds: 1, microseconds: 12_275 });
    assert_eq!(report.jitter, WireTime { seconds: 0, microseconds: 2 });
    let latency = report.latency.unwrap();
    let microseconds = |microseconds| SignedTime { seconds: 0, microseconds };
    assert_eq!((latency.min, latency.max), (microseconds(6), microseconds(32)));
    assert_eq!((latency.sum, latency.mean), (microseconds(1527), microseconds(16)));
    assert_eq!(
        (latency.m2, latency.m2_millionths, latency.last_deviation),
        (3643, 955_555, microseconds(-11))
    );
    assert_eq!((latency.count, latency.packets_per_second, latency.interval_sum), (90, 89, 1));
    let deviation = latency.standard_deviation_seconds().unwrap();
    assert!((deviation - 6.398_697e-6).abs() < 1e-11, "square root of 3643.955555 / 89 µs");
}

/// The numbers that the synthetic sender of an accounting capture says it sent: data, then the FIN.
fn numbers_sent(capture: &Capture) -> (Vec<u64>, u64) {
    let arguments = capture.content["client_args"].as_str().unwrap();
    let (data, rest) = arguments.split_once('[').unwrap().1.split_once(']').unwrap();
    let fin = rest.split_once("then -").unwrap().1.split(',').next().unwrap();
    (data.split(", ").map(|number| number.parse().unwrap()).collect(), fin.parse().unwrap())
}

#[test]
fn sequence_tracker_reaches_the_counts_that_real_servers_reported() {
    let captures = captures::all("udp-accounting");
    assert_eq!(captures.len(), 7);
    for capture in &captures {
        let (numbers, fin) = numbers_sent(capture);
        check_recorded_numbers(capture, &numbers, fin);
        let mut tracker = SequenceTracker::new();
        for number in &numbers {
            tracker.record(*number);
        }
        tracker.record_fin(fin, FinRepetitions::NONE);
        let report = report_of(capture);
        let counts = tracker.iperf_counts();
        assert_eq!(counts.lost, report.lost, "{}", capture.name);
        assert_eq!(counts.out_of_order, report.out_of_order, "{}", capture.name);
        assert_eq!(counts.highest, report.datagrams, "{}", capture.name);
        assert_eq!(report.bytes, 200 * (numbers.len() as u64 + 1), "{}", capture.name);
    }
}

fn report_of(capture: &Capture) -> FinReport {
    let last = datagrams(capture).iter().find(|datagram| datagram["kind"] == "ackfin").unwrap();
    FinReport::decode(&bytes(&last["hex"])).unwrap()
}

/// The recorded datagrams are the first five and last five of those that were sent.
fn check_recorded_numbers(capture: &Capture, numbers: &[u64], fin: u64) {
    let sent: Vec<i64> =
        numbers.iter().map(|number| number.cast_signed()).chain([-fin.cast_signed()]).collect();
    let recorded: Vec<i64> = datagrams(capture)
        .iter()
        .filter(|datagram| datagram["dir"] == "c2s")
        .map(|datagram| {
            DatagramPrefix::decode(&bytes(&datagram["hex"]), SequenceWidth::Bits64)
                .unwrap()
                .sequence
        })
        .collect();
    let expected =
        if sent.len() > 10 { [&sent[..5], &sent[sent.len() - 5..]].concat() } else { sent };
    assert_eq!(recorded, expected, "{}", capture.name);
}

#[test]
fn exact_counts_keep_late_datagrams_and_duplicates_apart() {
    let capture = captures::load("udp-accounting");
    let (numbers, fin) = numbers_sent(&capture);
    let mut tracker = SequenceTracker::new();
    for number in numbers {
        tracker.record(number);
    }
    tracker.record_fin(fin, FinRepetitions::NONE);
    let counts = tracker.counts();
    // 7 and 8 never came; 4 came late; 6 came twice. The server reports one lost and two out of order.
    assert_eq!((counts.expected, counts.received, counts.lost()), (10, 8, 2));
    assert_eq!((counts.reordered, counts.duplicates, counts.undecided), (1, 1, 0));
}

/// The receive time is not recorded, but the time at which the datagram passed the loopback interface is, a few
/// microseconds earlier. Jitter from it agrees with that of the server to 2 µs.
#[test]
fn jitter_agrees_with_the_reports_of_2_2_1_servers() {
    let mut compared = 0;
    for capture in captures::all("udp-accounting") {
        if capture.content["server_version"] != "2.2.1" || capture.name == "udp-accounting-interval"
        {
            continue;
        }
        let mean = mean_jitter_of_2_2(&capture).map_or(0.0, |seconds| seconds * 1e6);
        let reported = report_of(&capture).jitter;
        assert_eq!(reported.seconds, 0);
        let difference = (mean - f64::from(reported.microseconds)).abs();
        assert!(difference <= 2.0, "{}: {mean} against {}", capture.name, reported.microseconds);
        compared += 1;
    }
    assert_eq!(compared, 5);
}

/// Feeds the datagrams as 2.2 does: the first of the flow and those out of order are not sampled, the FIN is.
fn mean_jitter_of_2_2(capture: &Capture) -> Option<f64> {
    let mut tracker = SequenceTracker::new();
    let mut jitter = Jitter::default();
    for (index, datagram) in
        datagrams(capture).iter().filter(|datagram| datagram["dir"] == "c2s").enumerate()
    {
        let prefix =
            DatagramPrefix::decode(&bytes(&datagram["hex"]), SequenceWidth::Bits64).unwrap();
        let passed = datagram["t_us"].as_i64().unwrap() * 1000;
        let in_sequence = match prefix.fin_number() {
            Some(_) => true,
            None => tracker.record(prefix.sequence.unsigned_abs()).is_in_sequence(),
        };
        if in_sequence && index > 0 {
            jitter.record(passed - prefix.sent.nanoseconds_since_epoch());
        }
    }
    jitter.mean_seconds()
}

/// Sequence number without sign, and transit time in nanoseconds apart from a constant, of one flow's datagrams.
fn transits(capture: &Capture, kind: &str) -> Vec<(u64, i64)> {
    let flow = &datagrams(capture)[0]["src"];
    let of_kind = datagrams(capture)
        .iter()
        .filter(|datagram| datagram["src"] == *flow && datagram["kind"] == kind);
    of_kind
        .map(|datagram| {
            let prefix =
                DatagramPrefix::decode(&bytes(&datagram["hex"]), SequenceWidth::Bits64).unwrap();
            let passed = datagram["t_us"].as_i64().unwrap() * 1000;
            (prefix.sequence.unsigned_abs(), passed - prefix.sent.nanoseconds_since_epoch())
        })
        .collect()
}

/// Whichever of the recorded FINs had been the first to arrive, the bounds hold the number of those before it.
#[test]
fn repetitions_of_a_fin_are_bounded_by_their_transit_time() {
    let mut compared = 0;
    for name in [
        "bandwidth-5g",
        "burst",
        "fq-rate",
        "isochronous-trip-times",
        "tradeoff",
        "silent-peer-num-bytes",
    ] {
        let capture = captures::load(&format!("udp-{name}"));
        let data: Vec<i64> =
            transits(&capture, "data").iter().map(|(_, transit)| *transit).collect();
        let (shortest, longest) = (data.iter().min().unwrap(), data.iter().max().unwrap());
        let fins = transits(&capture, "fin");
        for (number, transit) in &fins {
            let repetitions = number - fins[0].0;
            let bounds = FinRepetitions::from_transit(*transit, *shortest, *longest);
            assert!(
                bounds.least <= repetitions && repetitions <= bounds.most,
                "{name} {number}: {bounds:?}"
            );
            assert_eq!(bounds.most == 0, repetitions == 0, "{name} {number}: {bounds:?}");
            compared += 1;
        }
    }
    assert_eq!(compared, 20);
}
