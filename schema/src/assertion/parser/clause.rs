use std::ops::Range;

use winnow::Parser;
use winnow::combinator::{opt, peek};

use super::condition::is_over_intervals;
use super::lexical::{Input, Parsed, keyword, refuse, symbol, upcoming, word};
use super::quantity::exactly;
use crate::assertion::{
    AssertionError, Clauses, Condition, During, Each, Located, Measure, Windows,
};
use crate::suggest::did_you_mean;
use crate::units::Dimension;

/// Everything behind the comparison; also checks that the clauses fit each other and the metrics.
pub(in crate::assertion) fn clauses(
    input: &mut Input<'_>,
    left: &Located<Measure>,
    condition: &Condition,
) -> Parsed<Clauses> {
    let mut clauses = Clauses::default();
    loop {
        if let Some(start) = opt(keyword("during")).parse_next(input)? {
            let during = during(input, &start.range)?;
            once(&mut clauses.during, during)?;
        } else if let Some(start) = opt(keyword("for")).parse_next(input)? {
            match for_clause(input, &start.range)? {
                For::Each(each) => once(&mut clauses.each, each)?,
                For::Windows(windows) => once(&mut clauses.windows, windows)?,
            }
        } else if let Some(start) = opt(keyword("with")).parse_next(input)? {
            return refuse(unsupported_confidence(input, &start.range)?);
        } else {
            break;
        }
    }
    check(&clauses, left, condition).or_else(refuse)?;
    Ok(clauses)
}

fn once<T>(slot: &mut Option<Located<T>>, clause: Located<T>) -> Parsed<()> {
    if slot.is_some() {
        let message = "this clause is there twice";
        return refuse(AssertionError::new(clause.range, message, "keep one of them"));
    }
    *slot = Some(clause);
    Ok(())
}

fn during(input: &mut Input<'_>, start: &Range<usize>) -> Parsed<Located<During>> {
    const EXAMPLE: &str = "during 5s..25s";
    let mut time = exactly(Dimension::Time, "a time", EXAMPLE);
    let from = time.parse_next(input)?;
    if opt(symbol("..")).parse_next(input)?.is_none() {
        let next = upcoming(input)?;
        let hint = format!("write for example `{EXAMPLE}`");
        return refuse(AssertionError::new(next.range, "`..` is missing", hint));
    }
    let to = time.parse_next(input)?;
    if from.si() < 0.0 || from.si() >= to.si() {
        let message = "the span is empty";
        let hint = "write the earlier time first; times count from the start of the stream";
        return refuse(AssertionError::new(from.range.start..to.range.end, message, hint));
    }
    let during = During { from: from.value, to: to.value };
    Ok(Located::new(during, start.start..to.range.end))
}

enum For {
    Each(Located<Each>),
    Windows(Located<Windows>),
}

fn for_clause(input: &mut Input<'_>, start: &Range<usize>) -> Parsed<For> {
    if opt(keyword("each")).parse_next(input)?.is_some() {
        return each(input, start).map(For::Each);
    }
    let next = upcoming(input)?;
    if next.value.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return windows(input, start).map(For::Windows);
    }
    let hint =
        "write `for each stream`, `for each flow`, `for each interval` or `for 95% of 1s windows`";
    refuse(AssertionError::new(next.range, "`for` needs to know for what", hint))
}

fn each(input: &mut Input<'_>, start: &Range<usize>) -> Parsed<Located<Each>> {
    const HINT: &str = "write `for each stream`, `for each flow` or `for each interval`";
    let Some(what) = opt(word).parse_next(input)? else {
        let next = upcoming(input)?;
        return refuse(AssertionError::new(next.range, "`for each` needs to know what", HINT));
    };
    let each = match what.value {
        "stream" => Each::Stream,
        "flow" => Each::Flow,
        "interval" => Each::Interval,
        "repeat" => {
            let message = "this version runs each test once, there are no repeats";
            let hint = "leave the clause out, or write the test as a `matrix`";
            return refuse(AssertionError::new(start.start..what.range.end, message, hint));
        }
        other => {
            let hint = did_you_mean(other, ["stream", "flow", "interval"]);
            let hint = hint.unwrap_or_else(|| HINT.to_owned());
            return refuse(AssertionError::new(
                what.range,
                format!("there is no `for each {other}`"),
                hint,
            ));
        }
    };
    Ok(Located::new(each, start.start..what.range.end))
}

