use std::ops::Range;

use winnow::Parser;
use winnow::combinator::opt;

use super::lexical::{Input, Parsed, path, refuse, symbol, upcoming};
use super::measure;
use super::quantity::{quantity, starts_with_number};
use crate::assertion::{AssertionError, Expression, Located, Measure};
use crate::units::{Dimension, Quantity};

/// What an expression stands for, for its error texts.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// The dimension it has to have.
    pub(super) wanted: Dimension,
    /// How many brackets are open.
    depth: usize,
}

/// Nested deeper than anybody needs, and far from exhausting the stack.
const DEEPEST: usize = 16;

impl Context {
    pub(super) fn new(wanted: Dimension) -> Self {
        Self { wanted, depth: 0 }
    }

    fn inside(self, bracket: &Range<usize>) -> Parsed<Self> {
        if self.depth == DEEPEST {
            let error = AssertionError::new(
                bracket.clone(),
                format!("more than {DEEPEST} brackets are open"),
                "write it simpler",
            );
            return refuse(error);
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

/// Sums and differences of terms.
pub(super) fn expression(input: &mut Input<'_>, context: Context) -> Parsed<Expression> {
    let mut sum = term(input, context)?;
    loop {
        if opt(symbol("+")).parse_next(input)?.is_some() {
            sum = Expression::Sum(Box::new(sum), Box::new(term(input, context)?));
        } else if opt(symbol("-")).parse_next(input)?.is_some() {
            sum = Expression::Difference(Box::new(sum), Box::new(term(input, context)?));
        } else {
            return Ok(sum);
        }
    }
}

/// Products: any number of plain numbers and percentages with one operand that is neither.
fn term(input: &mut Input<'_>, context: Context) -> Parsed<Expression> {
    let mut factors = vec![factor(input, context)?];
    while opt(symbol("*")).parse_next(input)?.is_some() {
        factors.push(factor(input, context)?);
    }
    product(factors).or_else(refuse)
}

fn product(mut factors: Vec<(Expression, Range<usize>)>) -> Result<Expression, AssertionError> {
    let others: Vec<usize> =
        (0..factors.len()).filter(|index| pure_number(&factors[*index].0).is_none()).collect();
    if let [_, second, ..] = others[..] {
        let message =
            "a product has at most one operand that is not a plain number or a percentage";
        let hint = "write for example `2 * upload.throughput` or `90% * upload.throughput`";
        return Err(AssertionError::new(factors[second].1.clone(), message, hint));
    }
    // Without other operands the last percentage is the value, so that `50% * 2` is a percentage.
    let percentage = factors.iter().rposition(|(factor, _)| {
        pure_number(factor).is_some_and(|q| q.dimension() == Dimension::Ratio)
    });
    let operand = others.first().copied().or(percentage).unwrap_or(factors.len() - 1);
    let (operand, _) = factors.remove(operand);
    Ok(factors.into_iter().rev().fold(operand, |operand, (factor, _)| match factor {
        Expression::Quantity(number) => Expression::Product(number, Box::new(operand)),
        // All that is left are pure numbers.
        other => other,
    }))
}

/// The number that can be a factor.
fn pure_number(expression: &Expression) -> Option<Quantity> {
    match expression {
        Expression::Quantity(quantity)
            if matches!(quantity.dimension(), Dimension::Count | Dimension::Ratio) =>
        {
            Some(quantity.value)
        }
        _ => None,
    }
}

fn factor(input: &mut Input<'_>, context: Context) -> Parsed<(Expression, Range<usize>)> {
    let next = upcoming(input)?;
    if starts_with_number(input)? {
        let quantity = quantity(context.wanted).parse_next(input)?;
        let range = quantity.range.clone();
        return Ok((Expression::Quantity(quantity), range));
    }
    if let Some(bracket) = opt(symbol("(")).parse_next(input)? {
        let inner = expression(input, context.inside(&bracket.range)?)?;
        let end = close_bracket(input)?;
        return Ok((inner, bracket.range.start..end));
    }
    let Some(head) = opt(path).parse_next(input)? else {
        return refuse(missing_value(next.range, context));
    };
    match head.value {
        "baseline" => refuse(AssertionError::new(
            head.range,
            "this version has no baselines",
            "compare with a fixed limit or with another flow, such as `0.95 * download.throughput`",
        )),
        text if text.starts_with(['-', '.']) => refuse(unfinished_number(&head)),
        _ => named(input, head, context),
    }
}

/// A metric, a statistic of a metric, or `max` and `min` of several values.
fn named(
    input: &mut Input<'_>,
    head: Located<&str>,
    context: Context,
) -> Parsed<(Expression, Range<usize>)> {
    let measured = |measure: Located<Measure>| {
        let range = measure.range.clone();
        (Expression::Measure(measure), range)
    };
    let Some(bracket) = opt(symbol("(")).parse_next(input)? else {
        return measure::named(&head, None).map(measured).or_else(refuse);
    };
    let choose = match head.value {
        "max" => Expression::Max,
        "min" => Expression::Min,
        _ => {
            let stat = measure::stat(&head).or_else(refuse)?;
            let inner = measure::argument(input)?;
            return measure::close(input, &stat, &inner).map(measured);
        }
    };
    let inside = context.inside(&bracket.range)?;
    let mut items = vec![expression(input, inside)?];
    while opt(symbol(",")).parse_next(input)?.is_some() {
        items.push(expression(input, inside)?);
    }
    let end = close_bracket(input)?;
    let range = head.range.start..end;
    if items.len() > 1 {
        return Ok((choose(items), range));
    }
    match (items.pop(), measure::stat(&head)) {
        // `max(latency)`: the statistic.
        (Some(Expression::Measure(mut only)), Ok(stat)) if only.stat.is_none() => {
            only.value.stat = Some(stat.value);
            only.range = range;
            measure::check_stat(&only.value, &stat).or_else(refuse)?;
            Ok(measured(only))
        }
        _ => refuse(AssertionError::new(
            range,
            format!("`{}` needs two values to choose from", head.value),
            format!("write `{}(a, b)`", head.value),
        )),
    }
}

fn close_bracket(input: &mut Input<'_>) -> Parsed<usize> {
    if let Some(bracket) = opt(symbol(")")).parse_next(input)? {
        return Ok(bracket.range.end);
    }
    let next = upcoming(input)?;
    let hint = "close what was opened with `(`";
    refuse(AssertionError::new(next.range, "a closing bracket is missing", hint))
}

/// A sign or a point without its number.
fn unfinished_number(head: &Located<&str>) -> AssertionError {
    let text = head.value;
    let (message, hint) = match text.strip_prefix('-').filter(|name| !name.is_empty()) {
        Some(name) => ("a minus sign at the start needs a number", format!("write `-1 * {name}`")),
        None if text.starts_with('.') => {
            ("a number starts with a digit", format!("write `0{text}`"))
        }
        None => {
            ("a minus sign at the start needs a number", "write for example `-5 ms`".to_owned())
        }
    };
    AssertionError::new(head.range.clone(), message, hint)
}

fn missing_value(range: Range<usize>, context: Context) -> AssertionError {
    let example = match context.wanted {
        Dimension::BitRate => "50 Mbit/s",
        Dimension::PacketRate => "1000 pps",
        Dimension::Bytes => "10 MB",
        Dimension::Time => "20 ms",
        Dimension::Ratio => "1%",
        Dimension::Count => "0",
        Dimension::Dscp => "ef",
    };
    AssertionError::new(range, "a value is missing", format!("write a limit such as `{example}`"))
}
