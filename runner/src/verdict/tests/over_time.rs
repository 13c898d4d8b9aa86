use linerate_schema::results::{FlowResult, Verdict};
use linerate_schema::scenario::Transport;

use super::fixtures::{flow, judge, latencies, tcp, tcp_stream, told, udp};

const RAMP: [f64; 10] = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0];

#[test]
fn statistics_of_a_rate_are_taken_over_the_intervals() {
    insta::assert_snapshot!(told(
        &[tcp("upload", &RAMP)],
        &[
            "throughput == 55 Mbit/s",
            "mean(throughput) == 55 Mbit/s",
            "min(throughput) >= 10 Mbit/s",
            "max(throughput) <= 100 Mbit/s",
            "median(throughput) == 50 Mbit/s",
            "p90(throughput) == 90 Mbit/s",
            "stdev(throughput) < 30 Mbit/s",
            "stdev(throughput) < 35% * mean(throughput)",
            "p95(sender.throughput) > 1 Mbit/s",
            "max(retransmits) <= 1",
        ]
    ));
}

#[test]
fn during_uses_the_intervals_fully_inside() {
    insta::assert_snapshot!(told(
        &[tcp("upload", &RAMP)],
        &[
            "throughput == 50 Mbit/s during 2s..7s",
            "throughput == 50 Mbit/s during 1.5s..7.5s",
            "transfer == 6.25 MB during 4s..5s",
            "retransmits == 5 during 2s..7s",
            "tcp-rtt == 10 ms during 2s..7s",
            "min(throughput) == 30 Mbit/s during 2s..7s",
            "throughput >= 30 Mbit/s for each interval during 2s..7s",
            "throughput > 45 Mbit/s during 2.2s..2.8s",
            "throughput > 1 Mbit/s during 5s..25s",
            "throughput > 1 Mbit/s during 20s..25s",
            "throughput > 0.5 * sender.throughput during 0s..10s",
        ]
    ));
}

#[test]
fn each_interval_has_its_own_comparison() {
    let result = judge("throughput >= 25 Mbit/s for each interval", &[tcp("upload", &RAMP)]);
    assert_eq!(result.comparisons.len(), 10);
    assert_eq!(result.comparisons[0].scope, "upload 0.00-1.00 s");
    assert_eq!(
        result.message,
        "2 of 10 fail; upload 0.00-1.00 s: throughput was 10 Mbit/s, below the limit of 25 Mbit/s"
    );
    let result = judge("throughput >= 10 Mbit/s for each interval", &[tcp("upload", &RAMP)]);
    assert_eq!(
        result.message,
        "all 10 hold; nearest to the limit is upload 0.00-1.00 s: throughput was 10 Mbit/s, as required (>= 10 Mbit/s)"
    );
}

#[test]
fn windows_are_counted() {
    insta::assert_snapshot!(told(
        &[tcp("upload", &RAMP)],
        &[
            "throughput >= 20 Mbit/s for 90% of 1s windows",
            "throughput >= 20 Mbit/s for 95% of 1s windows",
            "throughput >= 15 Mbit/s for 100% of 2s windows",
            "throughput >= 20 Mbit/s for 100% of 3s windows",
            "throughput between 20 Mbit/s and 90 Mbit/s for 85% of 1s windows",
            "throughput >= 30 Mbit/s for 100% of 1s windows during 2s..7s",
            "throughput >= 1 Mbit/s for 100% of 1500ms windows",
            "throughput >= 1 Mbit/s for 100% of 500ms windows",
            "throughput >= 1 Mbit/s for 100% of 20s windows",
        ]
    ));
    let result = judge("throughput >= 20 Mbit/s for 95% of 1s windows", &[tcp("upload", &RAMP)]);
    assert_eq!((result.verdict, result.comparisons.len()), (Verdict::Fail, 1));
    assert_eq!(result.comparisons[0].measured_text, "9 of 10 windows (90%)");
    assert_eq!(result.comparisons[0].limit_text, ">= 20 Mbit/s for 95% of 1 s windows");
}

