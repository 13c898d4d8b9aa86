//! What must never pass, whatever the numbers.

use linerate_schema::assertion::{KnownBy, MetricFacts, Samples};
use linerate_schema::results::{FlowResult, Verdict};
use linerate_schema::scenario::Transport;
use linerate_schema::units::Dimension;
use proptest::prelude::*;

use super::fixtures::{failed, flow, judge, tcp, tcp_stream, udp, udp_stream};

/// Assertions that almost any measured value would pass.
fn lenient(facts: &MetricFacts, prefix: &str, clause: &str) -> Vec<String> {
    let unit = match facts.dimension {
        Dimension::BitRate => " bit/s",
        Dimension::PacketRate => " pps",
        Dimension::Bytes => " B",
        Dimension::Time => " s",
        Dimension::Ratio => "%",
        Dimension::Count | Dimension::Dscp => "",
    };
    let name = format!("{prefix}{}", facts.name);
    let lefts = match facts.samples {
        Samples::EachCompared => return vec![format!("{name} != 63{clause}")],
        Samples::None => vec![name],
        _ => vec![format!("mean({name})"), format!("max({name})"), name],
    };
    let clause = if facts.samples == Samples::None { "" } else { clause };
    lefts
        .into_iter()
        .filter(|left| {
            !(left.ends_with(')')
                && (clause.contains("windows") || clause.contains("interval"))
                && facts.samples == Samples::Intervals)
        })
        .flat_map(|left| {
            [
                format!("{left} >= -1{unit}{clause}"),
                format!("{left} <= 1e12{unit}{clause}"),
                format!("{left} != 1e12{unit}{clause}"),
            ]
        })
        .collect()
}

const CLAUSES: [&str; 5] =
    ["", " for each stream", " for each interval", " for 1% of 1s windows", " during 0s..3s"];

fn receiver_metrics() -> impl Iterator<Item = &'static MetricFacts> {
    MetricFacts::ALL
        .iter()
        .filter(|facts| matches!(facts.known_by, KnownBy::Receiver | KnownBy::ReceiverOrSender))
}

fn any_flow() -> impl Strategy<Value = FlowResult> {
    let rates = prop::collection::vec(0.0..1000.0_f64, 1..12);
    let tcp = prop::collection::vec(rates, 0..4).prop_map(|streams| {
        let streams = (1..).zip(&streams).map(|(number, rates)| tcp_stream(number, rates));
        flow("it", Transport::Tcp, streams.collect())
    });
    let udp = prop::collection::vec(0..1000_u64, 0..4).prop_map(|streams| {
        let streams = (1..).zip(&streams).map(|(number, lost)| udp_stream(number, *lost));
        flow("it", Transport::Udp, streams.collect())
    });
    prop_oneof![tcp, udp]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Of the flow as a whole, or of each stream: either way nobody measured the receiver.
    #[test]
    fn without_a_receiver_no_receiver_metric_passes(it in any_flow(), whole in any::<bool>()) {
        let mut it = it;
        it.receiver = None;
        if whole {
            for stream in &mut it.streams {
                stream.receiver = None;
                stream.receiver_intervals.clear();
            }
        }
        for facts in receiver_metrics() {
            for text in CLAUSES.iter().flat_map(|clause| lenient(facts, "", clause)) {
                let result = judge(&text, std::slice::from_ref(&it));
                prop_assert_eq!(result.verdict, Verdict::Error, "{}: {}", text, result.message);
                prop_assert!(!result.message.is_empty());
            }
        }
    }

    #[test]
    fn a_failed_flow_neither_passes_nor_fails(it in any_flow()) {
        let it = failed(it);
        for facts in MetricFacts::ALL {
            for text in CLAUSES.iter().flat_map(|clause| lenient(facts, "", clause)) {
                if facts.samples == Samples::Streams && (text.contains("interval") || text.contains("windows") || text.contains("during")) {
                    continue;
                }
                let result = judge(&text, std::slice::from_ref(&it));
                prop_assert_eq!(result.verdict, Verdict::Error, "{}: {}", text, result.message);
            }
        }
    }

    #[test]
    fn a_stream_without_receiver_keeps_its_flow_from_passing(
        lost in prop::collection::vec(0..999_u64, 1..4),
        missing in any::<prop::sample::Index>(),
    ) {
        let mut it = udp("it", &lost);
        let missing = missing.index(lost.len());
        it.streams[missing].receiver = None;
        it.streams[missing].receiver_intervals.clear();
        for facts in receiver_metrics() {
            for text in ["", " for each interval", " during 0s..3s"].iter().flat_map(|clause| lenient(facts, "", clause)) {
                let result = judge(&text, std::slice::from_ref(&it));
                prop_assert_eq!(result.verdict, Verdict::Error, "{}: {}", text, result.message);
            }
        }
    }
}

#[test]
fn the_lenient_assertions_pass_when_everything_was_measured() {
    let (upload, call) = (tcp("it", &[10.0; 10]), udp("it", &[0]));
    for facts in receiver_metrics() {
        for text in CLAUSES.iter().flat_map(|clause| lenient(facts, "", clause)) {
            let flows = [upload.clone(), call.clone()];
            let verdicts = flows.map(|flow| judge(&text, &[flow]).verdict);
            assert!(verdicts.contains(&Verdict::Pass), "{text}: {verdicts:?}");
        }
    }
}

#[test]
fn a_receiver_that_got_nothing_judges_nothing() {
    let mut upload = tcp("it", &[0.0; 3]);
    upload.verdict = Verdict::Pass;
    let result = judge("throughput < 1 Mbit/s", &[upload]);
    assert_eq!(result.verdict, Verdict::Error);
    assert_eq!(result.message, "the receiver of `it` moved no data, so there is nothing to judge");
}

#[test]
fn a_single_datagram_has_no_rate() {
    let mut call = udp("it", &[0]);
    let receiver = call.streams[0].receiver.as_mut().unwrap();
    (receiver.duration_seconds, receiver.throughput_bits_per_second) = (0.0, 0.0);
    receiver.jitter_seconds = None;
    call.receiver = Some(receiver.clone());
    let jitter = judge("jitter < 1 ms", &[call.clone()]);
    assert!(jitter.message.contains("at least two datagrams"), "{}", jitter.message);
    for text in ["throughput < 1 Gbit/s", "pps < 1 Mpps"] {
        assert_eq!(judge(text, &[call.clone()]).verdict, Verdict::Error, "{text}");
    }
}

#[test]
fn streams_that_did_not_run_at_the_same_time_have_no_sum_of_rates() {
    let mut upload = tcp("it", &[8e6; 3]);
    let receiver = upload.receiver.as_mut().unwrap();
    (receiver.duration_seconds, receiver.throughput_bits_per_second) = (30.0, 1e6);
    assert_eq!(judge("throughput > 2 Mbit/s", &[upload.clone()]).verdict, Verdict::Fail);
    assert_eq!(judge("duration >= 30 s", &[upload]).verdict, Verdict::Pass);
}
