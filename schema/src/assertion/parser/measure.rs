use std::ops::Range;

use winnow::Parser;
use winnow::combinator::opt;

use super::lexical::{Input, Parsed, path, refuse, symbol, upcoming};
use crate::assertion::metric_table::{NOT_MEASURED, OTHER_NAMES};
use crate::assertion::{AssertionError, KnownBy, Located, Measure, Metric, Samples, Side, Stat};
use crate::scenario::Way;
use crate::suggest::did_you_mean;
use crate::units::Number;

const METRIC_HINT: &str =
    "start with a metric, such as `throughput`, `p95(latency)` or `upload.loss`";

/// The left side.
pub(in crate::assertion) fn measure(input: &mut Input<'_>) -> Parsed<Located<Measure>> {
    let Some(head) = opt(path).parse_next(input)? else {
        let next = upcoming(input)?;
        return refuse(AssertionError::new(next.range, "a metric is missing", METRIC_HINT));
    };
    if opt(symbol("(")).parse_next(input)?.is_none() {
        return match Number::split(head.value) {
            Some((_, rest)) if !rest.contains('.') => {
                let hint = "the metric comes first and the limit last: `throughput > 1 Mbit/s`";
                refuse(AssertionError::new(head.range, "a metric is missing", hint))
            }
            _ => named(&head, None).or_else(refuse),
        };
    }
    let stat = stat(&head).or_else(refuse)?;
    let inner = argument(input)?;
    let next = upcoming(input)?;
    if next.value == "," {
        let message = format!("`{}` of several metrics belongs on the right side", head.value);
        let hint = "write one assertion for each metric";
        return refuse(AssertionError::new(head.range.start..next.range.end, message, hint));
    }
    close(input, &stat, &inner)
}

/// The metric in the brackets of a statistic.
pub(super) fn argument<'a>(input: &mut Input<'a>) -> Parsed<Located<&'a str>> {
    if let Some(inner) = opt(path).parse_next(input)? {
        return Ok(inner);
    }
    let next = upcoming(input)?;
    refuse(AssertionError::new(
        next.range,
        "a metric is missing in the brackets",
        "write for example `p95(latency)`",
    ))
}

/// The closing bracket of a statistic, and what it all means.
pub(super) fn close(
    input: &mut Input<'_>,
    stat: &Located<Stat>,
    inner: &Located<&str>,
) -> Parsed<Located<Measure>> {
    let Some(bracket) = opt(symbol(")")).parse_next(input)? else {
        let next = upcoming(input)?;
        if next.value.starts_with('(') && self::stat(inner).is_ok() {
            let message = "a statistic is taken of a metric, not of another statistic";
            let hint = format!("write one of them, such as `{}(latency)`", stat.value);
            return refuse(AssertionError::new(inner.range.clone(), message, hint));
        }
        let hint = format!("write `{}({})`", stat.value, inner.value);
        return refuse(AssertionError::new(next.range, "a closing bracket is missing", hint));
    };
    let measure = named(inner, Some(stat)).or_else(refuse)?;
    Ok(Located::new(measure.value, stat.range.start..bracket.range.end))
}

/// The statistic with this name.
pub(super) fn stat(name: &Located<&str>) -> Result<Located<Stat>, AssertionError> {
    let text = name.value;
    if let Some(stat) = Stat::find(text) {
        return Ok(Located::new(stat, name.range.clone()));
    }
    if let Some(percent) = text.strip_prefix('p').and_then(percent) {
        if percent > 0.0 && percent < 100.0 {
            return Ok(Located::new(Stat::Percentile(percent), name.range.clone()));
        }
        let message = format!("`{text}` is no percentile: its number lies between 0 and 100");
        return Err(AssertionError::new(
            name.range.clone(),
            message,
            "use `min` or `max` for the ends",
        ));
    }
    let hint = match text.rsplit_once('.') {
        Some((flow, stat)) => {
            format!("the flow goes inside the brackets: `{stat}({flow}.latency)`")
        }
        None => Stat::OTHER_NAMES
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(text))
            .map(|(_, stat)| format!("write `{stat}`"))
            .or_else(|| did_you_mean(text, Stat::NAMES))
            .unwrap_or_else(|| {
                "write `mean`, `min`, `max`, `stdev`, `median` or a percentile such as `p95`"
                    .to_owned()
            }),
    };
    Err(AssertionError::new(name.range.clone(), format!("unknown statistic `{text}`"), hint))
}

