//! One small wrong scenario for each mistake: the snapshot is what the user reads.

use std::path::Path;

use linerate_schema::diagnostic::Coloring;
use linerate_schema::{Outcome, Overrides, read_text};

fn rendered(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("the file is read");
    let file = path.file_name().expect("a file").to_string_lossy();
    let outcome = read_text(&file, &text, &Overrides::default());
    assert!(outcome.scenario.is_none(), "{file} is accepted");
    assert!(!outcome.diagnostics.is_empty(), "{file} has no diagnostics");
    outcome.render(Coloring::Plain)
}

#[test]
fn each_mistake_has_its_picture() {
    insta::glob!("bad/*.yaml", |path| {
        insta::assert_snapshot!(rendered(path));
    });
}

fn read(file: &str) -> Outcome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad").join(file);
    let text = std::fs::read_to_string(path).expect("the file is read");
    read_text(file, &text, &Overrides::default())
}

#[test]
fn twelve_mistakes_are_twelve_diagnostics_in_the_order_of_the_file() {
    for file in ["twelve-mistakes.yaml", "twelve-mistakes-in-one-client.yaml"] {
        let diagnostics = read(file).diagnostics;
        assert_eq!(diagnostics.len(), 12, "{file}");
        assert!(diagnostics.is_sorted_by_key(|diagnostic| diagnostic.span), "{file}");
    }
}

#[test]
fn tools_get_a_diagnostic_as_data() {
    let diagnostics = read("time-with-bytes.yaml").diagnostics;
    insta::assert_json_snapshot!(diagnostics);
}

#[test]
fn colours_are_only_in_the_coloured_picture() {
    let outcome = read("time-with-bytes.yaml");
    assert!(outcome.render(Coloring::Colored).contains("\u{1b}["));
    assert!(!outcome.render(Coloring::Plain).contains('\u{1b}'));
}

#[test]
fn windows_line_ends_do_not_show() {
    let text = "linerate: 1\r\ntests:\r\n  - name: upload\r\n    client: { sever: {} }\r\n";
    let outcome = read_text("windows.yaml", text, &Overrides::default());
    insta::assert_snapshot!(outcome.render(Coloring::Plain));
}
