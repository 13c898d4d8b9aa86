use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use super::{Document, Entry, Extent, Node, NodeId, NodeKind, Scalar, ScalarValue, resolve_plain};
use crate::decode::VALUE_COST;
use crate::diagnostic::{Diagnostic, Findings, quoted};
use crate::source_file::SourceFile;
use crate::{Span, Spanned};

/// Highest weight of a document. Without aliases, no file of the largest size weighs as much.
const MAX_WEIGHT: u64 = 128 << 20;

/// How deep lists and mappings may be nested, aliases followed.
const MAX_DEPTH: u32 = 32;

/// Parses the only document of a file. Problems are added to `findings`; none is returned when the text is not a tree.
pub(crate) fn parse(source: &SourceFile, findings: &Findings) -> Option<Document> {
    let mut options = granit_parser::options! { emit_unresolved_aliases: true };
    options.set_emit_comments(false);
    let mut builder = Builder::new(source, findings);
    for step in Parser::new_from_str_with_options(source.text(), options) {
        if findings.is_full() {
            return None;
        }
        match step {
            Ok((event, span)) => builder.event(event, span).ok()?,
            Err(error) => {
                findings.add(syntax_error(source, &error));
                return None;
            }
        }
    }
    builder.finish()
}

fn syntax_error(source: &SourceFile, error: &ScanError) -> Diagnostic {
    let at = error.marker().byte_offset().unwrap_or(source.text().len());
    let span = source.span(at..at);
    let message = format!("this is not YAML: {}", error.info().trim_end_matches('.'));
    let diagnostic = Diagnostic::error("yaml-syntax", span, message);
    let line = &source.text()[source.lines_around(at..at)];
    if line.contains('\t') && line.trim_start_matches(' ').starts_with('\t') {
        return diagnostic.help("indent with spaces; YAML does not allow tabs");
    }
    if line.contains("{{") {
        return diagnostic.help("put quotes around a value that holds `{{ … }}`");
    }
    diagnostic
}

/// The reading ended with a problem, which is reported.
struct Stopped;

/// A sequence or mapping whose end was not seen yet.
struct Open {
    id: NodeId,
    anchor: usize,
    kind: OpenKind,
}

enum OpenKind {
    Sequence(Vec<NodeId>),
    Mapping(OpenMapping),
}

#[derive(Default)]
struct OpenMapping {
    entries: Vec<Entry>,
    places: HashMap<String, Span>,
    key: Key,
    /// Whether this is a template whose quotes were forgotten.
    is_template: bool,
}

/// What a mapping waits for.
#[derive(Default)]
enum Key {
    /// A key.
    #[default]
    Awaited,
    /// The value of this key.
    Read(Spanned<String>),
    /// The value of a key that was refused.
    Refused,
}

struct Builder<'a> {
    source: &'a SourceFile,
    findings: &'a Findings,
    nodes: Vec<Node>,
    open: Vec<Open>,
    anchors: HashMap<usize, NodeId>,
    root: Option<NodeId>,
    documents: usize,
}

impl<'a> Builder<'a> {
    fn new(source: &'a SourceFile, findings: &'a Findings) -> Self {
        Self {
            source,
            findings,
            nodes: Vec::new(),
            open: Vec::new(),
            anchors: HashMap::new(),
            root: None,
            documents: 0,
        }
    }