fn percent(text: &str) -> Option<f64> {
    Number::split(text).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| number.shifted(0))
}

/// `[flow.][way.][side.]metric`, with the statistic around it.
pub(super) fn named(
    path: &Located<&str>,
    stat: Option<&Located<Stat>>,
) -> Result<Located<Measure>, AssertionError> {
    let (before, metric) = split_metric(path)?;
    let Owner { flow, way, side } = owner(&before, metric)?;
    if let Some(side) = side.as_ref().filter(|side| !metric.is_known_by(side.value)) {
        return Err(known_elsewhere(side, metric));
    }
    if let Some(way) = way.as_ref().filter(|_| metric.default_side().is_none()) {
        return Err(known_elsewhere(way, metric));
    }
    let measure = Measure {
        stat: stat.map(|stat| stat.value),
        flow,
        way: way.map(|way| way.value),
        side: side.map(|side| side.value),
        metric,
    };
    if let Some(stat) = stat {
        check_stat(&measure, stat)?;
    }
    Ok(Located::new(measure, path.range.clone()))
}

/// Refuses a statistic of a metric that has none.
pub(super) fn check_stat(measure: &Measure, stat: &Located<Stat>) -> Result<(), AssertionError> {
    let metric = measure.metric;
    let why = match metric.facts().samples {
        Samples::Each | Samples::Intervals | Samples::Streams => return Ok(()),
        Samples::EachCompared => "is compared for every datagram",
        Samples::None => "is a single value",
    };
    let message = format!("`{metric}` {why}, `{}` does not apply", stat.value);
    Err(AssertionError::new(stat.range.clone(), message, format!("write `{metric}` alone")))
}

/// The parts of a path and their places.
fn parts<'a>(path: &Located<&'a str>) -> Vec<Located<&'a str>> {
    let mut start = path.range.start;
    path.value
        .split('.')
        .map(|part| {
            let range = start..start + part.len();
            start = range.end + 1;
            Located::new(part, range)
        })
        .collect()
}

/// The metric at the end of a path, and the parts before it.
fn split_metric<'a>(
    path: &Located<&'a str>,
) -> Result<(Vec<Located<&'a str>>, Metric), AssertionError> {
    let mut parts = parts(path);
    if let Some(empty) = parts.iter().find(|part| part.value.is_empty()) {
        let range = empty.range.clone();
        return Err(AssertionError::new(range, "a name is missing beside the dot", METRIC_HINT));
    }
    let last = parts.pop().unwrap_or_else(|| Located::new("", path.range.clone()));
    if let Some(metric) = Metric::find(last.value) {
        return Ok((parts, metric));
    }
    let joined = parts.last().map(|before| format!("{}.{}", before.value, last.value));
    if let Some(metric) = joined.as_deref().and_then(Metric::find) {
        parts.pop();
        return Ok((parts, metric));
    }
    if let Some((name, range)) = not_measured(&parts, &last) {
        let message = format!("`{name}` is not measured by this version");
        let hint = match name.as_str() {
            "rtt" => "judge `tcp-rtt`, the kernel's round-trip time of a TCP flow".to_owned(),
            _ => metric_list(),
        };
        return Err(AssertionError::new(range, message, hint));
    }
    let first_metric = parts.first().filter(|part| Metric::find(part.value).is_some());
    let hint = match first_metric {
        Some(metric) => format!("the metric comes last: `{}.{}`", last.value, metric.value),
        None => metric_hint(last.value),
    };
    Err(AssertionError::new(last.range.clone(), format!("unknown metric `{}`", last.value), hint))
}

fn not_measured(before: &[Located<&str>], last: &Located<&str>) -> Option<(String, Range<usize>)> {
    if NOT_MEASURED.contains(&last.value) {
        return Some((last.value.to_owned(), last.range.clone()));
    }
    let previous = before.last()?;
    let name = format!("{}.{}", previous.value, last.value);
    NOT_MEASURED.contains(&name.as_str()).then_some((name, previous.range.start..last.range.end))
}

