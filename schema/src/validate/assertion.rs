use indexmap::IndexMap;

use super::DraftFlow;
use crate::Spanned;
use crate::assertion::{Assertion, AssertionError};
use crate::diagnostic::{Diagnostic, Findings, quoted};
use crate::scenario::{Host, TrafficClass};
use crate::source_file::SourceFile;

/// Parses an assertion; none when it is not one, which is reported.
pub(crate) fn parse_assertion(
    source: &SourceFile,
    text: &Spanned<String>,
    findings: &Findings,
) -> Option<Assertion> {
    match Assertion::parse(text) {
        Ok(assertion) => Some(assertion),
        Err(error) => {
            findings.add(finding("assertion-syntax", error, source, text));
            None
        }
    }
}

/// Reports what the flows of the test cannot answer.
pub(crate) fn check_assertion(
    source: &SourceFile,
    text: &Spanned<String>,
    assertion: &Assertion,
    flows: &[DraftFlow],
    hosts: &IndexMap<String, Host>,
    findings: &Findings,
) {
    let names: Vec<&str> = flows.iter().map(|flow| flow.name.as_str()).collect();
    if let Some(error) = assertion.foregone(&names) {
        findings.add(finding("assertion-foregone", error, source, text));
    }
    // What flows there are was reported as unclear.
    if flows.is_empty() {
        return;
    }
    let class = |flow: &DraftFlow| {
        let class = flow.traffic_class(hosts)?;
        // A server records for all its clients at the shortest interval of them.
        let interval = class.interval.filter(|_| !shares_intervals(flow, flows));
        Some(TrafficClass { interval, ..class })
    };
    let flows: Vec<_> = flows.iter().map(|flow| (flow.name.as_str(), class(flow))).collect();
    for error in assertion.known_problems(&flows) {
        findings.add(finding("assertion-metric", error, source, text));
    }
}

/// Whether another flow uses the same server with other intervals.
fn shares_intervals(flow: &DraftFlow, flows: &[DraftFlow]) -> bool {
    let name = |flow: &DraftFlow| flow.server.as_ref().and_then(|server| server.name.clone());
    let Some(server) = name(flow) else { return false };
    flows.iter().any(|other| {
        name(other).as_ref() == Some(&server) && other.options.interval != flow.options.interval
    })
}

/// The finding at the wrong part of the text; at the whole text, which is then quoted, when the file does not have it
/// as it is.
fn finding(
    code: &'static str,
    error: AssertionError,
    source: &SourceFile,
    text: &Spanned<String>,
) -> Diagnostic {
    let AssertionError { range, message, hint } = error;
    let message = match source.is_verbatim(text.span, text) {
        true => message,
        false => format!("{message}, in {}", quoted(text)),
    };
    Diagnostic::error(code, source.span_within(text.span, text, range), message).help(hint)
}
