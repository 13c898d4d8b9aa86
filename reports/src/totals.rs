use linerate_schema::results::{RunResult, Severity, Verdict};

use crate::problem::is_problem;
use crate::quantity;

/// `4 cases: 2 passed, 1 failed, 1 error`; verdicts that did not occur are left out.
pub(crate) fn of_cases(run: &RunResult) -> String {
    let counts = run.counts;
    let parts = [
        (counts.pass, "passed"),
        (counts.fail, "failed"),
        (counts.error, if counts.error == 1 { "error" } else { "errors" }),
        (counts.inconclusive, "inconclusive"),
        (counts.skipped, "skipped"),
    ];
    let parts: Vec<_> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    if parts.is_empty() {
        return "no cases".to_owned();
    }
    format!("{}: {}", quantity::count(counts.total(), "case"), parts.join(", "))
}

/// `3 of 4 assertions passed, 1 warning`; `no assertions` when there are none.
pub(crate) fn of_assertions(run: &RunResult) -> String {
    let all = || run.cases.iter().flat_map(|case| &case.assertions);
    let total = all().count() as u64;
    if total == 0 {
        return "no assertions".to_owned();
    }
    let passed = all().filter(|a| a.verdict == Verdict::Pass).count();
    let warnings =
        all().filter(|a| a.severity == Severity::Warn && is_problem(a.verdict)).count() as u64;
    let mut text = format!("{passed} of {} passed", quantity::count(total, "assertion"));
    if warnings > 0 {
        text.push_str(", ");
        text.push_str(&quantity::count(warnings, "warning"));
    }
    text
}
