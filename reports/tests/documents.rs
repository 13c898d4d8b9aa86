//! The tables of columns in `docs/reports.md`. `UPDATE_DOCS=1` writes them anew.

use std::path::Path;

use linerate_reports::csv::{INTERVAL_COLUMNS, RESULT_COLUMNS};

#[test]
fn the_documented_columns_are_those_that_are_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reports.md");
    for (marker, table) in [
        ("results.csv", RESULT_COLUMNS.to_markdown()),
        ("intervals.csv", INTERVAL_COLUMNS.to_markdown()),
    ] {
        let text = std::fs::read_to_string(&path).expect("the page is there");
        let begin = format!("<!-- generated: {marker} -->\n");
        let start = text.find(&begin).expect("the page has the marker") + begin.len();
        let end = start + text[start..].find("<!-- end -->").expect("the marker has an end");
        let wanted = format!("\n{}\n\n", table.trim());
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, [&text[..start], &wanted, &text[end..]].concat())
                .expect("writable");
        } else {
            assert_eq!(&text[start..end], wanted, "stale; run the tests with UPDATE_DOCS=1");
        }
    }
}
