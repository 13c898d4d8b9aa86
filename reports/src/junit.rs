use std::collections::{HashMap, HashSet};
use std::time::Duration;

use chrono::{DateTime, FixedOffset};
use linerate_schema::results::{
    AssertionResult, CaseResult, Comparison, FlowResult, RunResult, Severity, SourceLocation,
    Verdict,
};
use linerate_schema::scenario::Way;
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite, XmlString};

use crate::flow_figures::FlowFigures;
use crate::plain_text::{multi_line, shorten, single_line};
use crate::problem::{case_message, flow_message, is_problem, is_unexplained};
use crate::{RenderError, Report, comparison};

/// `junit.xml`: for the test views of GitLab, Jenkins, Azure and the GitHub reporters.
///
/// The dialect is what all of them read: one suite for each case (scenario × test × matrix cell), in it one testcase
/// for each flow (`run NAME`: did it run to its end?) and one for each assertion. `classname` is `scenario.test` with
/// any other dot replaced, because Jenkins splits there; `classname` and `name` together are unique, because GitLab
/// keeps only the first of equals; `file` and `line` are those of the assertion, where annotations should land.
///
/// A failed assertion is a `failure`; whatever could not be measured or trusted is an `error`, of type `error`,
/// `inconclusive` or the class of the flow's failure. Assertions of severity `warn` pass, with a note in
/// `system-out`. The file never decides about a job: the exit code does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Junit;

/// Longest name of a testcase; Azure cuts titles at 512 characters, and a cut name would no longer be unique.
const MAX_NAME_CHARS: usize = 480;

/// Most comparisons told in the text of a testcase; `results.json` has all of them.
const MAX_COMPARISONS: usize = 20;

impl Report for Junit {
    fn render(&self, run: &RunResult) -> Result<Vec<u8>, RenderError> {
        let mut report = quick_junit::Report::new(name_or(&run.scenario.name, "scenario"));
        report.timestamp = timestamp(&run.started_at);
        report.time = duration(run.duration_seconds);
        let mut names = UniqueNames::default();
        for case in &run.cases {
            report.add_test_suite(suite(run, case, &mut names));
        }
        let mut xml = Vec::new();
        report.serialize(&mut xml)?;
        Ok(xml)
    }
}

fn suite(run: &RunResult, case: &CaseResult, names: &mut UniqueNames) -> TestSuite {
    let scenario = name_or(&run.scenario.name, "scenario");
    let mut suite = TestSuite::new(format!("{scenario}: {}", name_or(&case.id, "case")));
    suite.timestamp = case.started_at.as_deref().and_then(timestamp);
    suite.time = duration(case.duration_seconds);
    suite.add_properties(properties(run, case));
    if let Some(hostname) = hostname(run, case) {
        suite.extra.insert("hostname".into(), hostname);
    }
    let class =
        format!("{}.{}", without_dots(&scenario), without_dots(&name_or(&case.test, "test")));
    let cell = cell_prefix(case);
    let mut add = |name: &str, location: &SourceLocation, mut test_case: TestCase| {
        let name = format!("{cell}{}", name_or(name, "assertion"));
        test_case.name = names.claim(&class, &shorten(&name, MAX_NAME_CHARS)).into();
        test_case.set_classname(class.as_str());
        test_case.extra.insert("file".into(), single_line(&location.file).into());
        test_case.extra.insert("line".into(), location.line.to_string().into());
        suite.add_test_case(test_case);
    };
    if is_unexplained(case) || (case.flows.is_empty() && case.assertions.is_empty()) {
        add("run", &case.location, case_test(case));
    }
    for flow in &case.flows {
        add(&format!("run {}", flow.name), &flow.location, flow_test(case, flow));
    }
    for assertion in &case.assertions {
        add(&assertion.text, &assertion.location, assertion_test(case, assertion));
    }
    suite
}

/// The testcase of a case that did not run, or that failed as a whole.
fn case_test(case: &CaseResult) -> TestCase {
    let mut test_case =
        TestCase::new("", status(case.verdict, case.verdict.as_str(), case_message(case), ""));
    test_case.time = duration(case.duration_seconds);
    test_case
}

