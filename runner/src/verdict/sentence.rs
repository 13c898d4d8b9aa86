//! What the reader of a result is told.

use linerate_schema::assertion::{Measure, Metric, Operator, OverStreams, Stat};
use linerate_schema::results::Verdict;

use super::limit::{Bounds, Limit};
use super::measured::{Streams, Subject};

/// The metric with the statistic that it stands for, and how its streams became one figure.
pub(super) fn subject_text(measure: &Measure, subject: &Subject<'_>) -> String {
    let implied = match (measure.metric, measure.stat) {
        (Metric::Latency, None) => Some(Stat::Mean),
        _ => measure.stat,
    };
    let name = Measure { stat: implied, ..measure.clone() }.to_string();
    let streams = subject.flow.streams.len();
    if streams < 2
        || matches!(subject.streams, Streams::One(_))
        || measure.metric == Metric::ConnectTime && measure.stat.is_some()
    {
        return name;
    }
    let joined = match measure.metric.facts().over_streams {
        OverStreams::Sum => "sum of",
        OverStreams::Mean => "mean of",
        OverStreams::Highest => "highest of",
        OverStreams::Lowest => "lowest of",
        OverStreams::Pooled | OverStreams::Merged => {
            return format!("{name} ({streams} streams pooled)");
        }
    };
    format!("{name} ({joined} {streams} streams)")
}

/// A measured value beside its limit: `throughput was 42.1 Mbit/s, below the limit of 50 Mbit/s`.
pub(super) fn compared(subject: &str, text: &str, value: f64, limit: &Limit) -> String {
    if limit.holds(value) {
        return format!("{subject} was {text}, as required ({})", limit.text);
    }
    let relation = match &limit.bounds {
        Bounds::One(operator, bound) => relation(*operator, value, bound.value, &bound.text),
        Bounds::Between(low, high) if value < low.value => {
            format!("below the range of {} to {}", low.text, high.text)
        }
        Bounds::Between(low, high) => format!("above the range of {} to {}", low.text, high.text),
    };
    format!("{subject} was {text}, {relation}")
}

fn relation(operator: Operator, value: f64, bound: f64, text: &str) -> String {
    match operator {
        Operator::Greater if value >= bound => format!("not above the limit of {text}"),
        Operator::Less if value <= bound => format!("not below the limit of {text}"),
        Operator::Greater | Operator::GreaterOrEqual => format!("below the limit of {text}"),
        Operator::Less | Operator::LessOrEqual => format!("above the limit of {text}"),
        Operator::Equal => format!("not equal to {text}"),
        Operator::NotEqual => format!("which is not allowed ({operator} {text})"),
    }
}

/// A place in the run.
pub(super) fn span_text(start: f64, end: f64) -> String {
    format!("{start:.2}-{end:.2} s")
}

/// What several comparisons come to, and the sentence of the one to look at.
pub(super) fn several(
    verdict: Verdict,
    concerned: usize,
    total: usize,
    label: &str,
    sentence: &str,
) -> String {
    match verdict {
        Verdict::Pass => format!("all {total} hold; nearest to the limit is {label}: {sentence}"),
        Verdict::Fail => format!("{concerned} of {total} fail; {label}: {sentence}"),
        Verdict::Error => {
            format!("{concerned} of {total} could not be judged; {label}: {sentence}")
        }
        Verdict::Inconclusive => {
            format!("{concerned} of {total} are inconclusive; {label}: {sentence}")
        }
        Verdict::Skipped => format!("{concerned} of {total} were skipped; {label}: {sentence}"),
    }
}
