//! No text makes the reader panic or run on: it ends with a scenario or with diagnostics that can be shown.

use std::path::Path;

use linerate_schema::diagnostic::{Coloring, Level};
use linerate_schema::{Outcome, Overrides, read_text};
use proptest::prelude::*;

/// Reads and renders, and checks what holds for every outcome.
fn read(text: &str) -> Outcome {
    let outcome = read_text("any.yaml", text, &Overrides::default());
    let errors = outcome.diagnostics.iter().filter(|d| d.level == Level::Error).count();
    assert_eq!(outcome.scenario.is_some(), errors == 0, "{text:?}: {:?}", outcome.diagnostics);
    for diagnostic in &outcome.diagnostics {
        assert!(!diagnostic.message.is_empty());
        for span in diagnostic.span.iter().chain(diagnostic.related.iter().map(|r| &r.span)) {
            assert!(outcome.source.text().get(span.start..span.end).is_some(), "{diagnostic:?}");
            assert!(span.line > 0 && span.column > 0, "{diagnostic:?}");
        }
    }
    assert_eq!(outcome.render(Coloring::Plain).is_empty(), outcome.diagnostics.is_empty());
    outcome
}

/// The texts of all scenarios in the test folders.
fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut texts = Vec::new();
    for kind in ["good", "bad"] {
        let mut files: Vec<_> = std::fs::read_dir(folder.join(kind))
            .expect("the folder is there")
            .map(|entry| entry.expect("the folder is read").path())
            .collect();
        files.sort();
        texts.extend(files.iter().map(|file| std::fs::read_to_string(file).expect("it is text")));
    }
    texts
}

/// Pieces that mean something to YAML, to templates, to units or to the format.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ": ",
    "- ",
    "? ",
    ",",
    "\n",
    "\n  ",
    "\t",
    "#",
    "&a ",
    "*a",
    "!x ",
    "!!str ",
    "|\n",
    ">\n",
    "'",
    "\"",
    "\\",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "<<",
    "~",
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "0x",
    ".nan",
    "{{",
    "}}",
    "{{ x }}",
    "{{ 1/0 }}",
    "{% x %}",
    "{{ none }}",
    "{{ [1]*9 }}",
    "5 Mb/s",
    "100 pps",
    "10 s",
    "auto",
    "client",
    "clients",
    "server",
    "matrix",
    "assert",
    "vars",
    "hosts",
    "tests",
    "use",
    "udp",
    "external",
    "linerate",
    "\u{0}",
    "\u{feff}",
    "\u{202e}",
    "é",
    "\u{1f600}",
];

#[derive(Debug, Clone)]
enum Edit {
    Insert(usize, usize),
    Delete(usize, usize),
    Copy(usize, usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = 0..2000_usize;
    prop_oneof![
        (at.clone(), 0..PIECES.len()).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (at.clone(), 0..40_usize).prop_map(|(at, length)| Edit::Delete(at, length)),
        (at.clone(), at, 0..80_usize).prop_map(|(from, to, length)| Edit::Copy(from, to, length)),
    ]
}

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for edit in edits {
        let length = characters.len() + 1;
        match *edit {
            Edit::Insert(at, piece) => {
                let at = at % length;
                characters.splice(at..at, PIECES[piece].chars());
            }
            Edit::Delete(at, count) => {
                let at = at % length;
                let end = (at + count).min(characters.len());
                characters.drain(at..end);
            }
            Edit::Copy(from, to, count) => {
                let from = from % length;
                let end = (from + count).min(characters.len());
                let piece = characters[from..end].to_vec();
                let to = to % length;
                characters.splice(to..to, piece);
            }
        }
    }
    characters.into_iter().collect()
}

proptest! {
    #[test]
    fn any_bytes_end_in_an_outcome(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_pieces_end_in_an_outcome(pieces in prop::collection::vec(0..PIECES.len(), 0..40)) {
        let text: String = pieces.into_iter().map(|piece| PIECES[piece]).collect();
        read(&text);
        read(&format!("linerate: 1\ntests:\n  - name: a\n    client: {{ server: {{}}, time: {text} }}\n"));
    }

    #[test]
    fn any_expression_ends_in_an_outcome(inner in "[a-z0-9+*/%~|.,'\"(){}\\[\\] -]{0,60}") {
        let quoted = inner.replace('\'', "''");
        read(&format!(
            "linerate: 1\nvars: {{ a: 1, b: [1, 2], c: '{{{{ {quoted} }}}}' }}\ntests:\n  \
             - name: x {{{{ c }}}}\n    client: {{ server: {{}} }}\n"
        ));
    }

    #[test]
    fn a_mutilated_scenario_ends_in_an_outcome(
        pick in any::<prop::sample::Index>(),
        edits in prop::collection::vec(edit(), 1..6),
    ) {
        let corpus = corpus();
        read(&apply(&corpus[pick.index(corpus.len())], &edits));
    }
}

#[test]
fn every_beginning_of_a_scenario_ends_in_an_outcome() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for file in
        ["good/every-key.yaml", "bad/assertion-syntax.yaml", "bad/template-without-value.yaml"]
    {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            read(&text[..end]);
        }
    }
}