/// The testcase of a flow: whether it ran, and what it measured.
fn flow_test(case: &CaseResult, flow: &FlowResult) -> TestCase {
    let lines = FlowFigures::lines(flow).into_iter();
    let mut facts: Vec<String> = lines.map(|line| format!("measured: {line}")).collect();
    facts.extend(flow.notes.iter().map(|note| format!("note: {}", single_line(note))));
    facts.push(format!("reproduce: {}", single_line(&flow.iperf_client_command)));
    let facts = facts.join("\n");
    let kind = flow.failure.as_ref().map_or(flow.verdict.as_str(), |failure| failure.kind.as_str());
    let message = match flow.verdict {
        Verdict::Skipped => case.reason.as_deref().unwrap_or("not run"),
        _ => flow_message(flow),
    };
    let mut test_case = TestCase::new("", status(flow.verdict, kind, message, &facts));
    if flow.verdict == Verdict::Pass {
        test_case.set_system_out(facts);
    }
    let of_way = |way: &Way| flow.way(*way).and_then(|way| way.receiver.or(way.sender));
    let measured = flow.direction.ways().iter().filter_map(of_way);
    test_case.time = duration(measured.map(|m| m.duration_seconds).fold(0.0, f64::max));
    test_case
}

fn assertion_test(case: &CaseResult, assertion: &AssertionResult) -> TestCase {
    let facts = assertion_facts(assertion);
    let kind = assertion.verdict.as_str();
    let message = match assertion.message.trim() {
        "" => case_message(case),
        message => message,
    };
    let is_warning = assertion.severity == Severity::Warn && is_problem(assertion.verdict);
    let mut test_case = if is_warning {
        let mut passed = TestCase::new("", TestCaseStatus::success());
        passed.set_system_out(format!("warning ({kind}): {}\n{facts}", single_line(message)));
        passed
    } else {
        TestCase::new("", status(assertion.verdict, kind, message, &facts))
    };
    if assertion.verdict == Verdict::Pass {
        test_case.set_system_out(format!("{}\n{facts}", single_line(message)));
    }
    test_case.time = Some(Duration::ZERO);
    test_case
}

/// What the message does not say: the comparisons behind the verdict, why the limit exists, where it stands.
fn assertion_facts(assertion: &AssertionResult) -> String {
    let mut lines = comparison::left_out_by_message(assertion)
        .unwrap_or_else(|| comparison_lines(&assertion.comparisons));
    if let Some(because) = &assertion.because {
        lines.push(format!("because: {}", single_line(because)));
    }
    let SourceLocation { file, line, column } = &assertion.location;
    lines.push(format!("at {}:{line}:{column}", single_line(file)));
    lines.join("\n")
}

/// A line for each comparison, those that did not pass first.
fn comparison_lines(comparisons: &[Comparison]) -> Vec<String> {
    let mut ordered: Vec<&Comparison> = comparisons.iter().collect();
    ordered.sort_by_key(|comparison| !is_problem(comparison.verdict));
    let mut lines: Vec<_> = ordered
        .iter()
        .take(MAX_COMPARISONS)
        .map(|c| format!("{}: {}", c.verdict, comparison::describe(c)))
        .collect();
    if ordered.len() > MAX_COMPARISONS {
        let more = ordered.len() - MAX_COMPARISONS;
        lines.push(format!("and {more} more comparisons in results.json"));
    }
    lines
}

/// What JUnit calls a verdict. `kind` becomes the type, `message` the title, `facts` the text below it.
fn status(verdict: Verdict, kind: &str, message: &str, facts: &str) -> TestCaseStatus {
    let mut status = match verdict {
        Verdict::Pass => TestCaseStatus::success(),
        Verdict::Fail => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Error | Verdict::Inconclusive => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
        Verdict::Skipped => TestCaseStatus::skipped(),
    };
    status.set_message(single_line(message));
    if verdict != Verdict::Skipped {
        // GitLab shows only the text, Azure and Jenkins the message too, so the text must stand alone.
        status.set_type(kind);
        status.set_description(multi_line(&format!("{message}\n{facts}")));
    }
    status
}

