use super::picture;
use crate::assertion::Assertion;
use crate::scenario::{Direction, TrafficClass, Transport};

const TCP: TrafficClass = TrafficClass {
    transport: Transport::Tcp,
    direction: Direction::Forward,
    trip_times: false,
    intervals: false,
    interval: None,
    time: None,
    external_server: false,
};

const UDP: TrafficClass = TrafficClass { transport: Transport::Udp, ..TCP };

const EXTERNAL: TrafficClass = TrafficClass { external_server: true, intervals: true, ..TCP };

fn pictures(flows: &[(&str, TrafficClass)], texts: &[&str]) -> String {
    let mut pictures = Vec::new();
    for text in texts {
        let problems = Assertion::parse(text).expect(text).problems(flows);
        assert!(!problems.is_empty(), "`{text}` has no problem");
        pictures.extend(problems.iter().map(|problem| picture(text, problem)));
    }
    pictures.join("\n")
}

fn accepts(flows: &[(&str, TrafficClass)], texts: &[&str]) {
    for text in texts {
        assert_eq!(Assertion::parse(text).expect(text).problems(flows), [], "{text}");
    }
}

#[test]
fn flow_names_are_checked() {
    let flows = [("upload", TCP), ("call", UDP)];
    insta::assert_snapshot!(pictures(
        &flows,
        &[
            "uplod.throughput > 1 bit/s",
            "voice.loss < 1%",
            "throughput > 1 bit/s",
            "p95(sender.throughput) > 1 bit/s",
            "throughput > 1 bit/s for each stream",
            "upload.throughput > 2 * cal.throughput",
            "loss < 1% for each flow",
        ]
    ));
    insta::assert_snapshot!("without_flows", pictures(&[], &["throughput > 1 bit/s"]));
    accepts(
        &flows,
        &[
            "upload.throughput > call.throughput",
            "throughput > 1 bit/s for each flow",
            "call.loss < 1%",
        ],
    );
    accepts(&[("client", TCP)], &["throughput > 1 bit/s", "client.throughput > 1 bit/s"]);
}

#[test]
fn metrics_that_the_traffic_does_not_have_are_named() {
    insta::assert_snapshot!(pictures(
        &[("up", TCP), ("call", UDP)],
        &[
            "up.loss < 1%",
            "up.jitter < 5 ms",
            "up.pps > 5 pps",
            "up.latency < 5 ms",
            "call.latency < 5 ms",
            "call.tcp-rtt < 5 ms",
            "call.retransmits == 0",
            "call.connect-time < 1 s",
        ]
    ));
    let trip_times = TrafficClass { trip_times: true, ..UDP };
    accepts(&[("call", trip_times)], &["latency < 5 ms", "p95(call.latency) < 5 ms"]);
    accepts(
        &[("up", TCP)],
        &["retransmits < 5", "mean(connect-time) < 5 ms", "receiver.tcp-rtt < 1 s"],
    );
}

#[test]
fn intervals_have_to_be_recorded() {
    let texts = [
        "p5(throughput) > 1 bit/s",
        "throughput > 1 bit/s during 1s..2s",
        "throughput > 1 bit/s for each interval",
        "throughput > 1 bit/s for 95% of 1s windows",
        "throughput > mean(throughput)",
    ];
    insta::assert_snapshot!(pictures(&[("up", TCP)], &texts));
    accepts(&[("up", TrafficClass { intervals: true, ..TCP })], &texts);
}

#[test]
fn ends_of_somebody_else_are_known_only_by_their_report() {
    insta::assert_snapshot!(pictures(
        &[("up", EXTERNAL)],
        &["throughput > 1 bit/s", "reads > 5", "receiver.tcp-rtt < 5 ms"]
    ));
    let udp = TrafficClass { transport: Transport::Udp, ..EXTERNAL };
    insta::assert_snapshot!(
        "an_external_udp_server",
        pictures(
            &[("call", udp)],
            &["duplicates == 0", "loss < 1% during 1s..2s", "p95(jitter) < 1 ms", "reads > 5"]
        )
    );
    let reverse = TrafficClass { direction: Direction::Reverse, ..EXTERNAL };
    insta::assert_snapshot!(
        "an_external_sender",
        pictures(
            &[("down", reverse)],
            &["retransmits == 0", "tcp-rtt < 5 ms", "sender.throughput > 1 bit/s"]
        )
    );
    accepts(
        &[("up", EXTERNAL)],
        &["sender.throughput > 1 bit/s", "tcp-rtt < 5 ms", "connect-time < 1 s"],
    );
    accepts(
        &[("call", udp)],
        &["loss < 1%", "throughput > 1 bit/s", "p95(sender.throughput) > 1 bit/s"],
    );
    accepts(
        &[("down", reverse)],
        &["throughput > 1 bit/s for each interval", "receiver.tcp-rtt < 1 s"],
    );
}

#[test]
fn a_flow_of_both_ways_needs_to_hear_which_is_meant() {
    let both = TrafficClass { direction: Direction::FullDuplex, ..UDP };
    insta::assert_snapshot!(pictures(
        &[("call", both)],
        &["loss < 1%", "p95(call.sender.throughput) > 1 bit/s", "forward.loss < 2 * loss"]
    ));
    insta::assert_snapshot!(
        "a_way_without_data",
        pictures(&[("up", UDP)], &["reverse.loss < 1%", "p95(up.reverse.jitter) < 1 ms"])
    );
    let external = TrafficClass { external_server: true, intervals: true, ..both };
    insta::assert_snapshot!(
        "an_external_end_of_both_ways",
        pictures(
            &[("call", external)],
            &["forward.loss < 1%", "reverse.sender.throughput > 1 bit/s"]
        )
    );
    accepts(&[("call", both)], &["call.forward.loss < 1%", "reverse.sender.pps > forward.pps"]);
    accepts(&[("up", UDP)], &["forward.loss < 1%", "up.forward.jitter < 1 ms"]);
    accepts(&[("call", external)], &["reverse.loss < 1%", "forward.sender.pps > 1 pps"]);
}
