use std::time::Duration;

use linerate_schema::Span;
use linerate_schema::results::{CaseResult, FlowResult, MatrixValue, SourceLocation, Verdict};

use crate::plan::{Plan, PlannedCase};
use crate::verdict::judge_case;

/// The result of a case whose flows ran, judged.
pub(super) fn ran_case(
    planned: &PlannedCase,
    plan: &Plan,
    started_at: String,
    took: Duration,
    flows: Vec<FlowResult>,
) -> CaseResult {
    let file = &plan.scenario.file;
    let (verdict, assertions) = judge_case(&planned.case.assertions, file, &flows);
    CaseResult {
        started_at: Some(started_at),
        duration_seconds: took.as_secs_f64(),
        verdict,
        flows,
        assertions,
        ..unjudged_case(planned, plan)
    }
}

/// The result of a case that did not run.
pub(super) fn skipped_case(planned: &PlannedCase, plan: &Plan, reason: &str) -> CaseResult {
    CaseResult { reason: Some(reason.to_owned()), ..unjudged_case(planned, plan) }
}

fn unjudged_case(planned: &PlannedCase, plan: &Plan) -> CaseResult {
    let case = &planned.case;
    let matrix = case.matrix.iter().cloned();
    CaseResult {
        id: case.id.clone(),
        test: case.test.clone(),
        matrix: matrix.map(|(name, value)| MatrixValue { name, value }).collect(),
        description: case.description.clone(),
        tags: case.tags.clone(),
        location: location(&plan.scenario.file, case.span),
        started_at: None,
        duration_seconds: 0.0,
        verdict: Verdict::Skipped,
        reason: None,
        flows: Vec::new(),
        assertions: Vec::new(),
    }
}

fn location(file: &str, span: Span) -> SourceLocation {
    SourceLocation { file: file.to_owned(), line: span.line.max(1), column: span.column.max(1) }
}