fn properties(run: &RunResult, case: &CaseResult) -> Vec<Property> {
    let mut properties = Vec::new();
    let mut add = |name: &str, value: &str| {
        properties.push(Property::new(single_line(name), single_line(value)));
    };
    add("engine", &format!("{} {}", run.tool.name, run.tool.version));
    add("scenario", &run.scenario.file);
    add("seed", &run.seed.to_string());
    add("verdict", case.verdict.as_str());
    if run.interrupted {
        add("interrupted", "true");
    }
    if !case.tags.is_empty() {
        add("tags", &case.tags.join(", "));
    }
    for dimension in &case.matrix {
        add(&format!("matrix.{}", dimension.name), &dimension.value);
    }
    for host in run.hosts.iter().filter(|host| takes_part(case, &host.name)) {
        let kernel = host.kernel.as_deref().unwrap_or("unknown kernel");
        add(&format!("host.{}", host.name), &format!("{}, {kernel}", host.kind));
    }
    properties
}

/// The system name of the first host of the case that has one, else of the run; Azure shows it as the agent.
fn hostname(run: &RunResult, case: &CaseResult) -> Option<XmlString> {
    let of_case = run.hosts.iter().filter(|host| takes_part(case, &host.name));
    let hostname = of_case.chain(&run.hosts).find_map(|host| host.hostname.as_deref())?;
    Some(single_line(hostname).into())
}

fn takes_part(case: &CaseResult, host: &str) -> bool {
    case.flows.iter().any(|flow| flow.client.host == host || flow.server.host == host)
}

/// `[tos=ef, direction=forward] `, or nothing without a matrix.
fn cell_prefix(case: &CaseResult) -> String {
    if case.matrix.is_empty() {
        return String::new();
    }
    let cell: Vec<_> = case.matrix.iter().map(|m| format!("{}={}", m.name, m.value)).collect();
    format!("[{}] ", single_line(&cell.join(", ")))
}

/// `name` on one line, or `fallback`: a testcase or suite without a name is dropped by some readers.
fn name_or(name: &str, fallback: &str) -> String {
    let name = single_line(name);
    if name.is_empty() { fallback.to_owned() } else { name.into_owned() }
}

fn without_dots(name: &str) -> String {
    name.replace('.', "_")
}

fn timestamp(rfc3339: &str) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc3339(rfc3339).ok()
}

fn duration(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

/// Hands out names, numbering the ones that were taken.
#[derive(Default)]
struct UniqueNames {
    taken: HashSet<(String, String)>,
    /// Highest number tried so far, so that many equal names do not cost a search from the start each.
    last_number: HashMap<(String, String), u64>,
}

impl UniqueNames {
    /// `name`, or `name #2` and so on when the class has it already.
    fn claim(&mut self, class: &str, name: &str) -> String {
        let key = (class.to_owned(), name.to_owned());
        if self.taken.insert(key.clone()) {
            return key.1;
        }
        let number = self.last_number.entry(key).or_insert(1);
        loop {
            *number += 1;
            let numbered = format!("{name} #{number}");
            if self.taken.insert((class.to_owned(), numbered.clone())) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_numbered_name_never_meets_one_that_was_written_so() {
        let mut names = UniqueNames::default();
        let claimed = ["a", "a #2", "a", "a", "b"].map(|name| names.claim("class", name));
        assert_eq!(claimed, ["a", "a #2", "a #3", "a #4", "b"]);
        assert_eq!(names.claim("other class", "a"), "a");
    }

    #[test]
    fn times_that_are_none_are_left_out() {
        for seconds in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(duration(seconds), None);
        }
        assert_eq!(timestamp("yesterday"), None);
        assert!(timestamp("2026-11-30T10:00:00Z").is_some());
    }
}
