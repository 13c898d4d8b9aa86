use linerate_schema::results::{FlowResult, ReceivedMarks, Verdict};

use super::fixtures::{judge, tcp, told, udp};

/// The flow with these counts of type-of-service bytes and times to live in its last second and in the whole.
fn marked(mut flow: FlowResult, tos: &[(u8, u64)], ttl: &[(u8, u64)]) -> FlowResult {
    let marks = ReceivedMarks::from_counts(tos, ttl);
    let add = |received: &mut Option<ReceivedMarks>| {
        *received = ReceivedMarks::merge(received.iter().chain([&marks]));
    };
    for stream in &mut flow.streams {
        add(&mut stream.receiver.as_mut().unwrap().received);
        add(&mut stream.receiver_intervals.last_mut().unwrap().measurement.received);
    }
    flow
}

#[test]
fn a_single_datagram_with_another_mark_fails_and_all_are_told() {
    insta::assert_snapshot!(told(
        &[marked(udp("call", &[0]), &[(0, 9), (0x23, 1)], &[(62, 9), (1, 1)])],
        &[
            "received.dscp == ef",
            "received.dscp != ef",
            "received.dscp != cs0",
            "received.dscp != af11",
            "received.dscp == ef during 0s..9s",
            "received.dscp == ef for each interval",
            "received.dscp == ef for 90% of 1s windows",
            "received.dscp == ef for 95% of 1s windows",
            "received.ecn-ce == 0%",
            "received.ecn-ce < 0.2%",
            "received.ttl == 63",
            "received.ttl >= 62",
            "received.ttl <= 63",
            "received.ttl between 1 and 63",
            "received.ttl != 2",
            "min(received.ttl) == 1",
            "median(received.ttl) == 63",
            "received.ttl >= received.ttl",
            "received.ttl >= min(received.ttl)",
        ]
    ));
}

#[test]
fn streams_are_compared_together_and_apart() {
    insta::assert_snapshot!(told(
        &[udp("call", &[0, 10])],
        &[
            "received.dscp == ef",
            "received.dscp == ef for each stream",
            "received.dscp == 5 for each stream",
            "received.ecn-ce == 0%",
            "received.ttl == 63",
        ]
    ));
}

#[test]
fn without_marks_nothing_passes() {
    let mut unmarked = udp("call", &[0]);
    for stream in &mut unmarked.streams {
        stream.receiver.as_mut().unwrap().received = None;
        stream.receiver_intervals.iter_mut().for_each(|i| i.measurement.received = None);
    }
    for flow in [unmarked, tcp("call", &[10.0; 10])] {
        for text in [
            "received.dscp != cs7",
            "received.dscp != cs7 for each interval",
            "received.dscp != cs7 for 1% of 1s windows",
            "received.ecn-ce <= 100%",
            "received.ttl >= 0",
            "max(received.ttl) >= 0",
        ] {
            let result = judge(text, std::slice::from_ref(&flow));
            assert_eq!(result.verdict, Verdict::Error, "{text}: {}", result.message);
        }
    }
}
