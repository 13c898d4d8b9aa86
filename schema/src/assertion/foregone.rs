//! Comparisons whose outcome is certain before anything is measured.

use std::ops::Range;

use super::{
    Assertion, AssertionError, Condition, Each, Expression, Located, Measure, Metric, Operator,
    Stat,
};
use crate::units::Dimension;

/// The values that a side of a comparison can have, in SI units, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    low: f64,
    high: f64,
}

/// What is known about a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Always,
    Never,
    Open,
}

impl Assertion {
    /// Why it can only hold or only fail, whatever is measured; none for an assertion that can do both. `flows` are the
    /// names of the test's flows.
    #[must_use]
    pub fn foregone(&self, flows: &[&str]) -> Option<AssertionError> {
        self.compared_with_itself(flows).or_else(|| self.beyond_all_values())
    }

    fn compared_with_itself(&self, flows: &[&str]) -> Option<AssertionError> {
        let each = self.clauses.each.as_ref().map(|each| each.value);
        // A part is compared with the whole there.
        if self.clauses.windows.is_some() || matches!(each, Some(Each::Interval | Each::Stream)) {
            return None;
        }
        let key = |measure: &Measure| {
            let only = || flows.first().filter(|_| flows.len() == 1).map(|flow| (*flow).to_owned());
            let flow = measure.flow.as_ref().map(|flow| flow.value.clone()).or_else(only);
            (flow, measure.way, measure.side(), measure.metric, measure.stat)
        };
        let left = key(&self.left);
        let right = self.condition.expressions().flat_map(Expression::measures);
        let same = right.into_iter().find(|measure| key(measure) == left)?;
        let message = format!("`{}` is compared with itself", self.left);
        let hint =
            "compare it with a limit, another flow, or the other end (`sender.`, `receiver.`)";
        Some(AssertionError::new(same.range.clone(), message, hint))
    }

    fn beyond_all_values(&self) -> Option<AssertionError> {
        let left = values_of(&self.left);
        let outcome = match &self.condition {
            Condition::Compare(operator, limit) => compare(*operator, left, limit.values()),
            Condition::Between(low, high) => between(left, low.values(), high.values()),
        };
        let metric = self.left.metric;
        let (outcome, why, hint) = match outcome {
            Outcome::Open if is_whole(&self.left) => {
                let hint = "write a whole number, or compare with `<` or `>`".to_owned();
                (self.outcome_of_whole(), "is a whole number", hint)
            }
            outcome => (outcome, range_text(metric), hint(metric)),
        };
        let verb = match outcome {
            Outcome::Open => return None,
            Outcome::Always => "always holds",
            Outcome::Never => "never holds",
        };
        let range = self.condition_range();
        let message = format!("this {verb}: `{metric}` {why}");
        Some(AssertionError::new(range, message, hint))
    }

    /// A number of things is never equal to a fraction.
    fn outcome_of_whole(&self) -> Outcome {
        match &self.condition {
            Condition::Compare(operator, limit) => {
                match (operator, limit.constant().map(is_fraction)) {
                    (Operator::Equal, Some(true)) => Outcome::Never,
                    (Operator::NotEqual, Some(true)) => Outcome::Always,
                    _ => Outcome::Open,
                }
            }
            Condition::Between(low, high) => match (low.constant(), high.constant()) {
                (Some(low), Some(high)) if low.ceil() > high.floor() => Outcome::Never,
                _ => Outcome::Open,
            },
        }
    }

    /// The right side in the text.
    fn condition_range(&self) -> Range<usize> {
        let mut range: Option<Range<usize>> = None;
        for expression in self.condition.expressions() {
            expression.for_each_range(&mut |part| {
                let known = range.take().unwrap_or_else(|| part.clone());
                range = Some(known.start.min(part.start)..known.end.max(part.end));
            });
        }
        range.unwrap_or_else(|| self.left.range.clone())
    }
}

fn is_fraction(value: f64) -> bool {
    value.fract() != 0.0
}

/// Whether the figure is a number of things; a mean of such numbers need not be.
fn is_whole(measure: &Measure) -> bool {
    matches!(measure.metric.dimension(), Dimension::Count | Dimension::Bytes)
        && matches!(measure.stat, None | Some(Stat::Min | Stat::Max))
}

fn values_of(measure: &Measure) -> Span {
    let high = match (measure.metric, measure.metric.dimension()) {
        (Metric::ReceivedTtl, _) => 255.0,
        (_, Dimension::Ratio) => 1.0,
        (_, Dimension::Dscp) => 63.0,
        _ => f64::INFINITY,
    };
    // Clocks that differ make a latency negative.
    let low = match (measure.metric, measure.stat) {
        (Metric::Latency, stat) if stat != Some(Stat::Stdev) => f64::NEG_INFINITY,
        _ => 0.0,
    };
    Span { low, high }
}

fn range_text(metric: Metric) -> &'static str {
    match (metric, metric.dimension()) {
        (Metric::ReceivedTtl, _) => "lies between 0 and 255",
        (_, Dimension::Ratio) => "lies between 0% and 100%",
        _ => "is never negative",
    }
}

fn hint(metric: Metric) -> String {
    let example = match metric.dimension() {
        Dimension::BitRate => "> 50 Mbit/s",
        Dimension::PacketRate => "> 1000 pps",
        Dimension::Bytes => "> 10 MB",
        Dimension::Time => "< 20 ms",
        Dimension::Ratio => "< 1%",
        Dimension::Count => "< 10",
        Dimension::Dscp => "== ef",
    };
    format!("write a limit that the measurement can meet and miss, such as `{metric} {example}`")
}

