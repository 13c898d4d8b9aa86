use crate::assertion::{Assertion, Condition, Each, Expression, Metric, Operator, Side, Stat};
use crate::scenario::Way;

fn parse(text: &str) -> Assertion {
    Assertion::parse(text).unwrap_or_else(|error| panic!("{}", super::picture(text, &error)))
}

#[test]
fn a_plain_assertion_has_metric_operator_and_limit() {
    let assertion = parse("throughput >= 50 Mbit/s");
    assert_eq!(assertion.left.metric, Metric::Throughput);
    assert_eq!(assertion.left.side(), Some(Side::Receiver));
    let Condition::Compare(Operator::GreaterOrEqual, limit) = &assertion.condition else {
        panic!("{assertion:?}");
    };
    assert_eq!(limit.constant(), Some(50e6));
    assert_eq!(assertion.left.range, 0..10);
}

#[test]
fn flow_side_and_statistic_are_told_apart() {
    let left = |text: &str| {
        let left = parse(text).left.value;
        (left.stat, left.flow.map(|flow| flow.value), left.side, left.metric)
    };
    let call = || Some("call".to_owned());
    assert_eq!(left("call.loss < 1%"), (None, call(), None, Metric::Loss));
    assert_eq!(
        left("sender.throughput > 1 bit/s"),
        (None, None, Some(Side::Sender), Metric::Throughput)
    );
    assert_eq!(
        left("p99.9( call.receiver.latency ) < 1 s"),
        (Some(Stat::Percentile(99.9)), call(), Some(Side::Receiver), Metric::Latency)
    );
    assert_eq!(
        left("2nd_flow-x.out-of-order == 0"),
        (None, Some("2nd_flow-x".to_owned()), None, Metric::OutOfOrder)
    );
    assert_eq!(left("max(connect-time) < 1 s"), (Some(Stat::Max), None, None, Metric::ConnectTime));
    let owner = |text: &str| {
        let left = parse(text).left.value;
        (left.flow.map(|flow| flow.value), left.way, left.side)
    };
    assert_eq!(owner("reverse.loss < 1%"), (None, Some(Way::Reverse), None));
    assert_eq!(owner("call.forward.loss < 1%"), (call(), Some(Way::Forward), None));
    assert_eq!(
        owner("p95(call.reverse.sender.pps) > 1 pps"),
        (call(), Some(Way::Reverse), Some(Side::Sender))
    );
    // A flow may be called like a side or a metric.
    assert_eq!(
        left("sender.receiver.loss < 1%"),
        (None, Some("sender".to_owned()), Some(Side::Receiver), Metric::Loss)
    );
}

#[test]
fn a_dscp_is_compared_by_name_or_number_and_belongs_to_a_flow() {
    for (text, number) in [
        ("call.received.dscp == ef", 46),
        ("call.receiver.received.dscp != 0x2e", 46),
        ("call.received.dscp == 5 for each stream", 5),
    ] {
        let assertion = parse(text);
        assert_eq!(assertion.left.metric, Metric::ReceivedDscp, "{text}");
        assert_eq!(assertion.left.flow.as_ref().map(|flow| flow.value.as_str()), Some("call"));
        let Condition::Compare(_, Expression::Dscp(dscp)) = &assertion.condition else {
            panic!("{assertion:?}")
        };
        assert_eq!(dscp.number(), number);
    }
    // A flow may be called like the first half of the name.
    let left = parse("received.received.ttl >= 60").left.value;
    assert_eq!((left.flow.unwrap().value.as_str(), left.metric), ("received", Metric::ReceivedTtl));
    assert_eq!(parse("received.loss < 1%").left.metric, Metric::Loss);
}

