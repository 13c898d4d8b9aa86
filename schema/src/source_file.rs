//! A text file that diagnostics point into, and how it is read.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use crate::Span;
use crate::diagnostic::Diagnostic;

/// Largest file that is read, 4 MiB: thousands of times a large scenario.
pub const MAX_FILE_BYTES: usize = 4 << 20;

/// The name and the text of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFile {
    name: String,
    text: String,
    /// The first byte of each line.
    line_starts: Vec<usize>,
}

impl SourceFile {
    /// Joins a name, as diagnostics show it, with a text. A byte-order mark is dropped.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1));
        Self { name: name.into(), line_starts: line_starts.collect(), text }
    }

    /// Reads a regular file of at most [`MAX_FILE_BYTES`] of UTF-8.
    ///
    /// # Errors
    /// One diagnostic when it is anything else; a named pipe or a device is refused without opening it.
    pub(crate) fn read(path: &Path) -> Result<Self, Box<Diagnostic>> {
        let name = path.display().to_string();
        let bytes = read_bytes(path)?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(name, text)),
            Err(error) => {
                Err(Box::new(not_text(error.as_bytes(), error.utf8_error().valid_up_to())))
            }
        }
    }

    /// Name of the file as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The place of a range of bytes.
    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        let start = floor_char_boundary(&self.text, range.start);
        let line = self.line_of(start);
        Span {
            start,
            end: ceil_char_boundary(&self.text, range.end.max(start)),
            line: saturate(line),
            column: saturate(self.text[self.line_start(line)..start].chars().count() + 1),
        }
    }

    /// The place of `range` of a scalar's `value`; the scalar's own place when it is not [verbatim](Self::is_verbatim).
    pub(crate) fn span_within(&self, scalar: Span, value: &str, range: Range<usize>) -> Span {
        let Some(start) = self.verbatim_start(scalar, value) else { return scalar };
        let first = start + floor_char_boundary(value, range.start);
        self.span(first..(start + range.end.min(value.len())).max(first))
    }

    /// Whether a scalar's value stands in the file as it is: plain or quoted, on one line, without escapes.
    pub(crate) fn is_verbatim(&self, scalar: Span, value: &str) -> bool {
        self.verbatim_start(scalar, value).is_some()
    }

    fn verbatim_start(&self, scalar: Span, value: &str) -> Option<usize> {
        let raw = self.text.get(scalar.start..scalar.end)?;
        if raw == value {
            return Some(scalar.start);
        }
        let inner = raw.strip_prefix(['"', '\''])?.strip_suffix(['"', '\''])?;
        (inner == value).then_some(scalar.start + 1)
    }

    /// The whole lines that hold a range, without the last line break.
    pub(crate) fn lines_around(&self, range: Range<usize>) -> Range<usize> {
        let next = self.line_start(self.line_of(range.end.max(range.start)) + 1);
        let last = match self.text[..next].ends_with('\n') && next > 0 {
            true => next - 1,
            false => next,
        };
        let first = self.line_start(self.line_of(range.start));
        let last = last.max(first);
        match self.text[first..last].ends_with('\r') {
            true => first..last - 1,
            false => first..last,
        }
    }

    /// Number of the line, from 1, that holds a byte.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= byte).max(1)
    }

    /// First byte of the line with this number, or the end of the text behind the last line.
    fn line_start(&self, line: usize) -> usize {
        self.line_starts.get(line - 1).copied().unwrap_or(self.text.len())
    }
}

/// Linux's `ELOOP`: a symbolic link that leads to itself.
const LINK_LOOP: i32 = 40;

