use std::collections::HashSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use linerate_reports::Format;
use linerate_schema::results::{CaseResult, RunResult, Severity, Verdict};

use crate::fixtures;
use crate::xml::Element;

pub(crate) fn render(run: &RunResult) -> String {
    String::from_utf8(Format::Junit.render(run).expect("renders")).expect("is UTF-8")
}

/// Fails unless `xmllint` (libxml2) accepts the document, and when it is not installed.
pub(crate) fn assert_accepted_by_xmllint(xml: &str) {
    let mut xmllint = Command::new("xmllint")
        .args(["--noout", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("xmllint must be installed (package libxml2-utils)");
    xmllint.stdin.take().expect("is piped").write_all(xml.as_bytes()).expect("xmllint reads all");
    let output = xmllint.wait_with_output().expect("xmllint ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Checks what every reader of the dialect relies on, and returns the root.
pub(crate) fn assert_structure(xml: &str) -> Element {
    let root = Element::parse(xml);
    assert_eq!(root.name, "testsuites");
    assert_counts(
        &root,
        &root.all("testsuite").flat_map(|s| s.all("testcase")).collect::<Vec<_>>(),
    );
    let mut names = HashSet::new();
    for suite in root.all("testsuite") {
        assert_counts(suite, &suite.all("testcase").collect::<Vec<_>>());
        for case in suite.all("testcase") {
            let key = (case.attribute("classname").to_owned(), case.attribute("name").to_owned());
            assert!(!key.1.trim().is_empty(), "a testcase without a name is dropped by Azure");
            assert_eq!(key.0.matches('.').count(), 1, "Jenkins splits at dots: {}", key.0);
            assert!(names.insert(key.clone()), "{key:?} comes twice");
            assert!(case.attribute("line").parse::<u32>().is_ok());
            assert!(!case.attribute("file").is_empty());
            assert!(outcomes(case).len() <= 1, "{key:?} has several outcomes");
        }
    }
    let hostile = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{fffe}' | '\u{ffff}');
    assert!(!xml.contains(hostile), "a control character makes Jenkins refuse the file");
    root
}

fn assert_counts(element: &Element, cases: &[&Element]) {
    let count = |outcome: &str| cases.iter().filter(|case| outcomes(case) == [outcome]).count();
    let expected = [
        ("tests", cases.len()),
        ("failures", count("failure")),
        ("errors", count("error")),
        ("skipped", count("skipped")),
    ];
    for (attribute, number) in expected {
        assert_eq!(element.attribute(attribute), number.to_string(), "{attribute}");
    }
}

fn outcomes(case: &Element) -> Vec<&str> {
    let names = case.children.iter().map(|child| child.name.as_str());
    names.filter(|name| ["failure", "error", "skipped"].contains(name)).collect()
}

/// The testcases of the suite of a case, which are in the order of the cases.
fn testcases<'a>(root: &'a Element, run: &RunResult, test: &str, cell: usize) -> Vec<&'a Element> {
    let is_wanted = |case: &CaseResult| case.test == test;
    let wanted = run.cases.iter().enumerate().filter(|(_, case)| is_wanted(case)).nth(cell);
    let (index, _) = wanted.expect("the case exists");
    root.all("testsuite").nth(index).expect("a suite for each case").all("testcase").collect()
}

#[test]
fn small_reports_are_accepted_and_well_structured() {
    for (_, run) in fixtures::small() {
        let xml = render(&run);
        assert_accepted_by_xmllint(&xml);
        assert_structure(&xml);
    }
}

#[test]
fn ten_thousand_cases_are_accepted_within_the_limit_of_gitlab() {
    let xml = render(&fixtures::large(10_000));
    assert!(xml.len() < 30_000_000, "{} bytes", xml.len());
    assert_accepted_by_xmllint(&xml);
    let root = assert_structure(&xml);
    assert_eq!(root.attribute("tests"), "20000");
}

#[test]
fn a_testcase_points_at_the_line_of_its_assertion() {
    let mut run = fixtures::rich();
    run.cases[0].assertions[1].location.line = 1234;
    let root = assert_structure(&render(&run));
    let cases = testcases(&root, &run, "upload", 0);
    assert_eq!(cases[2].attribute("line"), "1234");
    assert_eq!(cases[2].attribute("file"), "scenarios/wan.yaml");
}

#[test]
fn each_verdict_has_its_outcome() {
    let mut run = fixtures::rich();
    for (verdict, outcome, kind) in [
        (Verdict::Pass, None, ""),
        (Verdict::Fail, Some("failure"), "fail"),
        (Verdict::Error, Some("error"), "error"),
        (Verdict::Inconclusive, Some("error"), "inconclusive"),
        (Verdict::Skipped, Some("skipped"), ""),
    ] {
        run.cases[0].assertions[0].verdict = verdict;
        let root = assert_structure(&render(&run));
        let case = testcases(&root, &run, "upload", 0)[1];
        assert_eq!(outcomes(case), outcome.into_iter().collect::<Vec<_>>());
        if let Some(child) = outcome.and_then(|name| case.all(name).next()) {
            assert!(!child.attribute("message").is_empty());
            if !kind.is_empty() {
                assert_eq!(child.attribute("type"), kind);
                assert!(
                    child.text.contains("939.9 Mbit/s"),
                    "the text stands alone: {}",
                    child.text
                );
            }
        }
    }
}

#[test]
fn a_warning_passes_and_says_so() {
    let mut run = fixtures::rich();
    run.cases[0].assertions[0].severity = Severity::Warn;
    for verdict in [Verdict::Fail, Verdict::Error, Verdict::Inconclusive] {
        run.cases[0].assertions[0].verdict = verdict;
        let root = assert_structure(&render(&run));
        let case = testcases(&root, &run, "upload", 0)[1];
        assert_eq!(outcomes(case), Vec::<&str>::new());
        let note = &case.all("system-out").next().expect("a note").text;
        assert!(note.starts_with(&format!("warning ({verdict}): ")), "{note}");
    }
}

#[test]
fn a_dead_flow_is_an_error_of_its_class_with_partial_figures() {
    let run = fixtures::rich();
    let root = assert_structure(&render(&run));
    let case = testcases(&root, &run, "calls under load", 1)[0];
    let error = case.all("error").next().expect("an error");
    assert_eq!(error.attribute("type"), "peer-vanished");
    assert!(error.text.contains("12 Mbit/s") && error.text.contains("partial"), "{}", error.text);
}

#[test]
fn a_case_that_did_not_run_is_still_a_testcase() {
    let run = fixtures::rich();
    let root = assert_structure(&render(&run));
    let lab = testcases(&root, &run, "behind the router", 0);
    assert_eq!(lab.len(), 1);
    assert!(lab[0].all("error").next().expect("an error").text.contains("nft is missing"));
    let skipped = testcases(&root, &run, "jumbo frames", 0);
    assert_eq!(outcomes(skipped[0]), ["skipped"]);
}