    /// Takes the next event; an error ends the reading.
    fn event(&mut self, event: Event<'_>, span: granit_parser::Span) -> Result<(), Stopped> {
        let place = self.place(span);
        match event {
            Event::DocumentStart(..) => self.start_document(place)?,
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(text.into_owned(), style, anchor, tag.as_deref(), span)?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), span);
                self.start(OpenKind::Sequence(Vec::new()), anchor, place)?;
            }
            Event::MappingStart(_, anchor, tag) => {
                self.refuse_tag(tag.as_deref(), span);
                let kind = OpenKind::Mapping(OpenMapping::default());
                self.start(kind, anchor, place)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span)?,
            Event::Alias(anchor) => self.alias(anchor, place)?,
            Event::UnresolvedAlias(name) => {
                self.findings.add(
                    Diagnostic::error(
                        "unknown-anchor",
                        place,
                        format!("there is no anchor {} above", quoted(&format!("&{name}"))),
                    )
                    .help("an alias `*name` needs an anchor `&name` before it; quote the value if it is plain text"),
                );
                let id = self.push(place, NodeKind::Scalar(refused_scalar()))?;
                self.attach(id)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn start_document(&mut self, place: Span) -> Result<(), Stopped> {
        self.documents += 1;
        if self.documents > 1 {
            return self.stop(
                Diagnostic::error("several-documents", place, "a second YAML document starts here")
                    .help("write one scenario per file and remove the `---`"),
            );
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        text: String,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: granit_parser::Span,
    ) -> Result<(), Stopped> {
        let is_str = tag.is_some_and(|tag| tag.core_suffix() == Some("str"));
        if !is_str {
            self.refuse_tag(tag, span);
        }
        let value = match style {
            ScalarStyle::Plain if !is_str => resolve_plain(&text),
            _ => ScalarValue::Text,
        };
        let place = self.place(span);
        let id = self.push(place, NodeKind::Scalar(Scalar { text, value }))?;
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        self.attach(id)
    }

    fn start(&mut self, kind: OpenKind, anchor: usize, place: Span) -> Result<(), Stopped> {
        let id = self.push(place, NodeKind::Sequence(Vec::new()))?;
        self.open.push(Open { id, anchor, kind });
        Ok(())
    }

    /// Closes the innermost collection. `span` is that of its closing bracket, or empty and somewhere behind it.
    fn end(&mut self, span: granit_parser::Span) -> Result<(), Stopped> {
        let Some(Open { id, anchor, kind }) = self.open.pop() else { return Ok(()) };
        let (kind, inner) = match kind {
            OpenKind::Sequence(items) => {
                let inner = self.measure(items.iter().map(|item| (0, *item)));
                (NodeKind::Sequence(items), inner)
            }
            OpenKind::Mapping(OpenMapping { is_template: true, .. }) => {
                (NodeKind::Scalar(refused_scalar()), Extent::default())
            }
            OpenKind::Mapping(OpenMapping { entries, .. }) => {
                let inner =
                    self.measure(entries.iter().map(|entry| (weight_of(&entry.key), entry.value)));
                (NodeKind::Mapping(entries), inner)
            }
        };
        let end = span.end.byte_offset().unwrap_or_default();
        let start = self.nodes[id.index()].span.start;
        let end = self.first_line(start, end);
        let node = &mut self.nodes[id.index()];
        node.span.end = end;
        node.kind = kind;
        node.extent = Extent {
            weight: inner.weight.saturating_add(weight_of("")),
            depth: inner.depth.saturating_add(1),
        };
        let (span, extent) = (node.span, node.extent);
        self.refuse_too_complex(span, extent)?;
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        self.attach(id)
    }

    /// The extent of nodes together, each with what comes on top of its weight.
    fn measure(&self, nodes: impl Iterator<Item = (u64, NodeId)>) -> Extent {
        nodes.fold(Extent::default(), |sum, (extra, id)| {
            let Extent { weight, depth } = self.nodes[id.index()].extent;
            Extent {
                weight: sum.weight.saturating_add(weight).saturating_add(extra),
                depth: sum.depth.max(depth),
            }
        })
    }

    fn refuse_too_complex(&self, span: Span, extent: Extent) -> Result<(), Stopped> {
        let message = if extent.weight > MAX_WEIGHT {
            format!("with its aliases followed, this holds more than {} MiB", MAX_WEIGHT >> 20)
        } else if extent.depth > MAX_DEPTH {
            format!("lists and mappings are nested more than {MAX_DEPTH} levels deep here")
        } else {
            return Ok(());
        };
        self.stop(
            Diagnostic::error("too-complex", span, message)
                .help("no scenario needs that; look for an alias that is used too often"),
        )
    }

    fn alias(&mut self, anchor: usize, place: Span) -> Result<(), Stopped> {
        let Some(id) = self.anchors.get(&anchor).copied() else {
            let message = "this alias stands inside the value that it names";
            return self.stop(Diagnostic::error("unknown-anchor", place, message));
        };
        self.attach(id)
    }

    /// Gives a finished node to its parent, or makes it the root.
    fn attach(&mut self, id: NodeId) -> Result<(), Stopped> {
        let Some(parent) = self.open.last_mut() else {
            self.root = self.root.or(Some(id));
            return Ok(());
        };
        match &mut parent.kind {
            OpenKind::Sequence(items) => items.push(id),
            OpenKind::Mapping(mapping) => match std::mem::take(&mut mapping.key) {
                Key::Read(name) => mapping.entries.push(Entry { key: name, value: id }),
                Key::Refused => {}
                Key::Awaited => {
                    mapping.key = key(&self.nodes[id.index()], mapping, self.source, self.findings);
                }
            },
        }
        Ok(())
    }

    fn push(&mut self, span: Span, kind: NodeKind) -> Result<NodeId, Stopped> {
        let Ok(id) = u32::try_from(self.nodes.len()) else {
            let message = "the file holds too many values";
            return self.stop(Diagnostic::error("too-complex", span, message));
        };
        let weight = match &kind {
            NodeKind::Scalar(scalar) => weight_of(&scalar.text),
            NodeKind::Sequence(_) | NodeKind::Mapping(_) => 0,
        };
        self.nodes.push(Node { span, kind, extent: Extent { weight, depth: 0 } });
        Ok(NodeId(id))
    }

    fn stop<T>(&self, diagnostic: Diagnostic) -> Result<T, Stopped> {
        self.findings.add(diagnostic);
        Err(Stopped)
    }

    fn refuse_tag(&self, tag: Option<&Tag>, span: granit_parser::Span) {
        let Some(tag) = tag else { return };
        let place = self.place(span.tag_span().unwrap_or(span));
        let name = self
            .source
            .text()
            .get(place.start..place.end)
            .map_or_else(|| format!("{}{}", tag.handle(), tag.suffix()), str::to_owned);
        self.findings.add(
            Diagnostic::error(
                "yaml-tag",
                place,
                format!("the YAML tag {} is not supported", quoted(&name)),
            )
            .help("remove it; quote the value if the `!` belongs to it"),
        );
    }

    /// The place of an event, cut at the end of its first line.
    fn place(&self, span: granit_parser::Span) -> Span {
        let start = span.start.byte_offset().unwrap_or_default();
        let end = span.end.byte_offset().unwrap_or(start).max(start);
        Span {
            start,
            end: self.first_line(start, end),
            line: u32::try_from(span.start.line()).unwrap_or(u32::MAX),
            column: u32::try_from(span.start.col() + 1).unwrap_or(u32::MAX),
        }
    }

    /// `end`, or the end of the text on the line of `start` when that comes first.
    fn first_line(&self, start: usize, end: usize) -> usize {
        let line = self.source.text().get(start..end).and_then(|text| text.split('\n').next());
        start + line.map_or(0, |line| line.trim_end().len())
    }

    fn finish(self) -> Option<Document> {
        let root = self.root?;
        Some(Document { nodes: self.nodes, root })
    }
}

/// What a mapping does with the next key. One that cannot be used is reported, its value left out.
fn key(node: &Node, mapping: &mut OpenMapping, source: &SourceFile, findings: &Findings) -> Key {
    let NodeKind::Scalar(Scalar { text, .. }) = &node.kind else {
        // An unquoted `{{ … }}` reads as a mapping in a mapping.
        mapping.is_template =
            source.text().get(..node.span.start).is_some_and(|text| text.ends_with('{'));
        findings.add(match mapping.is_template {
            true => Diagnostic::error(
                "yaml-key",
                node.span,
                "without quotes, YAML reads this template as a mapping",
            )
            .help("put quotes around the whole value: `\"{{ … }}\"`"),
            false => Diagnostic::error("yaml-key", node.span, "a key must be plain text"),
        });
        return Key::Refused;
    };
    if text == "<<" {
        findings.add(
            Diagnostic::error("yaml-merge-key", node.span, "the merge key `<<` is not supported")
                .help("put shared options into `profiles` and name the profile with `use`"),
        );
        return Key::Refused;
    }
    if let Some(first) = mapping.places.get(text) {
        let message = format!("the key {} is given twice", quoted(text));
        findings.add(
            Diagnostic::error("duplicate-key", node.span, message)
                .related(*first, "first given here")
                .help("keep one of the two"),
        );
        return Key::Refused;
    }
    mapping.places.insert(text.clone(), node.span);
    Key::Read(Spanned::new(text.clone(), node.span))
}

/// What a scalar or a key with this text weighs.
fn weight_of(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_add(VALUE_COST)
}

/// Stands for a value that was reported already.
fn refused_scalar() -> Scalar {
    Scalar { text: String::new(), value: ScalarValue::Refused }
}
