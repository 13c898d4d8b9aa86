use linerate_schema::assertion::Each;
use linerate_schema::results::{AssertionResult, Comparison, FlowResult, SourceLocation, Verdict};
use linerate_schema::scenario::AssertionItem;

use super::limit::Limit;
use super::measured::{Answer, Measured};
use super::scope::{Bench, Obstacle, Scope};
use super::sentence::{self, compared, span_text, subject_text};

/// Judges one assertion by the flows of its case. `file` is the scenario's path as it was given.
#[must_use]
pub fn judge_assertion(item: &AssertionItem, file: &str, flows: &[FlowResult]) -> AssertionResult {
    let bench = Bench { assertion: &item.assertion, flows };
    let (verdict, message, comparisons) = match bench.scopes() {
        Ok(scopes) => conclude(scopes.iter().flat_map(|scope| bench.judge(scope)).collect()),
        Err(why) => (Verdict::Error, why, Vec::new()),
    };
    AssertionResult {
        text: item.text.value.clone(),
        because: item.because.clone(),
        severity: item.severity,
        verdict,
        message,
        comparisons,
        location: SourceLocation {
            file: file.to_owned(),
            line: item.text.span.line.max(1),
            column: item.text.span.column.max(1),
        },
    }
}

/// A comparison with its sentence.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    pub(super) comparison: Comparison,
    pub(super) sentence: String,
    /// Distance from the limit, where there is a measured value.
    pub(super) nearness: Option<f64>,
}

impl<'a> Bench<'a> {
    /// The comparisons of a scope: one, or one for each interval.
    fn judge(&self, scope: &Scope<'a>) -> Vec<Judged> {
        if let Some(obstacle) = self.obstacle(scope) {
            return vec![self.hindered(scope, &obstacle)];
        }
        let clauses = &self.assertion.clauses;
        if let Some(windows) = &clauses.windows {
            return vec![self.judge_windows(scope, windows)];
        }
        let limit = match self.limit(scope.subject.flow) {
            Ok(limit) => limit,
            Err(why) => return vec![not_judged(scope, self.assertion.condition.to_string(), why)],
        };
        if clauses.each.as_ref().is_some_and(|each| each.value == Each::Interval) {
            return self.judge_intervals(scope, &limit);
        }
        vec![self.compare(scope, self.measure_left(scope), &limit)]
    }

    fn measure_left(&self, scope: &Scope<'a>) -> Answer {
        let during = self.assertion.clauses.during.as_ref().map(|during| &during.value);
        scope.subject.measure(&self.assertion.left, during)
    }

    fn judge_intervals(&self, scope: &Scope<'a>, limit: &Limit) -> Vec<Judged> {
        let left = &self.assertion.left;
        let during = self.assertion.clauses.during.as_ref().map(|during| &during.value);
        let series = match left.side() {
            Some(side) => scope.subject.series(side, during),
            None => Err(format!("`{}` has no intervals", left.metric)),
        };
        let parts = series.map(|series| series.intervals());
        match parts {
            Err(why) => vec![not_judged(scope, limit.text.clone(), why)],
            Ok(parts) if parts.is_empty() => {
                let why = format!(
                    "`{}` ran for less than one interval: run longer",
                    scope.subject.flow.name
                );
                vec![not_judged(scope, limit.text.clone(), why)]
            }
            Ok(parts) => parts
                .iter()
                .map(|part| {
                    let span = span_text(part.start, part.end);
                    let label = format!("{} {span}", scope.subject.flow.name);
                    let place = Scope { label, ..scope.clone() };
                    self.compare(&place, scope.subject.measure_part(left, part), limit)
                })
                .collect(),
        }
    }

