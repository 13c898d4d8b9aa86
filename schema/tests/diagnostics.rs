//! One small wrong scenario for each mistake: the snapshot is what the user reads.

use std::path::Path;

use linerate_schema::diagnostic::Coloring;
use linerate_schema::{Overrides, read_text};

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