fn metric_hint(name: &str) -> String {
    let lower = name.to_lowercase();
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == lower.replace('_', "-"));
    if let Some((_, metric)) = other {
        return format!("did you mean `{metric}`?");
    }
    let as_stat = Located::new(name, 0..0);
    if stat(&as_stat).is_ok() {
        return format!("a statistic has its metric in brackets: `{name}(latency)`");
    }
    let joined_by_minus = name.split_once('-').filter(|(metric, _)| Metric::find(metric).is_some());
    match joined_by_minus {
        Some((metric, rest)) => format!("a minus sign needs spaces: `{metric} - {rest}`"),
        None => did_you_mean(name, Metric::names()).unwrap_or_else(metric_list),
    }
}

fn metric_list() -> String {
    format!("the metrics are {}", Metric::names().collect::<Vec<_>>().join(", "))
}

/// What stands in front of the metric.
struct Owner {
    flow: Option<Located<String>>,
    way: Option<Located<Way>>,
    side: Option<Located<Side>>,
}

fn owner(before: &[Located<&str>], metric: Metric) -> Result<Owner, AssertionError> {
    // From the metric outwards: the side, the way, the flow.
    let (side, rest) = split_last(before, side);
    let (way, rest) = split_last(rest, way);
    match rest {
        [] => Ok(Owner { flow: None, way, side }),
        [flow @ .., one] if way.is_some() && self::side(one).is_some() => {
            let mut names: Vec<&str> = flow.iter().map(|part| part.value).collect();
            names.extend(way.map(|way| way.value.as_str()));
            let message = "the way comes before the side";
            let hint = format!("write `{}.{}.{metric}`", names.join("."), one.value);
            Err(AssertionError::new(one.range.clone(), message, hint))
        }
        [one] => {
            let flow = Located::new(one.value.to_owned(), one.range.clone());
            Ok(Owner { flow: Some(flow), way, side })
        }
        [first, second] if self::side(first).is_some() => {
            let message = "the flow comes before the side";
            let hint = format!("write `{}.{}.{metric}`", second.value, first.value);
            Err(AssertionError::new(first.range.start..second.range.end, message, hint))
        }
        [first, second] if self::way(first).is_some() => {
            let message = "the flow comes before the way";
            let hint = format!("write `{}.{}.{metric}`", second.value, first.value);
            Err(AssertionError::new(first.range.start..second.range.end, message, hint))
        }
        [first, second] if before.len() == 2 => {
            let message = format!(
                "`{}` is neither an end (`sender`, `receiver`) nor a way (`forward`, `reverse`)",
                second.value
            );
            let hint =
                format!("write `{}.{metric}` or `{}.sender.{metric}`", first.value, first.value);
            Err(AssertionError::new(second.range.clone(), message, hint))
        }
        [first, .., last] => {
            let range = first.range.start..last.range.end;
            let hint = format!("write `flow.{metric}` or `flow.sender.{metric}`");
            Err(AssertionError::new(range, "too many names before the metric", hint))
        }
    }
}

/// The last name, if it is such a word, and what stands before it.
fn split_last<'a, 'b, T>(
    names: &'b [Located<&'a str>],
    word: impl Fn(&Located<&str>) -> Option<Located<T>>,
) -> (Option<Located<T>>, &'b [Located<&'a str>]) {
    match names.split_last() {
        Some((last, rest)) => match word(last) {
            Some(found) => (Some(found), rest),
            None => (None, names),
        },
        None => (None, names),
    }
}

fn side(part: &Located<&str>) -> Option<Located<Side>> {
    let side = match part.value {
        "sender" => Side::Sender,
        "receiver" => Side::Receiver,
        _ => return None,
    };
    Some(Located::new(side, part.range.clone()))
}

fn way(part: &Located<&str>) -> Option<Located<Way>> {
    let way = match part.value {
        "forward" => Way::Forward,
        "reverse" => Way::Reverse,
        _ => return None,
    };
    Some(Located::new(way, part.range.clone()))
}

/// The error of a metric that only another end knows.
fn known_elsewhere(named: &Located<impl std::fmt::Display>, metric: Metric) -> AssertionError {
    let only = match metric.facts().known_by {
        KnownBy::Client => "client, whichever way the data goes",
        KnownBy::Sender | KnownBy::SenderOrReceiver => "sender",
        KnownBy::Receiver | KnownBy::ReceiverOrSender => "receiver",
    };
    let message = format!("`{metric}` is known only by the {only}");
    AssertionError::new(
        named.range.clone(),
        message,
        format!("write `{metric}` without `{}.`", named.value),
    )
}
