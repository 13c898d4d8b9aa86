//! Text from scenarios and peers, made harmless for readers that work by lines and columns.
//!
//! Control characters could end a row, forge a terminal line or make an XML file unreadable. They are shown, not
//! dropped, so that two names that differ stay different. Escaping for one format's own syntax is that format's task.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` on one line: white space becomes single spaces, other control characters are spelled out as `\u{1b}`.
pub(crate) fn single_line(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !is_hostile(c);
    if text.chars().all(is_plain) && text.trim() == text && !text.contains("  ") {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        push_visible(&mut line, word);
    }
    Cow::Owned(line)
}

/// `text` with its line breaks kept as `\n`, and other control characters spelled out; tabs become spaces.
pub(crate) fn multi_line(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            lines.push('\n');
        }
        push_visible(&mut lines, &line.replace('\t', "    "));
    }
    lines
}

/// At most `max_chars` characters of `text`; an ellipsis is the last of them when something was cut.
pub(crate) fn shorten(text: &str, max_chars: usize) -> Cow<'_, str> {
    if text.chars().nth(max_chars).is_none() {
        return Cow::Borrowed(text);
    }
    let kept: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    Cow::Owned(kept + "…")
}

fn push_visible(into: &mut String, text: &str) {
    for c in text.chars() {
        if is_hostile(c) {
            // Writing to a String cannot fail.
            let _ = write!(into, "\\u{{{:x}}}", u32::from(c));
        } else {
            into.push(c);
        }
    }
}

/// Control characters (C0, DEL, C1), the line and paragraph separators, the controls of bidirectional text, which
/// can make a line read as another one, and the two characters that XML 1.0 section 2.2 excludes above them.
fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_has_no_control_characters_and_single_spaces() {
        let cases = [
            ("plain · ünïcode", "plain · ünïcode"),
            (" a\r\n b\t c ", "a b c"),
            ("red \u{1b}[31mtext", "red \\u{1b}[31mtext"),
            ("nul\0 c1\u{9b} end\u{ffff}", "nul\\u{0} c1\\u{9b} end\\u{ffff}"),
            ("para\u{2029}graph", "para graph"),
            ("right\u{202e}left", "right\\u{202e}left"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(single_line(text), expected, "{text:?}");
        }
    }

    #[test]
    fn several_lines_stay_several_lines() {
        assert_eq!(multi_line("a\r\n\tb\u{7}\n\nc\n"), "a\n    b\\u{7}\n\nc");
    }

    #[test]
    fn shortening_counts_characters_and_says_that_it_cut() {
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüß", 3), "äö…");
        assert_eq!(shorten("ab", 0), "…");
    }
}
