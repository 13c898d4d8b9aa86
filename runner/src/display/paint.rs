use anstyle::{AnsiColor, Style};
use linerate_schema::results::Verdict;

use super::{Charset, Color, Surface};

/// Turns meaning into characters and colors that the surface can show.
#[derive(Debug, Clone, Copy)]
pub struct Painter {
    surface: Surface,
}

impl Painter {
    /// A painter for `surface`.
    #[must_use]
    pub fn new(surface: Surface) -> Self {
        Self { surface }
    }

    /// The mark and the word of a verdict.
    pub(super) fn verdict(self, verdict: Verdict) -> String {
        let (mark, color) = match (verdict, self.surface.charset) {
            (Verdict::Pass, Charset::Unicode) => ("✔", AnsiColor::Green),
            (Verdict::Pass, Charset::Ascii) => ("+", AnsiColor::Green),
            (Verdict::Fail, Charset::Unicode) => ("✘", AnsiColor::Red),
            (Verdict::Fail, Charset::Ascii) => ("x", AnsiColor::Red),
            (Verdict::Error, _) => ("!", AnsiColor::Red),
            (Verdict::Inconclusive, _) => ("?", AnsiColor::Yellow),
            (Verdict::Skipped, _) => ("-", AnsiColor::Cyan),
        };
        self.styled(color.on_default().bold(), &format!("{mark} {verdict}"))
    }

    /// A failure of severity `warn`.
    pub(super) fn warning(self, text: &str) -> String {
        self.styled(AnsiColor::Yellow.on_default().bold(), text)
    }

    /// Something of lesser interest.
    pub(super) fn dim(self, text: &str) -> String {
        self.styled(Style::new().dimmed(), text)
    }

    /// Something to look at.
    pub(super) fn strong(self, text: &str) -> String {
        self.styled(Style::new().bold(), text)
    }

    /// Between items of one line.
    pub(super) fn separator(self) -> &'static str {
        match self.surface.charset {
            Charset::Unicode => " · ",
            Charset::Ascii => ", ",
        }
    }

    /// Before the name of a case that begins.
    pub(super) fn start_mark(self) -> &'static str {
        match self.surface.charset {
            Charset::Unicode => "▸",
            Charset::Ascii => ">",
        }
    }

    /// Text of a scenario or a peer on one line that cannot steer the terminal: control characters are spelled out.
    pub(super) fn foreign(self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        for character in text.chars() {
            match character {
                '\n' | '\t' => shown.push(' '),
                // Bidirectional controls can make a line read as another one.
                _ if character.is_control()
                    || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') =>
                {
                    shown.extend(character.escape_unicode());
                }
                _ => shown.push(character),
            }
        }
        shown
    }

    fn styled(self, style: Style, text: &str) -> String {
        match self.surface.color {
            Color::Ansi => format!("{style}{text}{style:#}"),
            Color::Plain => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::{ColorChoice, Reader};

    #[test]
    fn text_of_others_cannot_steer_the_terminal() {
        let surface =
            Surface { color: Color::Ansi, charset: Charset::Unicode, reader: Reader::Terminal };
        let painter = Painter::new(surface);
        assert_eq!(
            painter.foreign("a\nb \u{1b}[2J \u{9b}1m \u{202e}x ü"),
            "a b \\u{1b}[2J \\u{9b}1m \\u{202e}x ü"
        );
    }

    #[test]
    fn without_colors_no_escape_sequence_is_written() {
        let surface = Surface { reader: Reader::Pipe, ..Surface::stdout(ColorChoice::Never) };
        for verdict in Verdict::ALL {
            assert!(!Painter::new(surface).verdict(verdict).contains('\u{1b}'));
        }
    }
}
