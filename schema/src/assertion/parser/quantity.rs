use winnow::Parser;
use winnow::combinator::{opt, peek};
use winnow::error::ErrMode;

use super::lexical::{Input, Parsed, number, refuse, symbol, unit_symbol, upcoming};
use crate::assertion::{AssertionError, Located};
use crate::units::{Dimension, Number, Quantity, Unit};

/// Words of the language that may follow a number; never units.
const KEYWORDS: [&str; 6] = ["and", "or", "for", "during", "with", "of"];

/// A number with or without unit; `wanted` decides the hint when the unit does not exist.
///
/// Fails without a hint, and without taking anything, where no number starts.
pub(super) fn quantity(
    wanted: Dimension,
) -> impl FnMut(&mut Input<'_>) -> Parsed<Located<Quantity>> {
    move |input| {
        let (minus, digits) = (opt(symbol("-")), number).parse_next(input)?;
        let mut range = digits.range.clone();
        if let Some(minus) = &minus {
            range.start = minus.range.start;
        }
        let unit = opt(unit_symbol.verify(|unit: &Located<&str>| !KEYWORDS.contains(&unit.value)))
            .parse_next(input)?;
        let value = value(digits.value, minus.is_some())
            .filter(|value| value.is_finite())
            .ok_or_else(|| too_large(&digits))?;
        let Some(unit) = unit else {
            return Ok(Located::new(Quantity { number: value, unit: None }, range));
        };
        range.end = unit.range.end;
        match Unit::find(unit.value) {
            Some(known) => Ok(Located::new(Quantity { number: value, unit: Some(known) }, range)),
            None if peek(opt(symbol("."))).parse_next(input)?.is_some() => {
                let message = format!("an operator is missing after `{}`", digits.value);
                let hint = format!("write `{} * {}.…`", digits.value, unit.value);
                refuse(AssertionError::new(unit.range.clone(), message, hint))
            }
            None => refuse(unknown_unit(&unit, wanted)),
        }
    }
}

fn value(digits: &str, negative: bool) -> Option<f64> {
    let (number, _) = Number::split(digits)?;
    let magnitude = number.shifted(0);
    // Keeps -0 out, which would print differently.
    Some(if negative && magnitude != 0.0 { -magnitude } else { magnitude })
}

fn too_large(digits: &Located<&str>) -> ErrMode<AssertionError> {
    let message = format!("`{}` is too large a number", digits.value);
    ErrMode::Cut(AssertionError::new(digits.range.clone(), message, "use a larger unit"))
}

fn unknown_unit(unit: &Located<&str>, wanted: Dimension) -> AssertionError {
    if wanted == Dimension::Count {
        let message = format!("unknown unit `{}`", unit.value);
        return AssertionError::new(
            unit.range.clone(),
            message,
            "write a plain number without unit",
        );
    }
    let (message, hint) = Unit::explain_unknown(unit.value, &[wanted]);
    AssertionError::new(unit.range.clone(), message, hint)
}

/// A number that has to be of this dimension; `what` names it in the error.
pub(super) fn exactly(
    wanted: Dimension,
    what: &'static str,
    example: &'static str,
) -> impl FnMut(&mut Input<'_>) -> Parsed<Located<Quantity>> {
    move |input| {
        let Some(found) = opt(quantity(wanted)).parse_next(input)? else {
            let next = upcoming(input)?;
            let hint = format!("write for example `{example}`");
            return refuse(AssertionError::new(next.range, format!("{what} is missing"), hint));
        };
        if found.dimension() == wanted {
            return Ok(found);
        }
        let message = match found.unit {
            None => format!("`{}` has no unit", found.value),
            Some(_) => {
                format!("`{}` is {}, not {}", found.value, found.dimension().noun(), wanted.noun())
            }
        };
        refuse(AssertionError::new(
            found.range.clone(),
            message,
            format!("write for example `{example}`"),
        ))
    }
}

/// Whether a number starts here, and not a name that begins with a digit.
pub(super) fn starts_with_number(input: &mut Input<'_>) -> Parsed<bool> {
    let next = upcoming(input)?;
    let digits = next.value.trim_start_matches('-');
    let is_path =
        digits.split_once('.').is_some_and(|(_, rest)| rest.starts_with(char::is_alphabetic));
    Ok(digits.starts_with(|c: char| c.is_ascii_digit()) && !is_path)
}
