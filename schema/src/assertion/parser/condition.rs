use winnow::Parser;
use winnow::combinator::opt;

use super::expression::{Context, expression};
use super::lexical::{Input, Parsed, keyword, operator_signs, path, refuse, upcoming};
use crate::assertion::expression::Mismatch;
use crate::assertion::{
    AssertionError, Condition, Expression, Located, Measure, Metric, Operator, Samples, Stat,
};
use crate::units::{DiffServ, Dimension, Dscp, Ratio};

const OPERATORS: &str = "write `<`, `<=`, `>`, `>=`, `==`, `!=` or `between a and b`";

/// The operator and the right side; everything in it has to be of the metric's dimension.
pub(in crate::assertion) fn condition(input: &mut Input<'_>, left: &Measure) -> Parsed<Condition> {
    if left.metric.dimension() == Dimension::Dscp {
        return dscp_condition(input, left);
    }
    let context = Context::new(left.metric.dimension());
    let condition = if let Some(between) = opt(keyword("between")).parse_next(input)? {
        let low = expression(input, context)?;
        if opt(keyword("and")).parse_next(input)?.is_none() {
            let next = upcoming(input)?;
            let hint = "write `between a and b`";
            return refuse(AssertionError::new(next.range, "`and` is missing", hint));
        }
        let high = expression(input, context)?;
        let end = upcoming(input)?.range.start;
        if let (Some(a), Some(b)) = (low.constant(), high.constant())
            && a > b
        {
            let message = "the first value is above the second";
            let hint = format!("write `between {high} and {low}`");
            return refuse(AssertionError::new(between.range.start..end, message, hint));
        }
        Condition::Between(low, high)
    } else {
        let operator = operator(input, left)?;
        Condition::Compare(operator, expression(input, context)?)
    };
    for expression in condition.expressions() {
        check_dimension(expression, left.metric).or_else(refuse)?;
    }
    Ok(condition)
}

/// `== ef` or `!= ef`: a DSCP is a name, not an amount.
fn dscp_condition(input: &mut Input<'_>, left: &Measure) -> Parsed<Condition> {
    let start = upcoming(input)?;
    let is_between = opt(keyword("between")).parse_next(input)?.is_some();
    let operator = if is_between { None } else { Some(operator(input, left)?) };
    let Some(operator @ (Operator::Equal | Operator::NotEqual)) = operator else {
        let message = format!("`{}` is a name, which is not above or below another", left.metric);
        let hint = format!("write `{left} == ef` or `{left} != ef`");
        return refuse(AssertionError::new(start.range, message, hint));
    };
    let Some(name) = opt(path).parse_next(input)? else {
        let next = upcoming(input)?;
        let hint = "write a DSCP: a name such as `ef`, or a number from 0 to 63";
        return refuse(AssertionError::new(next.range, "a DSCP is missing", hint));
    };
    match name.value.parse::<Dscp>() {
        Ok(dscp) => {
            Ok(Condition::Compare(operator, Expression::Dscp(Located::new(dscp, name.range))))
        }
        Err(error) => {
            let hint = match name.value.parse::<DiffServ>() {
                Ok(byte) => format!("write `{}` for the byte {}", byte.dscp(), name.value),
                Err(_) => error.hint().to_owned(),
            };
            refuse(AssertionError::new(name.range, error.message(), hint))
        }
    }
}

fn operator(input: &mut Input<'_>, left: &Measure) -> Parsed<Operator> {
    let Some(signs) = opt(operator_signs).parse_next(input)? else {
        return refuse(missing_operator(&upcoming(input)?, left));
    };
    if let Some(operator) = Operator::ALL.into_iter().find(|o| o.as_str() == signs.value) {
        return Ok(operator);
    }
    let meant = match signs.value {
        "=" | "===" => Some(Operator::Equal),
        "=<" | "≤" => Some(Operator::LessOrEqual),
        "=>" | "≥" => Some(Operator::GreaterOrEqual),
        "<>" | "≠" | "!" | "=!" | "~=" | "!==" => Some(Operator::NotEqual),
        _ => None,
    };
    let hint = meant.map_or_else(|| OPERATORS.to_owned(), |operator| format!("write `{operator}`"));
    let message = format!("`{}` is not an operator", signs.value);
    refuse(AssertionError::new(signs.range.clone(), message, hint))
}

