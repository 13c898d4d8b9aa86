use linerate_reports::{Format, Markdown, Report as _};
use linerate_schema::results::{Severity, Verdict};

use crate::fixtures;

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("is UTF-8")
}

#[test]
fn a_markdown_page_of_ten_thousand_cases_fits_a_step_summary() {
    let page = text(Format::Markdown.render(&fixtures::large(10_000)).expect("renders"));
    assert!(page.len() < 1024 * 1024, "{} bytes", page.len());
    assert!(page.len() > 900_000, "the room is used: {} bytes", page.len());
    let failures = page.lines().filter(|line| line.starts_with("| ❌ fail | sweep")).count();
    assert!(failures >= 1429, "all failures come before the measurements, {failures} found");
    assert!(page.contains("flows not shown here, for want of room; see `results.csv`"));
    assert!(!page.contains("problems not shown here"));
}

#[test]
fn a_markdown_page_keeps_any_limit_and_shows_problems_first() {
    let run = fixtures::large(2000);
    for max_bytes in [0, 12_000, 20_000, 65_000, 250_000] {
        let page = text(Markdown { max_bytes }.render(&run).expect("renders"));
        assert!(page.len() <= max_bytes.max(12_000), "{} bytes of {max_bytes}", page.len());
        let measured = page.contains("What was measured");
        let problems_cut = page.contains("problems not shown here");
        assert!(!(measured && problems_cut), "measurements were shown in the room of problems");
    }
}

#[test]
fn names_of_a_megabyte_do_not_break_the_limit() {
    let mut run = fixtures::rich();
    let long = "|".repeat(1 << 20);
    run.scenario.name.clone_from(&long);
    run.scenario.file.clone_from(&long);
    run.tool.version.clone_from(&long);
    run.started_at.clone_from(&long);
    run.hosts[0].cpu = Some(long.clone());
    run.cases[1].id.clone_from(&long);
    run.cases[1].assertions[0].message = long;
    for max_bytes in [12_000, 65_000] {
        let page = Markdown { max_bytes }.render(&run).expect("renders");
        assert!(page.len() <= max_bytes, "{} bytes of {max_bytes}", page.len());
    }
}

#[test]
fn annotations_stop_at_what_github_keeps() {
    let mut run = fixtures::large(200);
    for case in run.cases.iter_mut().take(100) {
        case.assertions[0].severity = Severity::Warn;
        case.verdict = Verdict::Pass;
    }
    let commands = text(Format::Github.render(&run).expect("renders"));
    let count = |level: &str| commands.lines().filter(|line| line.starts_with(level)).count();
    assert_eq!((count("::error "), count("::warning "), count("::notice ")), (10, 10, 1));
    assert!(
        commands.contains("::4 more errors and 5 more warnings are not annotated"),
        "{commands}"
    );
}

#[test]
fn a_report_grows_no_faster_than_its_cases() {
    let (few, many) = (fixtures::large(200), fixtures::large(2000));
    for format in Format::ALL {
        let size = |run| format.render(run).expect("renders").len();
        let (small, large) = (size(&few), size(&many));
        assert!(large <= small * 11, "{format}: {small} bytes became {large}");
    }
}
