use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Level as Title, Origin, Renderer, Snippet};

use super::{Diagnostic, Level};
use crate::source_file::SourceFile;

/// Largest piece of source that is shown; longer lines are named, not shown.
const PICTURE_BYTES: usize = 4096;

/// Whether a picture may use terminal colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coloring {
    /// Text only.
    Plain,
    /// With ANSI escape sequences.
    Colored,
}

/// A diagnostic as people read it: message, `file:line:column`, the source line with a caret, help.
#[must_use]
pub fn render(diagnostic: &Diagnostic, source: &SourceFile, coloring: Coloring) -> String {
    let renderer = match coloring {
        Coloring::Plain => Renderer::plain(),
        Coloring::Colored => Renderer::styled(),
    };
    let level = match diagnostic.level {
        Level::Error => Title::ERROR,
        Level::Warning => Title::WARNING,
    };
    let mut group = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code)
        .elements(pictures(diagnostic, source).unwrap_or_else(|| vec![place(diagnostic).into()]));
    if let Some(help) = &diagnostic.help {
        group = group.element(Title::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

/// The file, and the line and column in it where there is one.
fn place(diagnostic: &Diagnostic) -> Origin<'_> {
    let origin = Origin::path(diagnostic.file.as_str());
    match diagnostic.span {
        Some(span) => origin.line(span.line as usize).char_column(span.column as usize),
        None => origin,
    }
}

/// The source lines of a diagnostic: one picture for places near each other, else one each. None without a place, and
/// for lines that are too long to be shown.
fn pictures<'a>(diagnostic: &'a Diagnostic, source: &'a SourceFile) -> Option<Vec<Element<'a>>> {
    let primary = diagnostic.span?;
    let mut marks = vec![(primary.start..primary.end, AnnotationKind::Primary, None)];
    for related in &diagnostic.related {
        let range = related.span.start..related.span.end;
        marks.push((range, AnnotationKind::Context, Some(related.label.as_str())));
    }
    let whole = marks.iter().fold(primary.start..primary.end, |all, (range, ..)| {
        all.start.min(range.start)..all.end.max(range.end)
    });
    if let Some(picture) = picture(source, whole, &marks) {
        return Some(vec![picture]);
    }
    let each = marks.iter().map(|mark| picture(source, mark.0.clone(), std::slice::from_ref(mark)));
    each.collect()
}

type Mark<'a> = (Range<usize>, AnnotationKind, Option<&'a str>);

/// The lines that hold `range`, with marks in them; none when they are too long.
fn picture<'a>(
    source: &'a SourceFile,
    range: Range<usize>,
    marks: &[Mark<'a>],
) -> Option<Element<'a>> {
    let lines = source.lines_around(range);
    if lines.len() > PICTURE_BYTES {
        return None;
    }
    let text = &source.text()[lines.clone()];
    let annotations = marks.iter().map(|(range, kind, label)| {
        let start = range.start.saturating_sub(lines.start).min(text.len());
        let end = range.end.saturating_sub(lines.start).clamp(start, text.len());
        kind.span(start..end).label(*label)
    });
    let snippet = Snippet::source(text)
        .line_start(source.line_of(lines.start))
        .path(source.name())
        .annotations(annotations.collect::<Vec<_>>());
    Some(snippet.into())
}
