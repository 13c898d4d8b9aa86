//! What an assertion is about: flows, their streams, parts of their run.

use linerate_schema::assertion::{Assertion, Each, Measure};
use linerate_schema::results::{FlowFailure, FlowResult, Verdict};

use super::measured::{Streams, Subject};

/// An assertion and the flows of its case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bench<'a> {
    pub(super) assertion: &'a Assertion,
    pub(super) flows: &'a [FlowResult],
}

/// One thing that is compared.
#[derive(Debug, Clone)]
pub(super) struct Scope<'a> {
    pub(super) subject: Subject<'a>,
    /// Its name in results; empty when it is the only one.
    pub(super) label: String,
}

impl<'a> Bench<'a> {
    /// The things to compare, or why there are none.
    pub(super) fn scopes(&self) -> Result<Vec<Scope<'a>>, String> {
        let each = self.assertion.clauses.each.as_ref().map(|each| each.value);
        if each == Some(Each::Flow) {
            if self.flows.is_empty() {
                return Err("the case has no flow".to_owned());
            }
            let scope = |flow: &'a FlowResult| {
                let subject = Subject::of(&self.assertion.left, flow, Streams::All)?;
                Ok(Scope { subject, label: flow.name.clone() })
            };
            return self.flows.iter().map(scope).collect();
        }
        let flow = self.flow_of(&self.assertion.left)?;
        if each != Some(Each::Stream) {
            let subject = Subject::of(&self.assertion.left, flow, Streams::All)?;
            return Ok(vec![Scope { subject, label: String::new() }]);
        }
        if flow.streams.is_empty() {
            return Err(format!("`{}` has no streams, so nothing was measured", flow.name));
        }
        let scopes = flow.streams.iter().map(|stream| {
            let subject = Subject::of(&self.assertion.left, flow, Streams::One(stream))?;
            Ok(Scope { subject, label: format!("{} stream {}", flow.name, stream.stream) })
        });
        scopes.collect()
    }

    /// The flow that a metric names, or the only one.
    fn flow_of(&self, measure: &Measure) -> Result<&'a FlowResult, String> {
        match (&measure.flow, self.flows) {
            (Some(name), flows) => flows
                .iter()
                .find(|flow| flow.name == name.value)
                .ok_or_else(|| format!("the case has no flow `{name}`")),
            (None, [only]) => Ok(only),
            (None, []) => Err("the case has no flow".to_owned()),
            (None, flows) => Err(format!(
                "`{measure}` does not say which of the {} flows is meant: name one",
                flows.len()
            )),
        }
    }

    /// What a metric on the right side is about, in the scope of `flow`.
    pub(super) fn subject_of(
        &self,
        measure: &Measure,
        flow: &'_ FlowResult,
    ) -> Result<Subject<'a>, String> {
        let flow = match measure.flow {
            Some(_) => self.flow_of(measure)?,
            None => self
                .flows
                .iter()
                .find(|candidate| candidate.name == flow.name)
                .ok_or_else(|| format!("the case has no flow `{}`", flow.name))?,
        };
        Subject::of(measure, flow, Streams::All)
    }

    /// What keeps the flows that a scope depends on from being judged at all.
    pub(super) fn obstacle(&self, scope: &Scope<'a>) -> Option<Obstacle> {
        let right = self.assertion.condition.expressions().flat_map(|e| e.measures());
        let named = right.filter_map(|measure| self.subject_of(measure, scope.subject.flow).ok());
        let flows = std::iter::once(scope.subject.flow).chain(named.map(|subject| subject.flow));
        flows.filter_map(obstacle).reduce(|a, b| if a.verdict == Verdict::Error { a } else { b })
    }
}

/// Why a flow cannot be judged.
#[derive(Debug, Clone)]
pub(super) struct Obstacle {
    /// Error, skipped or inconclusive.
    pub(super) verdict: Verdict,
    pub(super) reason: String,
}

fn obstacle(flow: &FlowResult) -> Option<Obstacle> {
    let name = &flow.name;
    let of_streams = || flow.streams.iter().find_map(|stream| stream.failure.as_ref());
    if let Some(FlowFailure { message, .. }) = flow.failure.as_ref().or_else(of_streams) {
        let reason = format!("`{name}` failed: {message}");
        return Some(Obstacle { verdict: Verdict::Error, reason });
    }
    match flow.verdict {
        Verdict::Pass => None,
        Verdict::Skipped => {
            Some(Obstacle { verdict: Verdict::Skipped, reason: format!("`{name}` was skipped") })
        }
        verdict @ Verdict::Inconclusive => {
            Some(Obstacle { verdict, reason: format!("`{name}` is inconclusive") })
        }
        Verdict::Error | Verdict::Fail => Some(Obstacle {
            verdict: Verdict::Error,
            reason: format!("`{name}` did not run to its end"),
        }),
    }
}
