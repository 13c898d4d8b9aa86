use super::picture;
use crate::assertion::Assertion;

/// The errors of several texts, one picture below the other.
fn pictures(texts: &[&str]) -> String {
    let pictures: Vec<String> = texts
        .iter()
        .map(|text| match Assertion::parse(text) {
            Err(error) => picture(text, &error),
            Ok(assertion) => panic!("`{text}` parses as {assertion:?}"),
        })
        .collect();
    pictures.join("\n")
}

#[test]
fn errors_of_the_metric_are_pointed_out() {
    insta::assert_snapshot!(pictures(&[
        "",
        ">= 5 Mbit/s",
        "thruput >= 50 Mbit/s",
        "bandwidth >= 50 Mbit/s",
        "upload >= 50 Mbit/s",
        "throughput.upload >= 50 Mbit/s",
        "upload..loss < 1%",
        "rtt < 20 ms",
        "call.dscp == 46",
        "ttl == 63",
        "found.bitrate >= 800 Mbit/s",
        "a.b.sender.loss < 1%",
        "sender.upload.throughput > 1 bit/s",
        "upload.both.throughput > 1 bit/s",
        "sender.jitter < 5 ms",
        "receiver.retransmits == 0",
        "sender.connect-time < 1 s",
        "reverse.connect-time < 1 s",
        "call.sender.reverse.loss < 1%",
        "reverse.call.loss < 1%",
        "call.back.loss < 1%",
        "throughput-5 > 1 bit/s",
    ]));
}

#[test]
fn errors_of_the_statistic_are_pointed_out() {
    insta::assert_snapshot!(pictures(&[
        "avg(latency) < 20 ms",
        "men(latency) < 20 ms",
        "foo(latency) < 20 ms",
        "p100(latency) < 20 ms",
        "p0(latency) < 20 ms",
        "call.p95(latency) < 20 ms",
        "p95 < 20 ms",
        "latency p95 < 20 ms",
        "p95() < 20 ms",
        "p95(latency < 20 ms",
        "max(latency, jitter) < 20 ms",
        "mean(duration) < 20 s",
        "duration < max(duration)",
    ]));
}

#[test]
fn errors_about_dscps_are_pointed_out() {
    insta::assert_snapshot!(pictures(&[
        "received.dscp >= ef",
        "received.dscp between cs0 and ef",
        "received.dscp = ef",
        "received.dscp ==",
        "received.dscp == voice",
        "received.dscp == 0xb8",
        "received.dscp == 5 ms",
        "received.dscp == ef + 1",
        "received.dscp == other.received.dscp",
        "min(received.dscp) == ef",
        "sender.received.dscp == ef",
        "loss < received.dscp",
        "received.ttl == ef",
    ]));
}

#[test]
fn errors_of_the_operator_are_pointed_out() {
    insta::assert_snapshot!(pictures(&[
        "throughput",
        "throughput is 50 Mbit/s",
        "throughput = 50 Mbit/s",
        "throughput => 50 Mbit/s",
        "throughput ≥ 50 Mbit/s",
        "throughput <<< 50 Mbit/s",
        "throughput * 2 > 50 Mbit/s",
        "throughput - 5 Mbit/s > 50 Mbit/s",
        "throughput between 5 Mbit/s or 6 Mbit/s",
        "throughput between 6 Mbit/s and 5 Mbit/s",
    ]));
}

#[test]
fn errors_of_the_limit_are_pointed_out() {
    insta::assert_snapshot!(pictures(&[
        "throughput >=",
        "throughput >= fast",
        "throughput >= 50",
        "throughput >= 50M",
        "throughput >= 50 Mb/s",
        "throughput >= 50 ms",
        "throughput >= 50 furlong",
        "transfer >= 5 KB",
        "latency < 2m",
        "latency < 20",
        "loss < 0.01",
        "loss < 1 percent",
        "lost < 5 ms",
        "lost < 5 datagrams",
        "jitter < .5 ms",
        "throughput >= 1e999 Mbit/s",
        "throughput >= a.latency",
        "throughput >= baseline - 5%",
        "throughput >= down.throughput - 5%",
        "throughput >= 2 down.throughput",
        "throughput >= a.throughput * b.throughput",
        "throughput >= a.throughput / 2",
        "throughput >= (a.throughput",
        "throughput >= max(a.throughput)  max",
        "throughput >= max(5 Mbit/s)",
        "throughput >= max(a.throughput, )",
        "throughput >= -a.throughput",
        "throughput >= ((((((((((((((((((1 Mbit/s))))))))))))))))))",
    ]));
}

#[test]
fn errors_of_the_clauses_are_pointed_out() {
    insta::assert_snapshot!(pictures(&[
        "loss < 1% during",
        "loss < 1% during 5..25s",
        "loss < 1% during 5s-25s",
        "loss < 1% during 5s 25s",
        "loss < 1% during 25s..5s",
        "loss < 1% during 1s..2s during 3s..4s",
        "loss < 1% for",
        "loss < 1% for ever",
        "loss < 1% for each",
        "loss < 1% for each streem",
        "loss < 1% for each repeat",
        "loss < 1% for 95 of 1s windows",
        "loss < 1% for 0% of 1s windows",
        "loss < 1% for 95% 1s windows",
        "loss < 1% for 95% of windows",
        "loss < 1% for 95% of 1s window",
        "loss < 1% for 95% of 0s windows",
        "throughput >= 5 Mbit/s with 95% confidence",
        "loss < 1% for each interval for 95% of 1s windows",
        "p5(throughput) > 1 bit/s for each interval",
        "connect-time < 1 s during 1s..2s",
        "duration < 1 s for each interval",
        "call.loss < 1% for each flow",
        "loss < 1% and jitter < 5 ms",
        "loss < 1%, jitter < 5 ms",
        "1 Mbit/s < throughput",
        "throughput > 1 Mbit/s > 0 bit/s",
        "throughput > 5 ± 1 Mbit/s",
        "loss < 1% please",
    ]));
}

#[test]
fn an_endless_assertion_is_refused() {
    let text = format!("throughput > {}1 Mbit/s", "1 Mbit/s + ".repeat(10_000));
    let error = Assertion::parse(&text).unwrap_err();
    assert_eq!(error.message, "the assertion is longer than 1000 bytes");
}