#[test]
fn latency_distributions_of_intervals_merge() {
    let mut call = udp("call", &[0]);
    for (second, interval) in call.streams[0].receiver_intervals.iter_mut().enumerate() {
        interval.measurement.latency = Some(latencies(if second < 5 { 10 } else { 100 }));
    }
    insta::assert_snapshot!(told(
        &[call],
        &[
            "max(latency) <= 10 ms during 0s..5s",
            "p90(latency) <= 9 ms during 0s..5s",
            "p90(latency) <= 9 ms during 5s..10s",
            "p99(latency) <= 9 ms during 0s..5s",
            "latency <= 6 ms for each interval",
            "p95(latency) < 1 s for each interval",
            "p95(latency) < 1 s for 50% of 1s windows",
            "p95(latency) < 1 s for 80% of 1s windows",
        ]
    ));
}

#[test]
fn a_short_remainder_at_the_end_is_not_judged() {
    let mut upload = tcp("upload", &[50.0; 5]);
    let mut last = upload.streams[0].receiver_intervals[4].clone();
    (last.start_seconds, last.end_seconds) = (5.0, 5.02);
    last.measurement.throughput_bits_per_second = 0.0;
    upload.streams[0].receiver_intervals.push(last);
    let result = judge("throughput >= 50 Mbit/s for each interval", &[upload]);
    assert_eq!((result.verdict, result.comparisons.len()), (Verdict::Pass, 5));
}

#[test]
fn gaps_in_the_intervals_are_errors() {
    let tell =
        |upload: &FlowResult| judge("min(throughput) > 1 bit/s", std::slice::from_ref(upload));
    let mut upload = tcp("upload", &RAMP);
    upload.streams[0].receiver_intervals.remove(4);
    let result = tell(&upload);
    assert_eq!(result.verdict, Verdict::Error);
    assert_eq!(
        result.message,
        "no interval covers 4.00 to 5.00 s: a part of `upload` was not recorded"
    );
    let mut upload = tcp("upload", &RAMP);
    upload.streams[0].receiver_intervals.truncate(6);
    assert_eq!(
        tell(&upload).message,
        "no interval covers 6.00 to 10.00 s: a part of `upload` was not recorded"
    );
    upload.streams[0].receiver_intervals.clear();
    assert!(tell(&upload).message.starts_with("the receiver of `upload` recorded no intervals"));
    upload.options.shift_remove("interval");
    assert_eq!(
        tell(&upload).message,
        "`upload` recorded no intervals: add `interval: 1s` to the client"
    );
}

#[test]
fn a_server_that_records_more_finely_does_not_change_the_flows_intervals() {
    let mut upload = tcp("upload", &RAMP);
    upload.options.insert("interval".to_owned(), "2 s".to_owned());
    let result = judge("throughput >= 15 Mbit/s for each interval", &[upload]);
    assert_eq!((result.verdict, result.comparisons.len()), (Verdict::Pass, 5));
}

#[test]
fn intervals_of_several_streams_are_put_side_by_side() {
    let streams = vec![tcp_stream(1, &[10.0; 4]), tcp_stream(2, &[30.0, 30.0, 30.0])];
    let upload = flow("upload", Transport::Tcp, streams);
    let result = judge("throughput >= 40 Mbit/s for each interval", std::slice::from_ref(&upload));
    let seen: Vec<_> = result.comparisons.iter().map(|c| c.measured_text.as_str()).collect();
    assert_eq!(seen, ["40 Mbit/s", "40 Mbit/s", "40 Mbit/s", "10 Mbit/s"]);
    // In the second window the second stream sends for half of the time.
    let result = judge("throughput >= 25 Mbit/s for 100% of 2s windows", &[upload]);
    assert_eq!(result.verdict, Verdict::Pass);
    assert_eq!(result.comparisons[0].measured, Some(25e6));
}