fn compare(operator: Operator, left: Span, right: Span) -> Outcome {
    let (always, never) = match operator {
        Operator::Less => (left.high < right.low, left.low >= right.high),
        Operator::LessOrEqual => (left.high <= right.low, left.low > right.high),
        Operator::Greater => (left.low > right.high, left.high <= right.low),
        Operator::GreaterOrEqual => (left.low >= right.high, left.high < right.low),
        Operator::Equal => (false, left.high < right.low || left.low > right.high),
        Operator::NotEqual => (left.high < right.low || left.low > right.high, false),
    };
    outcome(always, never)
}

fn between(left: Span, low: Span, high: Span) -> Outcome {
    outcome(
        left.low >= low.high && left.high <= high.low,
        left.high < low.low || left.low > high.high,
    )
}

fn outcome(always: bool, never: bool) -> Outcome {
    match (always, never) {
        // Where both seem true, both sides have no end.
        (true, true) | (false, false) => Outcome::Open,
        (true, false) => Outcome::Always,
        (false, true) => Outcome::Never,
    }
}

impl Span {
    fn map(self, other: Self, choose: fn(f64, f64) -> f64) -> Self {
        Self { low: choose(self.low, other.low), high: choose(self.high, other.high) }
    }

    fn plus(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }

    fn times(self, factor: f64) -> Self {
        if factor == 0.0 {
            return Self { low: 0.0, high: 0.0 };
        }
        let (a, b) = (self.low * factor, self.high * factor);
        Self { low: a.min(b), high: a.max(b) }
    }
}

impl Expression {
    /// The values that it can have.
    fn values(&self) -> Span {
        let exactly = |value: f64| Span { low: value, high: value };
        match self {
            Self::Quantity(quantity) => exactly(quantity.si()),
            Self::Dscp(dscp) => exactly(f64::from(dscp.number())),
            Self::Measure(measure) => values_of(measure),
            Self::Max(items) => joined(items, f64::max),
            Self::Min(items) => joined(items, f64::min),
            Self::Sum(a, b) => a.values().plus(b.values()),
            Self::Difference(a, b) => a.values().plus(b.values().times(-1.0)),
            Self::Product(factor, operand) => operand.values().times(factor.si()),
        }
    }

    fn for_each_range(&self, visit: &mut impl FnMut(&Range<usize>)) {
        fn range<T>(part: &Located<T>) -> &Range<usize> {
            &part.range
        }
        match self {
            Self::Quantity(quantity) => visit(range(quantity)),
            Self::Dscp(dscp) => visit(range(dscp)),
            Self::Measure(measure) => visit(range(measure)),
            Self::Max(items) | Self::Min(items) => {
                for item in items {
                    item.for_each_range(visit);
                }
            }
            Self::Sum(a, b) | Self::Difference(a, b) => {
                a.for_each_range(visit);
                b.for_each_range(visit);
            }
            Self::Product(factor, operand) => {
                visit(range(factor));
                operand.for_each_range(visit);
            }
        }
    }
}

fn joined(items: &[Expression], choose: fn(f64, f64) -> f64) -> Span {
    let spans = items.iter().map(Expression::values);
    let all = Span { low: f64::NEG_INFINITY, high: f64::INFINITY };
    spans.reduce(|a, b| a.map(b, choose)).unwrap_or(all)
}

#[cfg(test)]
mod tests {
    use super::super::tests::picture;
    use super::*;

    fn foregone(text: &str, flows: &[&str]) -> Option<AssertionError> {
        Assertion::parse(text).expect(text).foregone(flows)
    }

    #[test]
    fn outcomes_that_are_certain_are_named() {
        let pictures: Vec<String> = [
            "throughput > -5 Mbit/s",
            "throughput < 0 bit/s",
            "throughput >= 0 bit/s",
            "loss < 101%",
            "loss < -1%",
            "loss <= 100%",
            "loss > 100%",
            "loss between 0% and 100%",
            "loss between 150% and 200%",
            "mean(loss) != 120%",
            "retransmits == 0.5",
            "retransmits != 0.5",
            "retransmits between 0.2 and 0.8",
            "transfer == 0.5 B",
            "received.ttl <= 255",
            "tcp-rtt > 5 ms - 10 ms",
            "loss < max(50%, 101%)",
            "jitter < -1 * jitter - 5 ms for each interval",
            "throughput == throughput",
            "throughput > receiver.throughput",
            "throughput > client.throughput",
            "throughput > max(5 Mbit/s, 2 * throughput) during 1s..2s",
            "p95(latency) < p95(latency)",
        ]
        .iter()
        .map(|text| picture(text, &foregone(text, &["client"]).expect(text)))
        .collect();
        insta::assert_snapshot!(pictures.join("\n"));
    }

    #[test]
    fn outcomes_that_depend_on_the_measurement_are_open() {
        for text in [
            "throughput > 0 bit/s",
            "loss == 0%",
            "loss < 100%",
            "loss == 100%",
            "retransmits == 0",
            "retransmits < 0.5",
            "mean(retransmits) == 0.5",
            "transfer == 0.5 kB",
            "latency > -1 ms",
            "received.dscp == ef",
            "throughput > 0.9 * throughput for each interval",
            "throughput > 10% * throughput for each stream",
            "throughput > throughput for 95% of 1s windows",
            "throughput > sender.throughput",
            "throughput > mean(throughput)",
            "throughput > other.throughput - 5 Mbit/s",
            "tcp-rtt < max(5 ms, 2 * connect-time)",
        ] {
            assert_eq!(foregone(text, &["client", "other"]), None, "{text}");
        }
    }
}