#[test]
fn the_right_side_calculates() {
    let value = |text: &str| {
        let assertion = parse(text);
        let Condition::Compare(_, limit) = &assertion.condition else { panic!("{assertion:?}") };
        limit.evaluate(&mut |measure| match measure.flow.as_ref().map(|f| f.value.as_str()) {
            Some("a") => Ok(100e6),
            Some("b") => Ok(10e6),
            _ => Err(format!("no value for {measure}")),
        })
    };
    let table = [
        ("throughput > 1 Mbit/s + 2 Mbit/s * 3", None),
        ("throughput > 2 * a.throughput", Some(200e6)),
        ("throughput > a.throughput * 2", Some(200e6)),
        ("throughput > 90% * a.throughput - b.throughput", Some(80e6)),
        ("throughput > a.throughput - b.throughput - b.throughput", Some(80e6)),
        ("throughput > a.throughput - (b.throughput - b.throughput)", Some(100e6)),
        ("throughput > 2 * (a.throughput + 5 Mbit/s)", Some(210e6)),
        ("throughput > max(a.throughput, b.throughput, 1 Mbit/s)", Some(100e6)),
        ("throughput > min(a.throughput, max(b.throughput, 20 Mbit/s))", Some(20e6)),
        ("throughput > 2 * 3 * 0.5 * b.throughput", Some(30e6)),
        ("lost < 2 * 3", Some(6.0)),
        ("loss < 50% * 2", Some(1.0)),
        ("latency > -5 ms", Some(-0.005)),
    ];
    for (text, expected) in table {
        match expected {
            Some(expected) => assert_eq!(value(text), Ok(expected), "{text}"),
            // Two values with units cannot be multiplied, a plain factor can.
            None => assert_eq!(value(text), Ok(7e6), "{text}"),
        }
    }
    assert_eq!(
        value("throughput > p5(c.sender.throughput)"),
        Err("no value for p5(c.sender.throughput)".to_owned())
    );
}

#[test]
fn max_of_one_metric_is_the_statistic() {
    let assertion = parse("throughput < max(other.throughput)");
    let Condition::Compare(_, Expression::Measure(measure)) = &assertion.condition else {
        panic!("{assertion:?}");
    };
    assert_eq!(measure.stat, Some(Stat::Max));
}

#[test]
fn clauses_come_in_any_order() {
    let a = parse("throughput > 1 Mbit/s during 5s..25s for 95% of 1s windows");
    let b = parse("throughput > 1 Mbit/s for 95 % of 1 s windows during 5 s .. 25 s");
    assert_eq!(a, b);
    let during = a.clauses.during.expect("during");
    assert_eq!((during.from.si(), during.to.si()), (5.0, 25.0));
    let windows = a.clauses.windows.expect("windows");
    assert_eq!(windows.share.si(), 0.95);
    assert_eq!(windows.length(), std::time::Duration::from_secs(1));
    for (text, each) in [
        ("loss < 1% for each stream", Each::Stream),
        ("loss < 1% for each flow", Each::Flow),
        ("loss < 1% for each interval during 1s..2s", Each::Interval),
    ] {
        assert_eq!(parse(text).clauses.each.expect("each").value, each);
    }
}

#[test]
fn space_is_free_around_signs_and_units() {
    let tight = parse("throughput>=50Mbit/s+2*a.throughput");
    assert_eq!(tight, parse("  throughput  >=  50  Mbit/s  +  2  *  a.throughput  "));
    assert_eq!(parse("loss<1%for each stream"), parse("loss < 1% for each stream"));
    assert_eq!(parse("loss between 0%and 1%"), parse("loss between 0% and 1%"));
}

#[test]
fn units_have_their_si_value() {
    for (text, si) in [
        ("transfer == 50 MB", 50e6),
        ("transfer == 50 MiB", 50.0 * 1_048_576.0),
        ("mss == 1448 bytes", 1448.0),
        ("jitter < 100 \u{b5}s", 1e-4),
        ("jitter < 0.1 ms", 1e-4),
        ("pps > 1.5 kpps", 1500.0),
        ("throughput > 1e3 bit/s", 1000.0),
        ("loss < 0.1%", 0.001),
        ("duration < 2min", 120.0),
        ("lost < 5", 5.0),
    ] {
        let limit = parse(text).condition.expressions().next().and_then(Expression::constant);
        assert_eq!(limit, Some(si), "{text}");
    }
}
