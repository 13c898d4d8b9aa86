use linerate_reports::csv::{INTERVAL_COLUMNS, RESULT_COLUMNS};
use linerate_reports::{Coloring, Format, Report as _, Terminal};

use crate::fixtures;

#[test]
fn every_format_renders_every_fixture() {
    for (fixture, run) in fixtures::small() {
        for format in Format::ALL {
            let bytes = format.render(&run).expect("renders");
            let text = String::from_utf8(bytes).expect("is UTF-8");
            insta::assert_snapshot!(format!("{format}-{fixture}"), text);
        }
    }
}

#[test]
fn a_narrow_terminal_in_colour() {
    let terminal = Terminal { width: Some(60), coloring: Coloring::Ansi };
    let bytes = terminal.render(&fixtures::rich()).expect("renders");
    let text = String::from_utf8(bytes).expect("is UTF-8");
    insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
}

#[test]
fn the_documentation_of_the_csv_columns() {
    insta::assert_snapshot!("csv-columns", RESULT_COLUMNS.to_markdown());
    insta::assert_snapshot!("intervals-columns", INTERVAL_COLUMNS.to_markdown());
}
