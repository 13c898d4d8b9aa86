//! What scenarios come to after templates, matrices, profiles and defaults: the snapshot has every value that was given.

use std::fmt::Write;
use std::path::Path;

use linerate_schema::diagnostic::Coloring;
use linerate_schema::scenario::{Case, Scenario};
use linerate_schema::{Overrides, read_scenario, read_text};

fn resolved(path: &Path) -> Scenario {
    let text = std::fs::read_to_string(path).expect("the file is read");
    let file = path.file_name().expect("a file").to_string_lossy();
    let outcome = read_text(&file, &text, &Overrides::default());
    assert!(outcome.diagnostics.is_empty(), "{}", outcome.render(Coloring::Plain));
    outcome.scenario.expect("without diagnostics there is a scenario")
}

/// The scenario without the options that are not given.
fn described(scenario: &Scenario) -> String {
    let mut text = String::new();
    let Scenario { name, description, tags, hosts, cases, .. } = scenario;
    let _ = writeln!(text, "{name:?} {description:?} {tags:?}\nhosts {hosts:?}");
    for case in cases {
        let Case { id, test, description, tags, matrix, flows, assertions, span } = case;
        let _ = writeln!(text, "\n{id:?} at {}:{}", span.line, span.column);
        let _ = writeln!(text, "  test {test:?} {description:?} {tags:?} {matrix:?}");
        for flow in flows {
            let _ = writeln!(text, "  {} on {} at line {}", flow.name, flow.host, flow.span.line);
            let _ = writeln!(text, "    {}", given(&format!("{:?}", flow.options)));
            let server = &flow.server;
            let _ = writeln!(
                text,
                "    to {:?} on {}: {}",
                server.name,
                server.host,
                given(&format!("{:?}", server.options))
            );
        }
        for item in assertions {
            let _ = writeln!(
                text,
                "  assert {:?} at {}:{} {:?} {:?}",
                item.text, item.text.span.line, item.text.span.column, item.severity, item.because
            );
        }
    }
    text
}

/// Drops the fields that are `None`.
fn given(options: &str) -> String {
    let mut text = options.to_owned();
    while let Some(end) = text.find(": None") {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let start = text[..end].rfind(|c| !is_name(c)).map_or(0, |before| before + 1);
        let after = end + ": None".len();
        match text[after..].starts_with(", ") {
            true => text.replace_range(start..after + 2, ""),
            false => text.replace_range(start - 1..after, ""),
        }
    }
    text
}

#[test]
fn good_scenarios_resolve_to_their_cases() {
    insta::glob!("good/*.yaml", |path| {
        insta::assert_snapshot!(described(&resolved(path)));
    });
}

#[test]
fn every_example_is_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let mut examples = 0;
    for entry in std::fs::read_dir(folder).expect("the examples are there") {
        let path = entry.expect("the folder is read").path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let outcome = read_scenario(&path, &Overrides::default());
            assert!(outcome.scenario.is_some(), "{}", outcome.render(Coloring::Plain));
            examples += 1;
        }
    }
    assert!(examples > 0);
}
