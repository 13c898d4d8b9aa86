use linerate_schema::results::{
    AssertionResult, CaseResult, FlowResult, RunResult, Severity, SourceLocation, Verdict,
};

use super::screen::{BOLD, Coloring, DIM, LABEL_WIDTH, Label, NORMAL, Screen, WARNING, style_of};
use crate::flow_figures::FlowFigures;
use crate::plain_text::single_line;
use crate::problem::{case_message, flow_message, is_problem, is_unexplained};
use crate::{RenderError, Report, comparison, quantity, totals};

/// The summary at the end of a run, for the person who started it.
///
/// For each case what its flows measured and a verdict for each assertion: one line for what passed; what was
/// measured, the limit and the place in the scenario for what did not. The last line is the total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Columns of the terminal; `None` when it is none, and lines may have any length.
    pub width: Option<usize>,
    /// Whether to colour.
    pub coloring: Coloring,
}

/// Columns in front of everything that belongs to a case.
const INDENT: usize = 2;

/// Columns in front of what explains a line with a label.
const DETAIL: usize = INDENT + LABEL_WIDTH + 1;

/// Most comparisons shown for an assertion that did not pass.
const MAX_COMPARISONS: usize = 5;

impl Report for Terminal {
    fn render(&self, run: &RunResult) -> Result<Vec<u8>, RenderError> {
        let mut screen = Screen::new(self.width, self.coloring);
        let file = single_line(&run.scenario.file);
        screen.line(0, BOLD, &single_line(&run.scenario.name));
        screen.line(0, DIM, &format!("{file}, seed {}", run.seed));
        for case in &run.cases {
            screen.blank_line();
            show_case(&mut screen, case);
        }
        screen.blank_line();
        show_total(&mut screen, run);
        Ok(screen.into_text().into_bytes())
    }
}

fn show_case(screen: &mut Screen, case: &CaseResult) {
    let heading =
        format!("{} ({})", single_line(&case.id), quantity::seconds(case.duration_seconds));
    screen.paragraph(0, BOLD, &heading);
    if is_unexplained(case) || case.verdict == Verdict::Skipped {
        let message = single_line(case_message(case));
        screen.labelled_paragraph(INDENT, DETAIL, &label(case.verdict, Severity::Error), &message);
        show_location(screen, &case.location);
    }
    for flow in &case.flows {
        show_flow(screen, flow);
    }
    for assertion in &case.assertions {
        show_assertion(screen, assertion);
    }
}

fn show_flow(screen: &mut Screen, flow: &FlowResult) {
    let name = single_line(&flow.name);
    let figures = FlowFigures::lines(flow);
    if is_problem(flow.verdict) {
        let label = label(flow.verdict, Severity::Error);
        let message = format!("flow {name}: {}", single_line(flow_message(flow)));
        screen.labelled_paragraph(INDENT, DETAIL, &label, &message);
        for line in figures {
            screen.paragraph(DETAIL, NORMAL, &format!("measured: {line}"));
        }
    } else {
        let label = Label { style: DIM, text: "flow" };
        let mut lines = figures.into_iter();
        let first = lines.next().unwrap_or_else(|| flow.verdict.to_string());
        screen.labelled_paragraph(INDENT, DETAIL, &label, &format!("{name}: {first}"));
        for line in lines {
            screen.labelled_paragraph(INDENT, DETAIL, &label, &format!("{name}: {line}"));
        }
    }
    for note in &flow.notes {
        screen.paragraph(DETAIL, DIM, &format!("note: {}", single_line(note)));
    }
    if is_problem(flow.verdict) {
        // Not wrapped, so that it can be copied.
        let command = single_line(&flow.iperf_client_command);
        screen.line(DETAIL, DIM, &format!("reproduce: {command}"));
        show_location(screen, &flow.location);
    }
}

fn show_assertion(screen: &mut Screen, assertion: &AssertionResult) {
    let label = label(assertion.verdict, assertion.severity);
    let text = single_line(&assertion.text);
    if !is_problem(assertion.verdict) {
        let measured = match assertion.comparisons.as_slice() {
            [] => single_line(&assertion.message).into_owned(),
            [only] => single_line(&only.measured_text).into_owned(),
            several => quantity::count(several.len() as u64, "comparison"),
        };
        screen.labelled_line(INDENT, &label, &format!("{text}  ({measured})"));
        return;
    }
    screen.labelled_paragraph(INDENT, DETAIL, &label, &text);
    screen.paragraph(DETAIL, NORMAL, &single_line(&assertion.message));
    show_comparisons(screen, assertion);
    if let Some(because) = &assertion.because {
        screen.paragraph(DETAIL, NORMAL, &format!("because: {}", single_line(because)));
    }
    show_location(screen, &assertion.location);
}

/// The comparisons that did not pass, as far as the message has not told them.
fn show_comparisons(screen: &mut Screen, assertion: &AssertionResult) {
    if let Some(rest) = comparison::left_out_by_message(assertion) {
        for line in rest {
            screen.paragraph(DETAIL, NORMAL, &line);
        }
        return;
    }
    let problems: Vec<_> = assertion.comparisons.iter().filter(|c| is_problem(c.verdict)).collect();
    for comparison in problems.iter().take(MAX_COMPARISONS) {
        screen.paragraph(DETAIL, NORMAL, &comparison::describe(comparison));
    }
    if problems.len() > MAX_COMPARISONS {
        let more = problems.len() - MAX_COMPARISONS;
        screen.paragraph(DETAIL, DIM, &format!("and {more} more that did not pass"));
    }
}

fn show_location(screen: &mut Screen, location: &SourceLocation) {
    let SourceLocation { file, line, column } = location;
    screen.line(DETAIL, DIM, &format!("{}:{line}:{column}", single_line(file)));
}

fn show_total(screen: &mut Screen, run: &RunResult) {
    if run.interrupted {
        let text = "interrupted before all cases had run; the figures above are what was measured";
        screen.paragraph(0, WARNING, text);
    }
    let total = format!(
        "{}: {}; {}; {}",
        run.verdict,
        totals::of_cases(run),
        totals::of_assertions(run),
        quantity::seconds(run.duration_seconds)
    );
    screen.line(0, style_of(run.verdict), &total);
}

fn label(verdict: Verdict, severity: Severity) -> Label {
    if severity == Severity::Warn && is_problem(verdict) {
        return Label { style: WARNING, text: "warn" };
    }
    Label { style: style_of(verdict), text: verdict.as_str() }
}
