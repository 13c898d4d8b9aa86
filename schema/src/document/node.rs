use crate::suggest::did_you_mean;
use crate::{Span, Spanned};

/// A parsed YAML document. An alias is a second parent of the node that it names.
#[derive(Debug)]
pub(crate) struct Document {
    pub(super) nodes: Vec<Node>,
    pub(super) root: NodeId,
}

/// Index of a node in its [`Document`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(pub(super) u32);

impl NodeId {
    /// The index as a number, to pass through serde.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The node with this number.
    pub(crate) fn from_number(number: u32) -> Self {
        Self(number)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A value and its place. The place of a sequence or mapping is its first line.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) kind: NodeKind,
    pub(crate) extent: Extent,
}

/// How much a node holds, aliases followed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extent {
    /// What decoding it costs: its bytes of text, and some for each value.
    pub(crate) weight: u64,
    /// Levels of lists and mappings.
    pub(super) depth: u32,
}

/// What a node holds.
#[derive(Debug)]
pub(crate) enum NodeKind {
    /// A single value.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<NodeId>),
    /// Keys and values in order, without duplicates.
    Mapping(Vec<Entry>),
}

/// One key and its value.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: Spanned<String>,
    pub(crate) value: NodeId,
}

/// A scalar as written and as YAML understands it.
#[derive(Debug)]
pub(crate) struct Scalar {
    /// The text, escapes and folding resolved.
    pub(crate) text: String,
    pub(crate) value: ScalarValue,
}

/// The value of a scalar by the YAML 1.2 core schema.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ScalarValue {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    /// The scalar's text.
    Text,
    /// Nothing that can be used; the problem was reported.
    Refused,
}

impl Document {
    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn span(&self, id: NodeId) -> Span {
        self.node(id).span
    }

    /// The entry of a mapping with this key; none for anything but a mapping.
    pub(crate) fn entry(&self, id: NodeId, key: &str) -> Option<&Entry> {
        match &self.node(id).kind {
            NodeKind::Mapping(entries) => entries.iter().find(|entry| entry.key.value == key),
            NodeKind::Scalar(_) | NodeKind::Sequence(_) => None,
        }
    }

    /// Whether a mapping has a key that was probably meant to be this one. Such a key is reported as unknown, and what
    /// it was meant for need not be reported as missing.
    pub(crate) fn has_misspelt(&self, id: NodeId, key: &str) -> bool {
        let NodeKind::Mapping(entries) = &self.node(id).kind else { return false };
        entries
            .iter()
            .any(|entry| entry.key.value != key && did_you_mean(&entry.key, [key]).is_some())
    }

    /// Whether the node is an empty value, such as that of `key:` with nothing behind it.
    pub(crate) fn is_null(&self, id: NodeId) -> bool {
        matches!(&self.node(id).kind, NodeKind::Scalar(scalar) if scalar.value == ScalarValue::Null)
    }
}