/// Texts that grow without bound when they are followed to the end.
#[test]
fn hostile_texts_end_in_few_diagnostics() {
    let wide = "a: 1\n".repeat(100_000);
    let keys: String = (0..50_000).map(|n| format!("k{n}: 1\n")).collect();
    let doubling: String =
        (1..60).map(|n| format!("  v{n}: '{{{{ v{} ~ v{} }}}}'\n", n - 1, n - 1)).collect();
    let deep_aliases: String = (1..90)
        .map(|n| format!("  v{n}: &v{n} {}*v{}{}\n", "[".repeat(30), n - 1, "]".repeat(30)))
        .collect();
    let deep_aliases = format!("linerate: 1\nvars:\n  v0: &v0 [x]\n{deep_aliases}tests: []\n");
    let deep_templates: String =
        (1..20_000).map(|n| format!("  v{n}: '{{{{ [v{}] }}}}'\n", n - 1)).collect();
    let deep_templates = format!("linerate: 1\nvars:\n  v0: [x]\n{deep_templates}tests: []\n");
    let texts = [
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        "? ".repeat(100_000),
        "&a ".repeat(100_000),
        "!a ".repeat(100_000),
        "|\n".repeat(100_000),
        (0..2000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect(),
        format!("linerate: 1\n{wide}"),
        format!("linerate: 1\n{keys}"),
        format!("linerate: 1\nvars:\n  v0: xxxxxxxxxxxxxxxx\n{doubling}tests: []\n"),
        deep_aliases,
        deep_templates,
        format!(
            "linerate: 1\nname: &a {}\ntags: [{}]\n",
            "x".repeat(500_000),
            "*a,".repeat(100_000)
        ),
        format!(
            "linerate: 1\nvars: {{ s: \"{{{{ 'x' * 100000 }}}}\" }}\nname: \"{}\"\ntests: [{{ name: a, description: \
             '{{{{ s }}}}', matrix: {{ n: '{{{{ range(10000) }}}}' }}, client: {{ server: {{}} }} }}]\n",
            "{{ s }}".repeat(200),
        ),
        format!("linerate: 1\ntags: [{}]\n", "'{{ 1 }}',".repeat(60_000)),
        format!("linerate: 1\nname: '{{{{ {} }}}}'\n", "-".repeat(990)),
        format!("linerate: 1\nname: '{{{{ {}1{} }}}}'\n", "(".repeat(490), ")".repeat(490)),
        format!("linerate: 1\nname: '{{{{ {} }}}}'\n", ["1"; 490].join("+")),
        format!("linerate: 1\nname: '{{{{ {} }}}}'\n", "1+".repeat(50_000)),
        format!("linerate: 1\ntests: [{}]\n", "{ name: a, client: 5 },".repeat(20_000)),
        format!(
            "linerate: 1\ntests: [{{ name: a, client: {{ server: {{}} }}, assert: [{}] }}]\n",
            "'a(',".repeat(20_000)
        ),
        format!("linerate: 1\nname: \"{}\nfoo: 1\n", "x".repeat(500_000)),
    ];
    for text in texts {
        let outcome = read(&text);
        assert!((1..=1001).contains(&outcome.diagnostics.len()), "{}", outcome.diagnostics.len());
    }
}

/// A scenario with a matrix of `side` × `side` cells.
fn sweep(side: usize) -> String {
    let values =
        |unit: &str| (1..=side).map(|n| format!("{n}{unit}")).collect::<Vec<_>>().join(", ");
    format!(
        "linerate: 1\nvars: {{ time: 10s }}\n\
         servers: {{ sink: {{ transport: udp, window: \"{{{{ window }}}}\" }} }}\n\
         profiles: {{ marked: {{ tos: ef }} }}\n\
         defaults: {{ client: {{ time: \"{{{{ time }}}}\", interval: 1s }} }}\n\
         tests:\n  - name: sweep\n    matrix:\n      window: [{}]\n      rate: [{}]\n    \
         client: {{ use: marked, server: sink, bitrate: \"{{{{ rate }}}}\" }}\n    \
         assert: [\"throughput > 0.9 * {{{{ rate }}}}\", loss < 1%]\n",
        values("K"),
        values(" Mbit/s"),
    )
}

#[test]
fn ten_thousand_cases_expand() {
    let scenario = read(&sweep(100)).scenario.expect("the scenario is fine");
    assert_eq!(scenario.cases.len(), 10_000);
    let last = &scenario.cases[9_999];
    assert_eq!(last.id, "sweep [window=100K,rate=100 Mbit/s]");
    assert_eq!(last.assertions[0].text.value, "throughput > 0.9 * 100 Mbit/s");
}

#[test]
fn a_problem_of_many_cells_is_reported_once_with_the_first_cell() {
    let text =
        sweep(10).replace("use: marked", "use: marked, length: 5").replace("loss <", "los <");
    let outcome = read(&text);
    let messages: Vec<_> = outcome.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`length` cannot be 5 B (with window=1K,rate=1 Mbit/s)",
            "unknown metric `los` (with window=1K,rate=1 Mbit/s)",
        ]
    );
}
