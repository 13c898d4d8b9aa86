use proptest::prelude::*;

use crate::assertion::{
    Assertion, Clauses, Condition, During, Each, Expression, Located, Measure, Metric, MetricFacts,
    Operator, Samples, Side, Stat, Windows,
};
use crate::scenario::Way;
use crate::units::{Dimension, Dscp, Quantity, Unit};

fn here<T>(value: T) -> Located<T> {
    Located::new(value, 0..0)
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![(0..10_000_u32).prop_map(f64::from), 0.0..1e9_f64, -1e3..1e3_f64]
}

fn quantity(dimension: Dimension) -> impl Strategy<Value = Quantity> {
    let symbols: Vec<&'static str> = match dimension {
        Dimension::BitRate => vec!["bit/s", "kbit/s", "Mbit/s", "Gbps", "MiB/s"],
        Dimension::PacketRate => vec!["pps", "kpps"],
        Dimension::Bytes => vec!["B", "kB", "MiB", "bytes"],
        Dimension::Time => vec!["ns", "us", "\u{b5}s", "ms", "s", "min", "h"],
        Dimension::Ratio => vec!["%"],
        Dimension::Count | Dimension::Dscp => vec![""],
    };
    (number(), prop::sample::select(symbols))
        .prop_map(|(number, symbol)| Quantity { number, unit: Unit::find(symbol) })
}

fn stat() -> impl Strategy<Value = Stat> {
    let percent = prop_oneof![Just(95.0), Just(99.9), 0.1..99.9_f64];
    prop_oneof![
        Just(Stat::Mean),
        Just(Stat::Min),
        Just(Stat::Max),
        Just(Stat::Stdev),
        Just(Stat::Median),
        percent.prop_map(Stat::Percentile),
    ]
}

fn measure(metric: Metric) -> impl Strategy<Value = Measure> {
    let flow = prop::option::of("[A-Za-z0-9_][A-Za-z0-9_-]{0,8}");
    let side = prop::option::of(prop_oneof![Just(Side::Sender), Just(Side::Receiver)]);
    let way = prop::option::of(prop_oneof![Just(Way::Forward), Just(Way::Reverse)]);
    (prop::option::of(stat()), flow, way, side).prop_map(move |(stat, flow, way, side)| {
        // No flow can be called like a side or a way.
        let taken = ["sender", "receiver", "forward", "reverse"];
        let flow = flow.filter(|flow| !taken.contains(&flow.as_str()));
        Measure {
            stat: stat.filter(|_| {
                !matches!(metric.facts().samples, Samples::None | Samples::EachCompared)
            }),
            flow: flow.map(here),
            way: way.filter(|_| metric.default_side().is_some()),
            side: side.filter(|side| metric.is_known_by(*side)),
            metric,
        }
    })
}

fn expression(dimension: Dimension) -> BoxedStrategy<Expression> {
    let metrics: Vec<Metric> = MetricFacts::ALL
        .iter()
        .filter(|facts| facts.dimension == dimension)
        .map(|facts| facts.metric)
        .collect();
    let leaf = prop_oneof![
        quantity(dimension).prop_map(|quantity| Expression::Quantity(here(quantity))),
        prop::sample::select(metrics)
            .prop_flat_map(measure)
            .prop_map(|measure| Expression::Measure(here(measure))),
    ];
    let factor = || number().prop_map(|number| here(Quantity { number, unit: None }));
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expression::Max),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expression::Min),
            pair.clone().prop_map(|(a, b)| Expression::Sum(Box::new(a), Box::new(b))),
            pair.prop_map(|(a, b)| Expression::Difference(Box::new(a), Box::new(b))),
            (factor(), inner)
                .prop_map(|(factor, operand)| Expression::Product(factor, Box::new(operand))),
        ]
    })
    .boxed()
}

