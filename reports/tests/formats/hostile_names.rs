//! Whatever a name, message or version holds, no report changes its structure.

use linerate_reports::{Format, parse_results};
use linerate_schema::results::RunResult;
use proptest::prelude::*;

use crate::{csv, fixtures, junit};

/// Text that is likely to mean something to a parser.
fn hostile_text() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "|",
            "||",
            "\\",
            "\\|",
            "`",
            "```",
            "<",
            "</td>",
            "<!--",
            "-->",
            "]]>",
            "&",
            "&amp;",
            "&#0;",
            "\"",
            "\"\"",
            "'",
            ",",
            ";",
            "\r",
            "\n",
            "\r\n",
            "\n\n",
            "\u{1b}[31m",
            "\0",
            "\u{85}",
            "\u{2028}",
            "\u{ffff}",
            "%0A",
            "::",
            "::error::",
            ".",
            "..",
            "#",
            "- ",
            "  ",
            "\t",
            "{{ x }}",
            "{% endfor %}",
            "日本",
            "🦀",
            "\u{202e}",
            "NaN",
        ])
        .prop_map(String::from),
    ];
    prop::collection::vec(fragment, 0..12).prop_map(|parts| parts.concat())
}

/// The rich fixture with every free text replaced, round-robin, by `texts`.
fn renamed(texts: &[String]) -> RunResult {
    let mut run = fixtures::rich();
    let mut next = texts.iter().cycle().cloned();
    let mut replace = |text: &mut String| *text = next.next().expect("a cycle does not end");
    replace(&mut run.scenario.name);
    replace(&mut run.scenario.file);
    replace(&mut run.tool.version);
    for host in &mut run.hosts {
        for fact in host.hostname.iter_mut().chain(&mut host.kernel).chain(&mut host.cpu) {
            replace(fact);
        }
    }
    for case in &mut run.cases {
        replace(&mut case.id);
        replace(&mut case.test);
        case.reason.iter_mut().for_each(&mut replace);
        case.tags.iter_mut().for_each(&mut replace);
        for dimension in &mut case.matrix {
            replace(&mut dimension.name);
            replace(&mut dimension.value);
        }
        for flow in &mut case.flows {
            replace(&mut flow.name);
            replace(&mut flow.iperf_client_command);
            flow.notes.iter_mut().for_each(&mut replace);
            flow.failure.iter_mut().for_each(|failure| replace(&mut failure.message));
            flow.streams
                .iter_mut()
                .for_each(|stream| stream.peer_version.iter_mut().for_each(&mut replace));
        }
        for assertion in &mut case.assertions {
            replace(&mut assertion.text);
            replace(&mut assertion.message);
            assertion.because.iter_mut().for_each(&mut replace);
            for comparison in &mut assertion.comparisons {
                replace(&mut comparison.scope);
                replace(&mut comparison.measured_text);
                replace(&mut comparison.limit_text);
            }
        }
    }
    run
}

fn lines(format: Format, run: &RunResult) -> Vec<String> {
    let text = String::from_utf8(format.render(run).expect("renders")).expect("is UTF-8");
    text.lines().map(str::to_owned).collect()
}

/// The number of cells of each table row, by the rule of GitHub-flavoured Markdown: a pipe that no backslash precedes
/// separates cells, in code spans too.
fn cells_of_rows(page: &[String]) -> Vec<usize> {
    let is_separator = |line: &str, at: usize| at == 0 || line.as_bytes()[at - 1] != b'\\';
    page.iter()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.match_indices('|').filter(|(at, _)| is_separator(line, *at)).count())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn junit_stays_well_formed_and_unique(texts in prop::collection::vec(hostile_text(), 1..9)) {
        let run = renamed(&texts);
        let xml = junit::render(&run);
        junit::assert_accepted_by_xmllint(&xml);
        let root = junit::assert_structure(&xml);
        let plain = junit::assert_structure(&junit::render(&fixtures::rich()));
        for attribute in ["tests", "failures", "errors", "skipped"] {
            prop_assert_eq!(root.attribute(attribute), plain.attribute(attribute));
        }
    }

    #[test]
    fn csv_keeps_its_rows_and_columns(texts in prop::collection::vec(hostile_text(), 1..9)) {
        for format in [Format::Csv, Format::Intervals] {
            let renamed = csv::read(format, &renamed(&texts));
            prop_assert_eq!(renamed.len(), csv::read(format, &fixtures::rich()).len());
        }
    }

    #[test]
    fn json_reads_back_equal(texts in prop::collection::vec(hostile_text(), 1..9)) {
        let run = renamed(&texts);
        let json = String::from_utf8(Format::Json.render(&run).expect("renders")).expect("is UTF-8");
        prop_assert_eq!(parse_results(&json), Ok(run));
    }

    #[test]
    fn markdown_keeps_its_tables(texts in prop::collection::vec(hostile_text(), 1..9)) {
        let page = lines(Format::Markdown, &renamed(&texts));
        let plain = lines(Format::Markdown, &fixtures::rich());
        prop_assert_eq!(cells_of_rows(&page), cells_of_rows(&plain));
        prop_assert_eq!(page.len(), plain.len());
        let tags = |page: &[String]| page.iter().flat_map(|line| line.match_indices("<d")).count();
        prop_assert_eq!(tags(&page), tags(&plain));
    }

    #[test]
    fn annotations_stay_one_command_a_line(texts in prop::collection::vec(hostile_text(), 1..9)) {
        let commands = lines(Format::Github, &renamed(&texts));
        prop_assert_eq!(commands.len(), lines(Format::Github, &fixtures::rich()).len());
        for command in commands {
            let (properties, _) = command[2..].split_once("::").expect("a message follows");
            prop_assert_eq!(properties.matches(',').count(), 3);
        }
    }

    #[test]
    fn a_terminal_gets_no_control_characters(texts in prop::collection::vec(hostile_text(), 1..9)) {
        for line in lines(Format::Terminal, &renamed(&texts)) {
            prop_assert!(!line.contains(char::is_control), "{line:?}");
        }
    }
}
