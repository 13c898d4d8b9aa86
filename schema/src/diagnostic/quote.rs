/// Characters of a user's text that a message shows.
const SHOWN: usize = 60;

/// A user's text in backticks: control characters escaped, long text cut.
pub(crate) fn quoted(text: &str) -> String {
    let mut shown = String::from("`");
    for (index, c) in text.chars().enumerate() {
        if index == SHOWN {
            shown.push('…');
            break;
        }
        if c.is_control() || is_invisible(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown.push('`');
    shown
}

/// Zero-width and bidirectional characters, which could make a message read as something else.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_long_text_is_cut() {
        assert_eq!(quoted("a\u{1b}[1m\nb"), "`a\\u{1b}[1m\\nb`");
        assert_eq!(quoted("\u{202e}x"), "`\\u{202e}x`");
        assert_eq!(quoted(&"ü".repeat(61)), format!("`{}…`", "ü".repeat(60)));
    }
}