fn condition(dimension: Dimension) -> BoxedStrategy<Condition> {
    if dimension == Dimension::Dscp {
        let operator = prop::sample::select(vec![Operator::Equal, Operator::NotEqual]);
        let value = any::<u8>().prop_map(|byte| Expression::Dscp(here(Dscp::of_byte(byte))));
        return (operator, value)
            .prop_map(|(operator, value)| Condition::Compare(operator, value))
            .boxed();
    }
    let pair = (expression(dimension), expression(dimension));
    prop_oneof![
        (prop::sample::select(Operator::ALL.to_vec()), expression(dimension))
            .prop_map(|(operator, limit)| Condition::Compare(operator, limit)),
        pair.prop_map(|(a, b)| match (a.constant(), b.constant()) {
            (Some(x), Some(y)) if x > y => Condition::Between(b, a),
            _ => Condition::Between(a, b),
        }),
    ]
    .boxed()
}

/// Only clauses that fit any metric, or none.
fn clauses(plain: bool, names_flow: bool) -> impl Strategy<Value = Clauses> {
    let seconds = |number| Quantity { number, unit: Unit::find("s") };
    let during = (0..50_u32, 1..50_u32).prop_map(move |(from, length)| {
        here(During { from: seconds(f64::from(from)), to: seconds(f64::from(from + length)) })
    });
    let windows = (1..=100_u32, 1..60_u32).prop_map(move |(share, length)| {
        let share = Quantity { number: f64::from(share), unit: Unit::find("%") };
        here(Windows { share, length: seconds(f64::from(length)) })
    });
    let each = prop::sample::select(vec![Each::Stream, Each::Flow, Each::Interval]);
    (prop::option::of(during), prop::option::of(windows), prop::option::of(each)).prop_map(
        move |(during, windows, each)| Clauses {
            during: during.filter(|_| plain),
            windows: windows.filter(|_| plain && each != Some(Each::Interval)),
            each: each
                .filter(|each| match each {
                    Each::Stream => true,
                    Each::Flow => !names_flow,
                    Each::Interval => plain,
                })
                .map(here),
        },
    )
}

fn assertion() -> impl Strategy<Value = Assertion> {
    let metrics: Vec<Metric> = MetricFacts::ALL.iter().map(|facts| facts.metric).collect();
    prop::sample::select(metrics)
        .prop_flat_map(|metric| (measure(metric), condition(metric.dimension())))
        .prop_flat_map(|(left, condition)| {
            let all_in_intervals = condition
                .expressions()
                .flat_map(|expression| expression.measures())
                .all(|measure| measure.metric.is_in_intervals());
            let plain = left.stat.is_none() && left.metric.is_in_intervals() && all_in_intervals;
            let clauses = clauses(plain, left.flow.is_some());
            (Just(left), Just(condition), clauses)
        })
        .prop_map(|(left, condition, clauses)| Assertion { left: here(left), condition, clauses })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_printed_assertion_parses_to_itself(assertion in assertion()) {
        let text = assertion.to_string();
        prop_assume!(text.len() <= 1000);
        match Assertion::parse(&text) {
            Ok(parsed) => prop_assert_eq!(parsed, assertion),
            Err(error) => prop_assert!(false, "{}", super::picture(&text, &error)),
        }
    }

    #[test]
    fn any_text_is_parsed_or_refused_at_a_place_in_it(text in "\\PC{0,40}") {
        if let Err(error) = Assertion::parse(&text) {
            prop_assert!(text.get(error.range.clone()).is_some(), "{error:?}");
        }
    }

    #[test]
    fn broken_assertions_are_refused_at_a_place_in_them(
        assertion in assertion(),
        at in any::<prop::sample::Index>(),
        insert in "[a-z0-9.()%<>=*+µ≥ -]{0,3}",
    ) {
        let mut text: Vec<char> = assertion.to_string().chars().collect();
        let at = at.index(text.len());
        text.splice(at..(at + 1), insert.chars());
        let text = String::from_iter(text);
        if let Err(error) = Assertion::parse(&text) {
            prop_assert!(text.get(error.range.clone()).is_some(), "{error:?}");
            prop_assert!(!error.message.is_empty() && !error.hint.is_empty());
        }
    }
}
