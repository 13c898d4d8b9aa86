use std::borrow::Cow;

use minijinja::Value;
use minijinja::value::ValueKind;
use serde::de::Unexpected;

use super::Context;
use super::access::EntryInput;
use super::error::{DecodeError, describe};
use crate::Span;
use crate::document::{NodeId, NodeKind, ScalarValue, resolve_plain};
use crate::template::text_of;

/// Where a value comes from.
pub(super) enum Input {
    /// A node of the document.
    Node(NodeId),
    /// The result of a template, at the place of the template.
    Value(Value, Span),
    /// The key of an entry.
    Key(String, Span),
    /// Nowhere: the problem with the value was reported.
    Absent,
}

impl Input {
    pub(super) fn span(&self, context: &Context<'_>) -> Span {
        match self {
            Self::Node(node) => context.document.span(*node),
            Self::Value(_, span) | Self::Key(_, span) => *span,
            Self::Absent => Span::default(),
        }
    }
}

/// A value, one level deep, whatever it comes from.
pub(super) enum Shape<'t> {
    Scalar { value: ScalarValue, text: Cow<'t, str> },
    Sequence(Vec<Input>),
    Mapping(Vec<EntryInput>),
}

impl<'t> Shape<'t> {
    pub(super) fn text(text: impl Into<Cow<'t, str>>) -> Self {
        Self::Scalar { value: ScalarValue::Text, text: text.into() }
    }

    pub(super) fn of_node(context: &Context<'t>, node: NodeId) -> Result<Self, DecodeError> {
        match &context.document.node(node).kind {
            NodeKind::Scalar(scalar) if scalar.value == ScalarValue::Refused => {
                Err(DecodeError::Reported)
            }
            NodeKind::Scalar(scalar) => {
                context.spend(node, scalar.text.len()).map_err(|_| DecodeError::Reported)?;
                Ok(Self::Scalar { value: scalar.value, text: Cow::Borrowed(&scalar.text) })
            }
            NodeKind::Sequence(items) => {
                Ok(Self::Sequence(items.iter().map(|item| Input::Node(*item)).collect()))
            }
            NodeKind::Mapping(entries) => {
                let entries = entries.iter().map(|entry| {
                    ((entry.key.value.clone(), entry.key.span), Input::Node(entry.value))
                });
                Ok(Self::Mapping(entries.collect()))
            }
        }
    }

    /// The shape of a template's result. Text that reads as a number serves as one: templates build text.
    pub(super) fn of_value(value: &Value, span: Span) -> Result<Self, DecodeError> {
        let unusable = |error| {
            DecodeError::problem("template-error", format!("the result has no use here: {error}"))
        };
        Ok(match value.kind() {
            ValueKind::Undefined | ValueKind::None => {
                Self::Scalar { value: ScalarValue::Null, text: Cow::Borrowed("") }
            }
            ValueKind::Bool | ValueKind::Number | ValueKind::String => {
                let text = text_of(value);
                Self::Scalar { value: resolve_plain(&text), text: Cow::Owned(text) }
            }
            ValueKind::Seq | ValueKind::Iterable => {
                let items = value.try_iter().map_err(unusable)?;
                Self::Sequence(items.map(|item| Input::Value(item, span)).collect())
            }
            ValueKind::Map => {
                let keys = value.try_iter().map_err(unusable)?;
                let entries = keys.map(|key| {
                    let item = value.get_item(&key).unwrap_or_default();
                    ((key.to_string(), span), Input::Value(item, span))
                });
                Self::Mapping(entries.collect())
            }
            kind => return Err(DecodeError::wrong_type("a value", &kind.to_string())),
        })
    }

    fn describe(&self) -> String {
        match self {
            Self::Scalar { value, text } => describe(match value {
                ScalarValue::Null | ScalarValue::Refused => Unexpected::Unit,
                ScalarValue::Bool(value) => Unexpected::Bool(*value),
                ScalarValue::Integer(_) | ScalarValue::Float(_) => {
                    return format!("the number {text}");
                }
                ScalarValue::Text => Unexpected::Str(text),
            }),
            Self::Sequence(_) => describe(Unexpected::Seq),
            Self::Mapping(_) => describe(Unexpected::Map),
        }
    }

    pub(super) fn wrong_type(&self, expected: &str) -> DecodeError {
        let error = DecodeError::wrong_type(expected, &self.describe());
        match self {
            Self::Scalar { value: ScalarValue::Null, .. } => {
                DecodeError::problem("missing-value", "this key has no value")
                    .help(format!("give it {expected}, or remove the key"))
            }
            Self::Scalar { value: ScalarValue::Text, text }
                if expected.contains("number") && text.parse::<f64>().is_ok() =>
            {
                error.help("remove the quotes")
            }
            Self::Scalar { text, .. } if expected == "`true` or `false`" => match truth(text) {
                Some(word) => error.help(format!("write `{word}`")),
                None => error,
            },
            Self::Scalar { text, .. } if expected == "a list" => {
                error.help(format!("write `[{}]`", text.trim()))
            }
            _ => error,
        }
    }
}

/// The truth value that other tools mean by a word.
fn truth(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "yes" | "y" | "on" | "1" | "true" => Some(true),
        "no" | "n" | "off" | "0" | "false" => Some(false),
        _ => None,
    }
}