fn missing_operator(next: &Located<&str>, left: &Measure) -> AssertionError {
    let metric = left.metric;
    let is_percentile = next
        .value
        .strip_prefix('p')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let hint = if left.stat.is_none() && (Stat::find(next.value).is_some() || is_percentile) {
        format!("a statistic goes around its metric: `{}({left})`", next.value)
    } else if matches!(next.value, "+" | "-" | "*" | "/") {
        format!("the left side is one metric: compare `{metric}` and calculate on the right")
    } else {
        OPERATORS.to_owned()
    };
    let message = format!("an operator is missing after `{left}`");
    AssertionError::new(next.range.clone(), message, hint)
}

fn check_dimension(expression: &Expression, metric: Metric) -> Result<(), AssertionError> {
    let wanted = metric.dimension();
    match expression.mismatch(wanted) {
        None => Ok(()),
        Some(Mismatch::Measure(measure)) => {
            let is = measure.metric.dimension().noun();
            let message =
                format!("`{}` is {is}, but `{metric}` is {}", measure.value, wanted.noun());
            let hint = "compare a metric only with one of the same kind";
            Err(AssertionError::new(measure.range.clone(), message, hint))
        }
        Some(Mismatch::Quantity(quantity)) => {
            let message = match quantity.unit {
                None => format!("`{}` has no unit", quantity.value),
                Some(_) => {
                    let is = quantity.dimension().noun();
                    format!("`{}` is {is}, but `{metric}` is {}", quantity.value, wanted.noun())
                }
            };
            let names_a_metric = !expression.measures().is_empty();
            let hint = match quantity.dimension() {
                Dimension::Ratio if names_a_metric => {
                    "take a share as a product, such as `95% * upload.throughput`".to_owned()
                }
                _ => unit_hint(quantity.number, metric),
            };
            Err(AssertionError::new(quantity.range.clone(), message, hint))
        }
    }
}

/// The units that fit the metric.
fn unit_hint(number: f64, metric: Metric) -> String {
    let units: Vec<_> = metric.dimension().main_units().map(|unit| unit.symbol()).collect();
    match (metric.dimension(), &units[..]) {
        (Dimension::Count, _) => format!("write a number without unit, such as `{metric} < 10`"),
        (Dimension::Ratio, _) if number < 1.0 => {
            let share = Ratio(number);
            format!(
                "write a percentage: `{number}%`, or `{share}` when the share {number} is meant"
            )
        }
        (Dimension::Ratio, _) => format!("write a percentage, such as `{number}%`"),
        (_, []) => "use a unit that fits".to_owned(),
        (dimension, _) => {
            let example = match likely_unit(metric) {
                Some(unit) if (1.0..10_000.0).contains(&number) => format!("{number} {unit}"),
                // So large or small a number was meant in the SI unit.
                _ => dimension.format(number),
            };
            format!("use one of {}, such as `{example}`", units.join(", "))
        }
    }
}

/// The unit in which people think of a metric, and leave it out.
fn likely_unit(metric: Metric) -> Option<&'static str> {
    Some(match (metric, metric.dimension()) {
        (Metric::Duration, _) => "s",
        (Metric::Mss, _) => "B",
        (_, Dimension::Time) => "ms",
        (_, Dimension::BitRate) => "Mbit/s",
        (_, Dimension::PacketRate) => "pps",
        (_, Dimension::Bytes) => "MB",
        (_, Dimension::Ratio | Dimension::Count | Dimension::Dscp) => return None,
    })
}

/// Whether a statistic is taken over the recorded intervals.
pub(super) fn is_over_intervals(measure: &Measure) -> bool {
    measure.stat.is_some() && measure.metric.facts().samples == Samples::Intervals
}
