use linerate_schema::results::Verdict;
use linerate_schema::scenario::Transport;

use super::fixtures::{flow, judge, tcp, tcp_stream, told, udp};

#[test]
fn several_streams_become_one_figure_and_the_report_says_how() {
    let upload = flow(
        "upload",
        Transport::Tcp,
        vec![tcp_stream(1, &[10.0; 10]), tcp_stream(2, &[20.0; 10]), tcp_stream(3, &[30.0; 10])],
    );
    insta::assert_snapshot!(told(
        &[upload],
        &[
            "throughput >= 60 Mbit/s",
            "transfer == 75 MB",
            "tcp-rtt <= 20 ms",
            "retransmits == 30",
            "cwnd == 300 kB",
            "mss == 1457 B",
            "connect-time <= 2 ms",
            "mean(connect-time) <= 2 ms",
            "min(connect-time) <= 0.5 ms",
            "p95(connect-time) <= 2 ms",
            "duration == 10 s",
            "throughput >= 10 Mbit/s for each stream",
            "throughput >= 15 Mbit/s for each stream",
            "throughput >= 25% * throughput for each stream",
            "connect-time < 2 ms for each stream",
        ]
    ));
    insta::assert_snapshot!(
        "datagrams",
        told(
            &[udp("call", &[100, 0])],
            &[
                "loss <= 5%",
                "loss <= 5% for each stream",
                "jitter <= 4 ms",
                "p50(latency) < 1 s",
                "lost == 100"
            ]
        )
    );
}

#[test]
fn each_stream_and_each_flow_has_its_own_comparison() {
    let upload = flow(
        "upload",
        Transport::Tcp,
        vec![tcp_stream(1, &[10.0; 10]), tcp_stream(2, &[20.0; 10])],
    );
    let result = judge("throughput >= 15 Mbit/s for each stream", std::slice::from_ref(&upload));
    let seen: Vec<_> = result.comparisons.iter().map(|c| (c.scope.as_str(), c.verdict)).collect();
    assert_eq!(seen, [("upload stream 1", Verdict::Fail), ("upload stream 2", Verdict::Pass)]);
    assert_eq!(result.verdict, Verdict::Fail);

    let result = judge("throughput >= 15 Mbit/s for each flow", &[upload, tcp("slow", &[1.0; 10])]);
    let seen: Vec<_> = result.comparisons.iter().map(|c| (c.scope.as_str(), c.verdict)).collect();
    assert_eq!(seen, [("upload", Verdict::Pass), ("slow", Verdict::Fail)]);
    assert_eq!(
        result.message,
        "1 of 2 fail; slow: throughput was 1 Mbit/s, below the limit of 15 Mbit/s"
    );
}

#[test]
fn a_flow_is_not_judged_by_a_part_of_its_streams() {
    let mut upload = flow(
        "upload",
        Transport::Tcp,
        vec![tcp_stream(1, &[10.0; 10]), tcp_stream(2, &[20.0; 10])],
    );
    upload.streams[1].receiver = None;
    let result = judge("throughput >= 5 Mbit/s", &[upload]);
    assert_eq!(result.verdict, Verdict::Error);
    assert!(
        result.message.starts_with("nothing is known of the receiver of stream 2 of `upload`"),
        "{}",
        result.message
    );
}
