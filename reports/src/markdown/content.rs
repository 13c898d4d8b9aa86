//! What the template shows: a run as rows of cells, each already formatted and escaped.

use linerate_schema::results::{
    AssertionResult, CaseResult, FlowResult, HostFacts, Severity, Verdict,
};
use linerate_schema::scenario::Way;
use minijinja::Value;

use super::escape::{code, prose};
use crate::comparison;
use crate::flow_figures::FlowFigures;
use crate::problem::{Problem, Subject, case_message, is_problem};

/// Most comparisons told in one cell.
const MAX_COMPARISONS: usize = 3;

/// The cells of a table row.
#[derive(Debug, Clone)]
pub(super) struct Row(Vec<String>);

impl Row {
    /// Bytes that the row takes on the page, at most.
    pub(super) fn size(&self) -> usize {
        let separators = " | ".len() * (self.0.len() + 1);
        self.0.iter().map(String::len).sum::<usize>() + separators
    }
}

impl From<Row> for Value {
    fn from(row: Row) -> Self {
        Self::from(row.0)
    }
}

/// A row about something that did not pass.
pub(super) fn problem_row(problem: &Problem<'_>) -> Row {
    let (check, measured, required) = match problem.subject {
        Subject::Case => ("the case".to_owned(), String::new(), String::new()),
        Subject::Flow(flow) => {
            let measured: Vec<_> =
                FlowFigures::lines(flow).iter().map(|line| prose(line)).collect();
            (format!("flow {}", prose(&flow.name)), measured.join("<br>"), String::new())
        }
        Subject::Assertion(assertion) => {
            let (measured, required) = measured_and_required(assertion);
            (code(&assertion.text), measured, required)
        }
    };
    let location = problem.location();
    Row(vec![
        verdict_cell(problem.verdict(), problem.severity()),
        prose(&problem.case.id),
        check,
        measured,
        required,
        message(problem),
        code(&format!("{}:{}", location.file, location.line)),
    ])
}

fn message(problem: &Problem<'_>) -> String {
    let message = prose(problem.message());
    match problem.subject {
        Subject::Assertion(AssertionResult { because: Some(because), .. }) => {
            format!("{message} (because: {})", prose(because))
        }
        _ => message,
    }
}

/// The value and the limit of the only comparison; of several, those that did not pass in the first cell.
fn measured_and_required(assertion: &AssertionResult) -> (String, String) {
    if let [only] = assertion.comparisons.as_slice() {
        return (prose(&only.measured_text), code(&only.limit_text));
    }
    let problems: Vec<_> = assertion.comparisons.iter().filter(|c| is_problem(c.verdict)).collect();
    let mut told: Vec<_> = problems
        .iter()
        .take(MAX_COMPARISONS)
        .map(|comparison| prose(&comparison::describe(comparison)))
        .collect();
    if problems.len() > MAX_COMPARISONS {
        told.push(format!("and {} more", problems.len() - MAX_COMPARISONS));
    }
    (told.join("<br>"), String::new())
}

/// A row for each way of each flow of the case; one about the case when it has none.
pub(super) fn flow_rows(case: &CaseResult) -> Vec<Row> {
    if !case.flows.is_empty() {
        let of_flow = |flow: &FlowResult| {
            let ways = FlowFigures::of(flow).into_iter();
            ways.map(|(way, figures)| flow_row(case, flow, way, figures)).collect::<Vec<_>>()
        };
        return case.flows.iter().flat_map(of_flow).collect();
    }
    let reason = prose(case_message(case));
    vec![flow_row_of_cells(
        case,
        [reason, String::new(), String::new(), String::new(), String::new()],
    )]
}

fn flow_row(case: &CaseResult, flow: &FlowResult, way: Option<Way>, figures: FlowFigures) -> Row {
    let cell = |figure: Option<String>| prose(figure.as_deref().unwrap_or_default());
    let mut throughput = cell(figures.throughput);
    if !figures.caveats.is_empty() {
        throughput = format!("{throughput} ({})", figures.caveats.join("; "));
    }
    let name = way.map_or_else(|| flow.name.clone(), |way| format!("{} {way}", flow.name));
    let measured =
        [prose(&name), throughput, cell(figures.loss), cell(figures.jitter), cell(figures.latency)];
    flow_row_of_cells(case, measured)
}

fn flow_row_of_cells(case: &CaseResult, cells: [String; 5]) -> Row {
    let mut row = vec![verdict_cell(case.verdict, Severity::Error), prose(&case.id)];
    row.extend(cells);
    row.push(passed_of_all(case));
    Row(row)
}

/// `3/4`: assertions of the case that passed, and all of them.
fn passed_of_all(case: &CaseResult) -> String {
    let passed = case.assertions.iter().filter(|a| a.verdict == Verdict::Pass).count();
    format!("{passed}/{}", case.assertions.len())
}

/// A row about a host.
pub(super) fn host_row(host: &HostFacts) -> Row {
    let fact = |fact: &Option<String>| prose(fact.as_deref().unwrap_or_default());
    let cpu = match (&host.cpu, host.cpus) {
        (Some(model), Some(cpus)) => format!("{cpus} × {model}"),
        (Some(model), None) => model.clone(),
        (None, Some(cpus)) => cpus.to_string(),
        (None, None) => String::new(),
    };
    Row(vec![
        prose(&host.name),
        prose(&host.kind),
        fact(&host.kernel),
        prose(&cpu),
        fact(&host.tcp_congestion_control),
        fact(&host.engine_version),
    ])
}

pub(super) fn icon(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "✅",
        Verdict::Fail | Verdict::Error => "❌",
        Verdict::Inconclusive => "❔",
        Verdict::Skipped => "⏭️",
    }
}

fn verdict_cell(verdict: Verdict, severity: Severity) -> String {
    if severity == Severity::Warn && is_problem(verdict) {
        return format!("⚠️ warning ({verdict})");
    }
    format!("{} {verdict}", icon(verdict))
}
