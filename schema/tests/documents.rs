//! The tables in `docs/` that come from the types. `UPDATE_DOCS=1` writes them anew.

use std::fmt::Write;
use std::path::Path;

use linerate_schema::assertion::metric_reference;
use serde_json::Value;

/// Compares the part of a page between its marker and `<!-- end -->` with `table`, or replaces it.
fn check(page: &str, marker: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page);
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let begin = format!("<!-- generated: {marker} -->\n");
    let start = text.find(&begin).expect("the page has the marker") + begin.len();
    let end = start + text[start..].find("<!-- end -->").expect("the marker has an end");
    let wanted = format!("\n{}\n\n", table.trim());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, [&text[..start], &wanted, &text[end..]].concat()).expect("writable");
    } else {
        assert_eq!(&text[start..end], wanted, "{page} is stale; run the tests with UPDATE_DOCS=1");
    }
}

/// A table of the options of a definition in the scenario's schema.
fn options(definition: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenario.schema.json");
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("the schema is there"))
            .expect("the schema is JSON");
    let properties = schema["$defs"][definition]["properties"].as_object().expect("properties");
    let mut table = String::from("| key | meaning |\n|---|---|\n");
    for (key, property) in properties {
        let meaning = property["description"].as_str().expect("every option is described");
        let meaning = meaning.replace('\n', " ").replace('|', "\\|");
        writeln!(table, "| `{key}` | {meaning} |").expect("a string takes everything");
    }
    table
}

#[test]
fn the_tables_of_options_are_those_of_the_schema() {
    for definition in ["ClientOptions", "ServerOptions"] {
        check("scenario.md", definition, &options(definition));
    }
}

#[test]
fn the_table_of_metrics_is_that_of_the_language() {
    check("assertions.md", "metrics", &metric_reference());
}
