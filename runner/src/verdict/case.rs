use linerate_schema::results::{AssertionResult, CaseResult, FlowResult, Severity, Verdict};
use linerate_schema::scenario::AssertionItem;

use super::judge_assertion;

/// Judges every assertion of a case, in order, and the case: the worst of its flows and of its assertions of severity
/// `error`. A case without flows measured nothing and is an error.
#[must_use]
pub fn judge_case(
    assertions: &[AssertionItem],
    file: &str,
    flows: &[FlowResult],
) -> (Verdict, Vec<AssertionResult>) {
    let results: Vec<AssertionResult> =
        assertions.iter().map(|item| judge_assertion(item, file, flows)).collect();
    let of_flows = flows.iter().map(|flow| flow.verdict).reduce(Verdict::worst);
    let counting = results.iter().filter(|result| result.severity == Severity::Error);
    let of_assertions = counting.map(|result| result.verdict);
    let verdict = of_assertions.fold(of_flows.unwrap_or(Verdict::Error), Verdict::worst);
    (verdict, results)
}

/// The verdict of a run: the worst of its cases, `skipped` when nothing ran.
#[must_use]
pub fn overall_verdict(cases: &[CaseResult]) -> Verdict {
    cases.iter().map(|case| case.verdict).fold(Verdict::Skipped, Verdict::worst)
}