    /// The comparison itself.
    fn compare(&self, scope: &Scope<'a>, answer: Answer, limit: &Limit) -> Judged {
        let measured = match answer {
            Ok(measured) => measured,
            Err(why) => return not_judged(scope, limit.text.clone(), why),
        };
        let left = &self.assertion.left;
        let dimension = left.metric.dimension();
        let value = measured.against(limit);
        let nearest = limit.nearest(value);
        let text = match &measured.each {
            Some(marks) => marks.text(dimension),
            None => dimension.format_apart(value, nearest),
        };
        let doubt = measured.doubt_about(limit, dimension);
        let Measured { samples, .. } = measured;
        let subject = subject_text(left, &scope.subject);
        let (verdict, sentence) = match doubt.or_else(|| limit.doubt.clone()) {
            Some(doubt) => (
                Verdict::Inconclusive,
                format!("{subject} was {text} (limit {}), but {doubt}", limit.text),
            ),
            None => {
                let verdict = if limit.holds(value) { Verdict::Pass } else { Verdict::Fail };
                (verdict, compared(&subject, &text, value, limit))
            }
        };
        Judged {
            comparison: Comparison {
                scope: scope.label.clone(),
                verdict,
                measured: Some(value),
                measured_text: text,
                limit: limit.single(),
                limit_text: limit.text.clone(),
                samples,
            },
            sentence,
            nearness: Some((value - nearest).abs()),
        }
    }

    /// A flow in the way: the partial figure is told, and not judged.
    fn hindered(&self, scope: &Scope<'a>, obstacle: &Obstacle) -> Judged {
        let condition = self.assertion.condition.to_string();
        let partial =
            self.measure_left(scope).ok().filter(|_| obstacle.verdict != Verdict::Skipped);
        let Some(partial) = partial else {
            let judged = not_judged(scope, condition, obstacle.reason.clone());
            let comparison = Comparison { verdict: obstacle.verdict, ..judged.comparison };
            return Judged { comparison, ..judged };
        };
        let left = &self.assertion.left;
        let dimension = left.metric.dimension();
        let text = match &partial.each {
            Some(marks) => marks.text(dimension),
            None => dimension.format(partial.value),
        };
        let subject = subject_text(left, &scope.subject);
        Judged {
            comparison: Comparison {
                scope: scope.label.clone(),
                verdict: obstacle.verdict,
                measured: None,
                measured_text: format!("{text} (partial)"),
                limit: None,
                limit_text: condition,
                samples: partial.samples,
            },
            sentence: format!("{}; the partial {subject} of {text} is not judged", obstacle.reason),
            nearness: None,
        }
    }
}

/// A comparison that could not be made.
pub(super) fn not_judged(scope: &Scope<'_>, limit_text: String, why: String) -> Judged {
    Judged {
        comparison: Comparison {
            scope: scope.label.clone(),
            verdict: Verdict::Error,
            measured: None,
            measured_text: "no data".to_owned(),
            limit: None,
            limit_text,
            samples: None,
        },
        sentence: why,
        nearness: None,
    }
}

/// The verdict of all comparisons and the sentence for the reader.
fn conclude(judged: Vec<Judged>) -> (Verdict, String, Vec<Comparison>) {
    let verdicts = judged.iter().map(|judged| judged.comparison.verdict);
    let Some(verdict) = verdicts.reduce(Verdict::worst) else {
        return (Verdict::Error, "there was nothing to compare".to_owned(), Vec::new());
    };
    let concerned = || judged.iter().filter(|judged| judged.comparison.verdict == verdict);
    // Of what passed, the closest call; of what did not, the first.
    let example = match verdict {
        Verdict::Pass => concerned().min_by(|a, b| distance(a).total_cmp(&distance(b))),
        _ => concerned().next(),
    };
    let message = match (example, judged.len()) {
        (Some(example), 1) => example.sentence.clone(),
        (Some(example), total) => {
            let label = &example.comparison.scope;
            sentence::several(verdict, concerned().count(), total, label, &example.sentence)
        }
        (None, _) => String::new(),
    };
    (verdict, message, judged.into_iter().map(|judged| judged.comparison).collect())
}

fn distance(judged: &Judged) -> f64 {
    judged.nearness.unwrap_or(f64::INFINITY)
}
