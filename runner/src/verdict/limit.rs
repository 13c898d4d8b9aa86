//! The right side of an assertion with its values.

use linerate_schema::assertion::{Condition, Expression, Measure, Operator};
use linerate_schema::results::FlowResult;
use linerate_schema::units::Dimension;

use super::measured::{Answer, Measured};
use super::scope::Bench;

/// A condition whose metrics were measured.
#[derive(Debug, Clone)]
pub(super) struct Limit {
    pub(super) bounds: Bounds,
    /// The operator and the limit for people, with the values of its metrics: `>= 0.9 * up.throughput (45 Mbit/s)`.
    pub(super) text: String,
    /// Why one of its metrics cannot be trusted.
    pub(super) doubt: Option<String>,
}

/// The values to compare with.
#[derive(Debug, Clone)]
pub(super) enum Bounds {
    One(Operator, Bound),
    Between(Bound, Bound),
}

/// A value, and how people read it.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    pub(super) value: f64,
    pub(super) text: String,
}

impl Bench<'_> {
    /// The limit for the scope of `flow`, or why one of its metrics has no value.
    pub(super) fn limit(&self, flow: &FlowResult) -> Result<Limit, String> {
        let assertion = self.assertion;
        let dimension = assertion.left.metric.dimension();
        let mut doubt = None;
        let mut bound = |expression: &Expression| {
            let value = expression.evaluate(&mut |measure| {
                let measured: Measured = self.measure_right(measure, flow)?;
                if let Some(marks) = measured.each.as_ref().filter(|marks| marks.values().count() > 1) {
                    return Err(format!(
                        "`{measure}` was {}, which is no single limit: write `min({measure})` or `max({measure})`",
                        marks.text(measure.metric.dimension())
                    ));
                }
                let range = measured.range.map(|range| range.why);
                doubt = doubt.take().or(measured.doubt).or(range);
                Ok::<f64, String>(measured.value)
            })?;
            if !value.is_finite() {
                return Err(format!("the limit {expression} is not a number"));
            }
            Ok(Bound { value, text: bound_text(expression, value, dimension) })
        };
        let bounds = match &assertion.condition {
            Condition::Compare(operator, limit) => Bounds::One(*operator, bound(limit)?),
            Condition::Between(low, high) => Bounds::Between(bound(low)?, bound(high)?),
        };
        let text = match &bounds {
            Bounds::One(operator, bound) => format!("{operator} {}", bound.text),
            Bounds::Between(low, high) => format!("between {} and {}", low.text, high.text),
        };
        Ok(Limit { bounds, text, doubt })
    }

    fn measure_right(&self, measure: &Measure, flow: &FlowResult) -> Answer {
        let during = self.assertion.clauses.during.as_ref().map(|during| &during.value);
        self.subject_of(measure, flow)?.measure(measure, during)
    }
}

/// A plain limit as it was written, anything else with its value.
fn bound_text(expression: &Expression, value: f64, dimension: Dimension) -> String {
    match expression {
        Expression::Quantity(quantity) => quantity.to_string(),
        Expression::Dscp(dscp) => dscp.to_string(),
        _ => format!("{} ({expression})", dimension.format_precisely(value)),
    }
}

impl Limit {
    /// Whether a measured value is within it.
    pub(super) fn holds(&self, measured: f64) -> bool {
        match &self.bounds {
            Bounds::One(operator, bound) => operator.holds(measured, bound.value),
            Bounds::Between(low, high) => {
                Operator::GreaterOrEqual.holds(measured, low.value)
                    && Operator::LessOrEqual.holds(measured, high.value)
            }
        }
    }

    /// Whether every value from `low` to `high` is on the same side of it.
    pub(super) fn settles(&self, low: f64, high: f64) -> bool {
        let divides = |bound: &Bound| low < bound.value && bound.value < high;
        let divided = match &self.bounds {
            Bounds::One(_, bound) => divides(bound),
            Bounds::Between(from, to) => divides(from) || divides(to),
        };
        !divided && self.holds(low) == self.holds(high)
    }

    /// The limit when it is a single number.
    pub(super) fn single(&self) -> Option<f64> {
        match &self.bounds {
            Bounds::One(_, bound) => Some(bound.value),
            Bounds::Between(..) => None,
        }
    }

    /// The bound that a value is nearest to.
    pub(super) fn nearest(&self, measured: f64) -> f64 {
        match &self.bounds {
            Bounds::One(_, bound) => bound.value,
            Bounds::Between(low, high) => {
                let to_low = (measured - low.value).abs();
                if to_low <= (measured - high.value).abs() { low.value } else { high.value }
            }
        }
    }

    /// Whether `a` is further on the wrong side than `b`, or nearer to it.
    pub(super) fn is_worse(&self, a: f64, b: f64) -> bool {
        match &self.bounds {
            Bounds::One(Operator::Greater | Operator::GreaterOrEqual, _) => a < b,
            Bounds::One(Operator::Less | Operator::LessOrEqual, _) => a > b,
            Bounds::One(Operator::Equal, bound) => {
                (a - bound.value).abs() > (b - bound.value).abs()
            }
            Bounds::One(Operator::NotEqual, bound) => {
                (a - bound.value).abs() < (b - bound.value).abs()
            }
            Bounds::Between(low, high) => {
                let outside = |value: f64| (low.value - value).max(value - high.value);
                outside(a) > outside(b)
            }
        }
    }
}