fn read_bytes(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    let unreadable = |error: &std::io::Error| {
        let message = format!("cannot read the file: {error}");
        let help = match error.kind() {
            ErrorKind::NotFound => "check the path, and the folder that it starts from",
            _ if error.raw_os_error() == Some(LINK_LOOP) => "let the link lead to a file",
            _ => "make the file readable for the user who runs this",
        };
        Box::new(Diagnostic::error("file-unreadable", None, message).help(help))
    };
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(&error))?;
    if let Some(kind) = other_than_file(&metadata) {
        let message = format!("this is {kind}, not a file");
        return Err(Box::new(
            Diagnostic::error("not-a-file", None, message)
                .help("give the path of a scenario in a regular file"),
        ));
    }
    let limit = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(&error))?;
    if bytes.len() > MAX_FILE_BYTES {
        let message = format!("the file has more than {MAX_FILE_BYTES} bytes");
        return Err(Box::new(
            Diagnostic::error("file-too-large", None, message)
                .help("split the scenario into several files"),
        ));
    }
    Ok(bytes)
}

fn other_than_file(metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a directory"),
        () if kind.is_fifo() => Some("a named pipe"),
        () if kind.is_socket() => Some("a socket"),
        () => Some("a device"),
    }
}

fn not_text(bytes: &[u8], valid: usize) -> Diagnostic {
    let line = bytes[..valid].iter().filter(|b| **b == b'\n').count() + 1;
    let message =
        format!("the file is not UTF-8 text: invalid byte at offset {valid}, line {line}");
    let help = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        "it looks like UTF-16; save it as UTF-8"
    } else {
        "save it as UTF-8"
    };
    Diagnostic::error("not-text", None, message).help(help)
}

fn floor_char_boundary(text: &str, index: usize) -> usize {
    (0..=index.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

fn ceil_char_boundary(text: &str, index: usize) -> usize {
    (index..text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(text.len())
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a: 1\nbö: \"x {{ y }}\"\n\nc: 'it''s'";

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let file = SourceFile::new("f", TEXT);
        let table = [
            ("a", (1, 1)),
            ("1", (1, 4)),
            ("\n", (1, 5)),
            ("bö", (2, 1)),
            ("\"x", (2, 5)),
            ("c:", (4, 1)),
            ("'it", (4, 4)),
        ];
        for (piece, place) in table {
            let start = TEXT.find(piece).unwrap();
            let span = file.span(start..start + piece.len());
            assert_eq!((span.line, span.column), place, "{piece}");
            assert_eq!(&TEXT[span.start..span.end], piece);
        }
        let end = file.span(TEXT.len()..TEXT.len() + 5);
        assert_eq!((end.start, end.end, end.line), (TEXT.len(), TEXT.len(), 4));
    }

    #[test]
    fn a_range_inside_a_character_covers_it() {
        let file = SourceFile::new("f", TEXT);
        let start = TEXT.find('ö').unwrap();
        for range in [start..start + 1, start + 1..start + 2, start + 1..start + 1] {
            let span = file.span(range);
            assert_eq!(&TEXT[span.start..span.end], "ö");
        }
    }

    #[test]
    fn a_range_of_a_value_is_found_in_the_file_when_it_stands_there_as_it_is() {
        let file = SourceFile::new("f", TEXT);
        let quoted = file.span(10..21);
        assert_eq!(&TEXT[quoted.start..quoted.end], "\"x {{ y }}\"");
        let inner = file.span_within(quoted, "x {{ y }}", 5..6);
        assert_eq!((&TEXT[inner.start..inner.end], inner.column), ("y", 11));
        let escaped = file.span(TEXT.find("'it").unwrap()..TEXT.len());
        assert_eq!(file.span_within(escaped, "it's", 0..2), escaped);
    }

    #[test]
    fn whole_lines_are_cut_out_without_their_break() {
        let file = SourceFile::new("f", TEXT);
        let lines = |range| &TEXT[file.lines_around(range)];
        assert_eq!(lines(0..0), "a: 1");
        assert_eq!(lines(4..4), "a: 1");
        assert_eq!(lines(3..7), "a: 1\nbö: \"x {{ y }}\"");
        assert_eq!(lines(22..22), "");
        assert_eq!(lines(TEXT.len()..TEXT.len()), "c: 'it''s'");
        assert_eq!(SourceFile::new("f", "").lines_around(0..0), 0..0);
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        assert_eq!(SourceFile::new("f", "\u{feff}a").text(), "a");
    }
}
