use super::fixtures::{both_ways, told, udp};

#[test]
fn each_way_is_judged_by_its_own_figures() {
    insta::assert_snapshot!(told(
        &[both_ways("call", 10, 300)],
        &[
            "forward.loss < 2%",
            "reverse.loss < 2%",
            "call.reverse.receiver.lost == 300",
            "reverse.loss > 10 * forward.loss",
            "p95(forward.latency) < 1 s",
            "reverse.loss < 5% for each interval",
            "reverse.throughput > 1 bit/s for 90% of 1s windows",
            "forward.lost <= 10 for each stream",
            "reverse.sender.throughput > 1 bit/s",
        ]
    ));
}

#[test]
fn a_way_that_is_not_named_or_not_there_is_an_error() {
    insta::assert_snapshot!(told(
        &[both_ways("call", 0, 0), udp("up", &[0])],
        &[
            "call.loss < 1%",
            "up.reverse.loss < 1%",
            "up.forward.loss < 1%",
            "loss < 1% for each flow",
            "up.loss <= call.loss",
        ]
    ));
}
