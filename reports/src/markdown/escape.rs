//! Arbitrary text inside a GitHub-flavoured Markdown table cell.

use std::fmt::Write as _;

use crate::plain_text::{shorten, single_line};

/// Longest text of a cell. Bounds the size of a row, whatever a name or message holds.
const MAX_CELL_CHARS: usize = 300;

/// `text` as prose on one line, shown as it is written.
pub(super) fn prose(text: &str) -> String {
    let line = single_line(text);
    let mut escaped = String::new();
    for c in shorten(&line, MAX_CELL_CHARS).chars() {
        match c {
            // A backslash in front of a pipe would be read differently by table and text parsers.
            '\\' | '|' | '&' | '<' | '>' => push_entity(&mut escaped, c),
            '`' | '*' | '_' | '[' | ']' | '~' | '#' | '!' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// `text` as code on one line, shown as it is written.
pub(super) fn code(text: &str) -> String {
    let line = single_line(text);
    let line = shorten(&line, MAX_CELL_CHARS);
    if line.is_empty() {
        return String::new();
    }
    // In a code span a backtick cannot be escaped, and a pipe of a table not in all readers.
    if !line.contains(['`', '|']) {
        return format!("`{line}`");
    }
    let mut escaped = String::from("<code>");
    for c in line.chars() {
        if c.is_ascii_punctuation() {
            push_entity(&mut escaped, c);
        } else {
            escaped.push(c);
        }
    }
    escaped.push_str("</code>");
    escaped
}

fn push_entity(into: &mut String, c: char) {
    // Writing to a String cannot fail.
    let _ = match c {
        '&' => write!(into, "&amp;"),
        '<' => write!(into, "&lt;"),
        '>' => write!(into, "&gt;"),
        c => write!(into, "&#{};", u32::from(c)),
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;

    /// The text of each cell of a page's table rows as a reader sees it, and everything that is markup in them.
    fn read_cells(page: &str) -> (Vec<String>, Vec<String>) {
        let (mut cells, mut markup) = (Vec::new(), Vec::new());
        for event in Parser::new_ext(page, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
            match event {
                Event::Start(Tag::TableCell) => cells.push(String::new()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(cell) = cells.last_mut() {
                        cell.push_str(&text);
                    }
                }
                Event::InlineHtml(tag) if matches!(&*tag, "<code>" | "</code>") => {}
                Event::Start(Tag::Table(_) | Tag::TableHead | Tag::TableRow) => {}
                Event::End(
                    TagEnd::Table | TagEnd::TableHead | TagEnd::TableRow | TagEnd::TableCell,
                ) => {}
                other => markup.push(format!("{other:?}")),
            }
        }
        (cells, markup)
    }

    fn hostile_text() -> impl Strategy<Value = String> {
        let pieces = vec![
            "|",
            "\\",
            "`",
            "``",
            "<b>",
            "</code>",
            "<!--",
            "&amp;",
            "&#124;",
            "*",
            "**",
            "_",
            "__",
            "~~",
            "[a](b)",
            "![a](b)",
            "<http://a>",
            "\r\n",
            "\n",
            "#",
            "- ",
            "1. ",
            " ",
            "a",
            "x_y_z",
            "\u{1b}",
            "日本",
            "$a$",
            "!",
        ];
        let piece = prop_oneof![
            4 => prop::sample::select(pieces).prop_map(String::from),
            1 => any::<char>().prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_cell_shows_exactly_its_text(text in hostile_text()) {
            let page = format!("| a | b |\n|---|---|\n| x{}x | {} |\n", prose(&text), code(&text));
            let (cells, markup) = read_cells(&page);
            let line = single_line(&text).into_owned();
            prop_assert_eq!(&cells[2..], [format!("x{line}x"), line]);
            prop_assert_eq!(markup, Vec::<String>::new());
        }
    }

    #[test]
    fn prose_shows_markup_instead_of_obeying_it() {
        assert_eq!(
            prose("a|b <b>*x*</b> & `c`"),
            "a&#124;b &lt;b&gt;\\*x\\*&lt;/b&gt; &amp; \\`c\\`"
        );
        assert_eq!(prose("end\\\n| new row |"), "end&#92; &#124; new row &#124;");
        assert_eq!(prose("[l](http://x) ![i](y)"), "\\[l\\](http://x) \\!\\[i\\](y)");
    }

    #[test]
    fn code_stays_readable_where_it_can() {
        assert_eq!(code("p95(call.latency) < 20 ms"), "`p95(call.latency) < 20 ms`");
        assert_eq!(code("a | `b` \\"), "<code>a &#124; &#96;b&#96; &#92;</code>");
        assert_eq!(code(" \n "), "");
    }

    #[test]
    fn no_cell_is_longer_than_its_share() {
        let long = "|".repeat(10_000);
        assert!(prose(&long).len() <= MAX_CELL_CHARS * 6);
        assert!(code(&long).len() <= MAX_CELL_CHARS * 6 + 13);
    }
}
