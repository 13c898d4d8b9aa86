use anstyle::{AnsiColor, Style};
use linerate_schema::results::Verdict;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Coloring {
    /// No escape sequences; for files, pipes and `NO_COLOR`.
    #[default]
    Plain,
    /// ANSI colours.
    Ansi,
}

/// Fewest columns that text is wrapped to, however narrow the terminal and deep the indent.
const MIN_TEXT_WIDTH: usize = 20;

pub(super) const NORMAL: Style = Style::new();
pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default().bold();

pub(super) fn style_of(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Pass => AnsiColor::Green.on_default(),
        Verdict::Fail | Verdict::Error => AnsiColor::Red.on_default().bold(),
        Verdict::Inconclusive => WARNING,
        Verdict::Skipped => DIM,
    }
}

/// Lines of text for a terminal of some width, built from the top.
///
/// What is put in must be free of control characters; widths are in columns, of which some characters take two.
pub(super) struct Screen {
    text: String,
    width: Option<usize>,
    coloring: Coloring,
}

impl Screen {
    pub(super) fn new(width: Option<usize>, coloring: Coloring) -> Self {
        Self { text: String::new(), width, coloring }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    pub(super) fn blank_line(&mut self) {
        self.text.push('\n');
    }

    /// A line as it is, however long.
    pub(super) fn line(&mut self, indent: usize, style: Style, text: &str) {
        self.push_indent(indent);
        self.push_styled(style, text);
        self.text.push('\n');
    }

    /// A line with a coloured label, cut at the width.
    pub(super) fn labelled_line(&mut self, indent: usize, label: &Label, text: &str) {
        let used = self.push_label(indent, label);
        let cut = self.width.map(|width| fit(text, width.saturating_sub(used).max(MIN_TEXT_WIDTH)));
        self.text.push_str(cut.as_deref().unwrap_or(text));
        self.text.push('\n');
    }

    /// A paragraph with a coloured label, wrapped at spaces; further lines are indented by `hanging`.
    pub(super) fn labelled_paragraph(
        &mut self,
        indent: usize,
        hanging: usize,
        label: &Label,
        text: &str,
    ) {
        let used = self.push_label(indent, label);
        self.push_wrapped(used, hanging, Style::new(), text);
    }

    /// A paragraph, wrapped at spaces.
    pub(super) fn paragraph(&mut self, indent: usize, style: Style, text: &str) {
        self.push_indent(indent);
        self.push_wrapped(indent, indent, style, text);
    }

    /// Writes a label and returns the columns used so far.
    fn push_label(&mut self, indent: usize, label: &Label) -> usize {
        self.push_indent(indent);
        self.push_styled(label.style, label.text);
        let padding = LABEL_WIDTH.saturating_sub(label.text.width()) + 1;
        self.push_indent(padding);
        indent + label.text.width() + padding
    }

    fn push_wrapped(&mut self, used: usize, hanging: usize, style: Style, text: &str) {
        let first = self.text_width(used);
        let rest = self.text_width(hanging);
        for (number, line) in wrap(text, first, rest).into_iter().enumerate() {
            if number > 0 {
                self.push_indent(hanging);
            }
            self.push_styled(style, &line);
            self.text.push('\n');
        }
    }

    fn text_width(&self, used: usize) -> usize {
        self.width.map_or(usize::MAX, |width| width.saturating_sub(used).max(MIN_TEXT_WIDTH))
    }

    fn push_indent(&mut self, columns: usize) {
        self.text.extend(std::iter::repeat_n(' ', columns));
    }

    fn push_styled(&mut self, style: Style, text: &str) {
        match self.coloring {
            Coloring::Plain => self.text.push_str(text),
            Coloring::Ansi => {
                self.text.push_str(&format!("{style}{text}{style:#}"));
            }
        }
    }
}

/// A word in front of a line.
pub(super) struct Label {
    pub(super) style: Style,
    pub(super) text: &'static str,
}

/// Columns that short labels are padded to.
pub(super) const LABEL_WIDTH: usize = 5;

/// `text` in at most `width` columns, with an ellipsis where it was cut.
fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

/// `text` broken at spaces into a first line of at most `first` columns and further ones of at most `rest`. A word
/// that is wider than a line has one of its own. Always at least one line.
fn wrap(text: &str, first: usize, rest: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in unbreakable(text) {
        let limit = if lines.len() == 1 { first } else { rest };
        let width = word.width();
        if used > 0 && used + 1 + width > limit {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(&word);
            used += width;
        }
    }
    lines
}

/// The words of `text`, each number together with the word behind it, which is its unit or noun.
fn unbreakable(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut after_number = false;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match words.last_mut() {
            Some(number) if after_number => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
        after_number = !after_number && word.parse::<f64>().is_ok();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_keeps_every_word_and_the_width() {
        assert_eq!(wrap("one two three four", 7, 10), ["one two", "three four"]);
        assert_eq!(wrap("a wordthatistoolong b", 5, 5), ["a", "wordthatistoolong", "b"]);
        assert_eq!(wrap("", 5, 5), [""]);
        assert_eq!(wrap("日本 日本", 5, 5), ["日本", "日本"]);
        assert_eq!(wrap("rate 941.2 Mbit/s", 12, 12), ["rate", "941.2 Mbit/s"]);
        assert_eq!(wrap("1 2 3 4", 3, 3), ["1 2", "3 4"]);
    }

    #[test]
    fn cutting_counts_columns_rather_than_characters() {
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "ab…");
        assert_eq!(fit("日本語", 5), "日本…");
        assert_eq!(fit("日本語", 4), "日…");
    }

    #[test]
    fn colour_adds_nothing_but_escape_sequences() {
        let draw = |coloring| {
            let mut screen = Screen::new(Some(30), coloring);
            let label = Label { style: style_of(Verdict::Fail), text: "fail" };
            screen.labelled_paragraph(2, 8, &label, "a paragraph that is wrapped once");
            screen.into_text()
        };
        let plain = draw(Coloring::Plain);
        assert_eq!(plain, "  fail  a paragraph that is\n        wrapped once\n");
        assert_eq!(anstyle_free(&draw(Coloring::Ansi)), plain);
    }

    fn anstyle_free(text: &str) -> String {
        let mut parts = text.split("\u{1b}[");
        let mut free = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            free.push_str(part.split_once('m').expect("a colour sequence ends in m").1);
        }
        free
    }
}