fn windows(input: &mut Input<'_>, start: &Range<usize>) -> Parsed<Located<Windows>> {
    const EXAMPLE: &str = "for 95% of 1s windows";
    let share = exactly(Dimension::Ratio, "a percentage", EXAMPLE).parse_next(input)?;
    if share.number <= 0.0 || share.number > 100.0 {
        let message = format!("`{}` is not a share of the windows", share.value);
        let hint = "write a percentage above 0% and at most 100%";
        return refuse(AssertionError::new(share.range, message, hint));
    }
    expect_word(input, "of", EXAMPLE)?;
    let length = exactly(Dimension::Time, "the length of a window", EXAMPLE).parse_next(input)?;
    if length.number <= 0.0 {
        let message = "a window has a length above 0";
        return refuse(AssertionError::new(
            length.range,
            message,
            format!("write for example `{EXAMPLE}`"),
        ));
    }
    let end = expect_word(input, "windows", EXAMPLE)?;
    let windows = Windows { share: share.value, length: length.value };
    Ok(Located::new(windows, start.start..end))
}

fn expect_word(input: &mut Input<'_>, wanted: &'static str, example: &str) -> Parsed<usize> {
    if let Some(word) = opt(keyword(wanted)).parse_next(input)? {
        return Ok(word.range.end);
    }
    let next = upcoming(input)?;
    let hint = format!("write for example `{example}`");
    refuse(AssertionError::new(next.range, format!("`{wanted}` is missing"), hint))
}

fn unsupported_confidence(input: &mut Input<'_>, start: &Range<usize>) -> Parsed<AssertionError> {
    let mut range = start.clone();
    let clause = (exactly(Dimension::Ratio, "a percentage", "95%"), opt(keyword("confidence")));
    if let Some((share, word)) = opt(peek(clause)).parse_next(input)? {
        range.end = word.map_or(share.range.end, |word| word.range.end);
    }
    let message = "this version does not compute confidence intervals";
    let hint = "leave the clause out, or ask for a share of the run: `for 95% of 1s windows`";
    Ok(AssertionError::new(range, message, hint))
}

/// Refuses clauses that contradict each other or ask for intervals of what has none.
fn check(
    clauses: &Clauses,
    left: &Located<Measure>,
    condition: &Condition,
) -> Result<(), AssertionError> {
    let right = condition.expressions().flat_map(|expression| expression.measures());
    if let Some(during) = &clauses.during {
        for measure in std::iter::once(left).chain(right) {
            refuse_without_intervals(measure, &during.range)?;
        }
    }
    let each_interval = clauses.each.as_ref().filter(|each| each.value == Each::Interval);
    let windows = clauses.windows.as_ref().map(|windows| &windows.range);
    if let (Some(each), Some(windows)) = (each_interval, windows) {
        let message = "`for each interval` and windows exclude each other";
        let hint = "`for 100% of 1s windows` asks for every window";
        return Err(AssertionError::new(
            each.range.start.min(windows.start)..each.range.end.max(windows.end),
            message,
            hint,
        ));
    }
    if let Some(range) = each_interval.map(|each| &each.range).or(windows) {
        refuse_without_intervals(left, range)?;
        if is_over_intervals(left) {
            let message = format!("`{}` is one value over all intervals", left.value);
            let hint =
                format!("write `{}` without statistic, or leave the clause out", left.metric);
            return Err(AssertionError::new(range.clone(), message, hint));
        }
    }
    let each_flow = clauses.each.as_ref().filter(|each| each.value == Each::Flow);
    if let (Some(each), Some(flow)) = (each_flow, &left.flow) {
        let message = format!("`for each flow` contradicts the flow `{flow}`");
        let hint = format!("write the metric without `{flow}.`, or leave the clause out");
        return Err(AssertionError::new(each.range.clone(), message, hint));
    }
    Ok(())
}

fn refuse_without_intervals(
    measure: &Located<Measure>,
    clause: &Range<usize>,
) -> Result<(), AssertionError> {
    let metric = measure.metric;
    if metric.is_in_intervals() {
        return Ok(());
    }
    let message = format!("`{metric}` has one value for the whole run");
    Err(AssertionError::new(clause.clone(), message, "leave the clause out"))
}
