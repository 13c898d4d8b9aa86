use std::fmt::Write as _;

use linerate_schema::results::{RunResult, Severity};

use crate::plain_text::{multi_line, single_line};
use crate::problem::{Problem, Subject};
use crate::{RenderError, Report};

/// GitHub workflow commands that mark the lines of the scenario in a pull request.
///
/// Read by the runner of GitHub Actions (and the forges that copied it) from the log of a step: print it to stdout
/// there. Failed, erroneous and inconclusive flows and assertions are errors, those of severity `warn` warnings. The
/// runner keeps ten of each for a step; the rest is counted in a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Github;

/// How many annotations of one level GitHub keeps for a step.
const MAX_PER_LEVEL: usize = 10;

impl Report for Github {
    fn render(&self, run: &RunResult) -> Result<Vec<u8>, RenderError> {
        let (errors, warnings): (Vec<_>, Vec<_>) = Problem::all_of(run)
            .into_iter()
            .partition(|problem| problem.severity() == Severity::Error);
        let mut commands = String::new();
        for (level, problems) in [("error", &errors), ("warning", &warnings)] {
            for problem in problems.iter().take(MAX_PER_LEVEL) {
                push_annotation(&mut commands, level, problem);
            }
        }
        let left_out = |all: &[Problem<'_>]| all.len().saturating_sub(MAX_PER_LEVEL);
        let (more_errors, more_warnings) = (left_out(&errors), left_out(&warnings));
        if more_errors + more_warnings > 0 {
            // Writing to a String cannot fail.
            let _ = writeln!(
                commands,
                "::notice title=linerate::{more_errors} more errors and {more_warnings} more warnings are not \
                 annotated, because a step may have {MAX_PER_LEVEL} of each; see the other reports of the run"
            );
        }
        Ok(commands.into_bytes())
    }
}

fn push_annotation(commands: &mut String, level: &str, problem: &Problem<'_>) {
    let location = problem.location();
    let case = single_line(&problem.case.id);
    let title = match problem.subject {
        Subject::Case => format!("{case}: {}", problem.verdict()),
        Subject::Flow(flow) => {
            format!("{case}: flow {}: {}", single_line(&flow.name), problem.verdict())
        }
        Subject::Assertion(assertion) => {
            format!("{case}: {}: {}", single_line(&assertion.text), problem.verdict())
        }
    };
    // Writing to a String cannot fail.
    let _ = writeln!(
        commands,
        "::{level} file={},line={},col={},title={}::{}",
        escape_property(&single_line(&location.file)),
        location.line,
        location.column,
        escape_property(&title),
        escape_data(&message(problem)),
    );
}

/// The problem's message and, for an assertion, why its limit exists.
fn message(problem: &Problem<'_>) -> String {
    let mut message = multi_line(problem.message());
    if let Subject::Assertion(assertion) = problem.subject
        && let Some(because) = &assertion.because
    {
        message.push_str("\nbecause: ");
        message.push_str(&multi_line(because));
    }
    message
}

/// Escapes the message of a workflow command.
fn escape_data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property of a workflow command.
fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_separates_the_parts_of_a_command_is_escaped() {
        assert_eq!(escape_data("5% of a: b, c\r\nd"), "5%25 of a: b, c%0D%0Ad");
        assert_eq!(escape_property("5% of a: b, c\nd"), "5%25 of a%3A b%2C c%0Ad");
    }
}
