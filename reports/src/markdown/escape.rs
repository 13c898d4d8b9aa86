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
    // In a code span neither a backtick nor, within a table, a pipe can be escaped in all readers.
    if !line.contains(['`', '|', '\\']) {
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
    use super::*;

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
