use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Level as Title, Renderer, Snippet};

use super::{Diagnostic, Level};
use crate::source_file::SourceFile;

/// Source text between two places up to this size is shown as one picture.
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
        .elements(pictures(diagnostic, source));
    if diagnostic.span.is_none() {
        group = group.element(annotate_snippets::Origin::path(diagnostic.file.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Title::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

/// The source lines of a diagnostic: one picture for places near each other, else one each.
fn pictures<'a>(
    diagnostic: &'a Diagnostic,
    source: &'a SourceFile,
) -> Vec<Snippet<'a, Annotation<'a>>> {
    let Some(primary) = diagnostic.span else { return Vec::new() };
    let mut marks = vec![(primary.start..primary.end, AnnotationKind::Primary, None)];
    for related in &diagnostic.related {
        let range = related.span.start..related.span.end;
        marks.push((range, AnnotationKind::Context, Some(related.label.as_str())));
    }
    let whole = marks.iter().fold(primary.start..primary.end, |all, (range, ..)| {
        all.start.min(range.start)..all.end.max(range.end)
    });
    if whole.len() <= PICTURE_BYTES {
        return vec![picture(source, whole, &marks)];
    }
    marks.iter().map(|mark| picture(source, mark.0.clone(), std::slice::from_ref(mark))).collect()
}

type Mark<'a> = (Range<usize>, AnnotationKind, Option<&'a str>);

/// The lines that hold `range`, with marks in them.
fn picture<'a>(
    source: &'a SourceFile,
    range: Range<usize>,
    marks: &[Mark<'a>],
) -> Snippet<'a, Annotation<'a>> {
    let lines = source.lines_around(range);
    let text = &source.text()[lines.clone()];
    let annotations = marks.iter().map(|(range, kind, label)| {
        let start = range.start.saturating_sub(lines.start).min(text.len());
        let end = range.end.saturating_sub(lines.start).clamp(start, text.len());
        kind.span(start..end).label(*label)
    });
    Snippet::source(text)
        .line_start(source.line_of(lines.start))
        .path(source.name())
        .annotations(annotations.collect::<Vec<_>>())
}
