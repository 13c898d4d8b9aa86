use linerate_schema::results::{ReceiverSource, Verdict};

use super::fixtures::{external, failed, judge, tcp, told, udp};

#[test]
fn a_measured_value_is_compared_with_its_limit() {
    insta::assert_snapshot!(told(
        &[tcp("upload", &[42.1; 10])],
        &[
            "throughput >= 40 Mbit/s",
            "throughput >= 50 Mbit/s",
            "throughput > 42.1 Mbit/s",
            "throughput >= 42.1001 Mbit/s",
            "throughput < 42.1 Mbit/s",
            "throughput <= 30 Mbit/s",
            "throughput between 40 Mbit/s and 45 Mbit/s",
            "throughput between 43 Mbit/s and 45 Mbit/s",
            "throughput between 1 Mbit/s and 2 Mbit/s",
            "sender.throughput > 46 Mbit/s",
            "transfer == 52625000 B",
            "transfer == 52 MB",
            "retransmits != 10",
            "duration == 10 s",
            "tcp-rtt < 5 ms",
            "mss >= 1460 B",
            "cwnd > 1 MB",
            "writes > 5",
            "write-errors == 0",
            "reads >= 501",
            "connect-time < 1 ms",
            "throughput >= 90% * sender.throughput",
            "throughput >= sender.throughput - 1 Mbit/s",
        ]
    ));
}

#[test]
fn datagram_metrics_are_compared() {
    insta::assert_snapshot!(told(
        &[udp("call", &[10])],
        &[
            "loss <= 1%",
            "loss < 0.5%",
            "lost == 10",
            "datagrams >= 1000",
            "sender.datagrams >= 1000",
            "out-of-order == 0",
            "duplicates == 0",
            "pps >= 99 pps",
            "jitter < 5 ms",
            "latency < 500 ms",
            "p95(latency) < 900 ms",
            "max(latency) <= 990 ms",
            "min(latency) >= 1 ms",
            "stdev(latency) < 1 ms",
        ]
    ));
}

#[test]
fn a_comparison_carries_numbers_and_texts() {
    let result = judge("p99(latency) < 20 ms", &[udp("call", &[0])]);
    assert_eq!(result.verdict, Verdict::Fail);
    assert_eq!(result.location.line, 7);
    let [comparison] = result.comparisons.as_slice() else { panic!("{result:?}") };
    assert_eq!(comparison.measured, Some(0.99));
    assert_eq!(comparison.limit, Some(0.02));
    assert_eq!(comparison.measured_text, "990 ms");
    assert_eq!(comparison.limit_text, "< 20 ms");
    assert_eq!(comparison.samples, Some(1000));
    assert_eq!(comparison.scope, "");
    let result = judge("throughput between 1 Mbit/s and 2 Mbit/s", &[tcp("up", &[1.5])]);
    assert_eq!((result.verdict, result.comparisons[0].limit), (Verdict::Pass, None));
}

#[test]
fn what_could_not_be_measured_is_an_error_that_says_what_to_do() {
    let upload = || tcp("upload", &[40.0; 10]);
    let silent = external(upload(), "192.0.2.9");
    insta::assert_snapshot!(told(
        &[silent],
        &[
            "throughput > 1 bit/s",
            "throughput < 1 Gbit/s",
            "throughput > 1 bit/s for each stream",
            "throughput > 1 bit/s for each interval",
            "sender.throughput > throughput",
        ]
    ));
    insta::assert_snapshot!(
        "a_failed_flow",
        told(
            &[failed(upload())],
            &[
                "throughput > 1 bit/s",
                "throughput > 1 Gbit/s",
                "loss < 1%",
                "throughput > 1 bit/s for each stream"
            ]
        )
    );
    insta::assert_snapshot!(
        "other_flows",
        told(
            &[upload(), failed(tcp("download", &[30.0; 3]))],
            &[
                "upload.throughput > 1 bit/s",
                "upload.throughput > 0.5 * download.throughput",
                "throughput > 1 bit/s",
                "nobody.throughput > 1 bit/s",
                "throughput > 1 bit/s for each flow",
                "throughput > 1 Gbit/s for each flow",
            ]
        )
    );
    insta::assert_snapshot!("without_flows", told(&[], &["throughput > 1 bit/s"]));
}

#[test]
fn metrics_that_this_traffic_lacks_are_errors() {
    let mut call = udp("call", &[0]);
    let receiver = call.streams[0].receiver.as_mut().unwrap();
    receiver.latency = None;
    receiver.datagrams.as_mut().unwrap().duplicates = None;
    insta::assert_snapshot!(told(
        &[call],
        &[
            "latency < 1 s",
            "duplicates == 0",
            "tcp-rtt < 1 s",
            "connect-time < 1 s",
            "retransmits == 0"
        ]
    ));
}

#[test]
fn untrustworthy_figures_are_inconclusive_on_either_side_of_the_limit() {
    let short = || tcp("upload", &[40.0, 50.0, 60.0]);
    for text in ["p95(throughput) > 1 bit/s", "p95(throughput) > 1 Gbit/s"] {
        assert_eq!(judge(text, &[short()]).verdict, Verdict::Inconclusive);
    }
    insta::assert_snapshot!(told(
        &[short()],
        &[
            "p95(throughput) > 1 bit/s",
            "p5(throughput) > 1 bit/s",
            "median(throughput) > 45 Mbit/s"
        ]
    ));
    let mut negative = udp("call", &[0]);
    negative.streams[0].receiver.as_mut().unwrap().latency.as_mut().unwrap().negative = 3;
    insta::assert_snapshot!("negative_latencies", told(&[negative], &["latency < 1 s"]));
    let mut foreign = udp("call", &[0]);
    foreign.iperf_server_command = None;
    foreign.receiver_source = Some(ReceiverSource::ServerReport);
    foreign.server.host = "legacy".to_owned();
    foreign.server.address = Some("192.0.2.9".to_owned());
    insta::assert_snapshot!(
        "foreign_clocks",
        told(&[foreign.clone()], &["latency < 1 s", "loss < 1%"])
    );
    foreign.server.address = Some("127.0.0.1".to_owned());
    assert_eq!(judge("latency < 1 s", &[foreign]).verdict, Verdict::Pass, "the same clock");
}

#[test]
fn percentiles_without_histogram_are_errors() {
    let mut call = udp("call", &[0]);
    call.streams[0].receiver.as_mut().unwrap().latency.as_mut().unwrap().bins.clear();
    insta::assert_snapshot!(told(&[call], &["p95(latency) < 1 s", "mean(latency) < 1 s"]));
}

#[test]
fn assertions_of_a_skipped_flow_are_skipped() {
    let mut upload = tcp("upload", &[40.0; 10]);
    upload.verdict = Verdict::Skipped;
    let result = judge("throughput > 1 bit/s", &[upload]);
    assert_eq!(
        (result.verdict, result.message.as_str()),
        (Verdict::Skipped, "`upload` was skipped")
    );
}
