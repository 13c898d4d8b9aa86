use winnow::ascii::{digit1, multispace0};
use winnow::combinator::{alt, eof, opt, peek, terminated};
use winnow::error::{ErrMode, ParserError};
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{any, one_of, rest, take_while};
use winnow::{ModalResult, Parser};

use crate::assertion::{AssertionError, Located};

pub(in crate::assertion) type Input<'a> = LocatingSlice<&'a str>;

pub(in crate::assertion) type Parsed<T> = ModalResult<T, AssertionError>;

/// What winnow reports when nothing more precise is known; every public rule replaces it.
impl<'a> ParserError<Input<'a>> for AssertionError {
    type Inner = Self;

    fn from_input(input: &Input<'a>) -> Self {
        let at = input.current_token_start();
        Self::new(at..at, "this is not understood here", "see the reference of assertions")
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

/// Ends the parse with this error.
pub(super) fn refuse<T>(error: AssertionError) -> Parsed<T> {
    Err(ErrMode::Cut(error))
}

/// Letters, digits, `_` and `-` make a name.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

pub(in crate::assertion) fn skip_space(input: &mut Input<'_>) -> Parsed<()> {
    multispace0.void().parse_next(input)
}

/// A token and the space behind it.
fn token<'a, T>(
    parser: impl Parser<Input<'a>, T, ErrMode<AssertionError>>,
) -> impl Parser<Input<'a>, Located<T>, ErrMode<AssertionError>> {
    terminated(parser.with_span(), multispace0).map(|(value, range)| Located::new(value, range))
}

/// A name, such as `stream`.
pub(super) fn word<'a>(input: &mut Input<'a>) -> Parsed<Located<&'a str>> {
    token(take_while(1.., is_name)).parse_next(input)
}

/// Names joined by dots, such as `call.sender.throughput`.
pub(super) fn path<'a>(input: &mut Input<'a>) -> Parsed<Located<&'a str>> {
    token(take_while(1.., |c| is_name(c) || c == '.')).parse_next(input)
}

/// This word and no longer one.
pub(super) fn keyword<'a>(
    wanted: &'static str,
) -> impl Parser<Input<'a>, Located<&'a str>, ErrMode<AssertionError>> {
    word.verify(move |word: &Located<&str>| word.value == wanted)
}

/// This punctuation.
pub(super) fn symbol<'a>(
    wanted: &'static str,
) -> impl Parser<Input<'a>, Located<&'a str>, ErrMode<AssertionError>> {
    token(wanted)
}

/// The signs that operators are made of, and those that people take for them.
pub(super) fn operator_signs<'a>(input: &mut Input<'a>) -> Parsed<Located<&'a str>> {
    token(take_while(1.., ['<', '>', '=', '!', '~', '≤', '≥', '≠'])).parse_next(input)
}

/// The digits of a number, with fraction and power of ten.
pub(super) fn number<'a>(input: &mut Input<'a>) -> Parsed<Located<&'a str>> {
    let fraction = opt(('.', digit1));
    let power = opt((one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1));
    token((digit1, fraction, power).take()).parse_next(input)
}

/// What may be meant as a unit: `%`, or letters, digits and `/`.
pub(super) fn unit_symbol<'a>(input: &mut Input<'a>) -> Parsed<Located<&'a str>> {
    let letters = (
        one_of(|c: char| c.is_alphabetic() || c == '/'),
        take_while(0.., |c: char| c.is_alphanumeric() || c == '/'),
    );
    token(alt(("%", letters.take()))).parse_next(input)
}

/// The next thing, without taking it: a path, a run of operator signs, or one character; empty at the end.
pub(super) fn upcoming<'a>(input: &mut Input<'a>) -> Parsed<Located<&'a str>> {
    let end = eof.span().map(|range| Located::new("", range));
    peek(alt((end, path, operator_signs, token(any.take())))).parse_next(input)
}

/// Nothing may follow.
pub(in crate::assertion) fn expect_end(input: &mut Input<'_>) -> Parsed<()> {
    let next = upcoming(input)?;
    if next.value.is_empty() {
        return Ok(());
    }
    let range = rest.span().parse_next(input)?;
    let (message, hint) = match next.value {
        "and" | "or" | "&" | "|" | "," | ";" => (
            format!("an assertion has one comparison, `{}` starts another", next.value),
            "write each as an item of its own in `assert`",
        ),
        "/" => ("there is no division".to_owned(), "multiply, such as `0.5 * upload.throughput`"),
        "±" => {
            ("there is no `±`".to_owned(), "write `between a and b`, or an assertion for each side")
        }
        text if text.starts_with(|c| "<>=!≤≥≠".contains(c)) => (
            "an assertion has one comparison".to_owned(),
            "write `between a and b`, or two assertions",
        ),
        _ => (
            "this does not belong to the assertion".to_owned(),
            "after the limit come only `during 5s..25s`, `for each stream|flow|interval` or `for 95% of 1s windows`",
        ),
    };
    refuse(AssertionError::new(range, message, hint))
}
