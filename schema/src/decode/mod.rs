//! From the tree of a document to typed values, with every problem reported and none hiding another.
//!
//! This is a serde data format over [`Document`], with one difference from the usual ones: a
//! field or list element that cannot be decoded is reported at its place and then treated as absent, so that decoding
//! goes on. That asks of the types: every field of a struct is an `Option` or a collection with `#[serde(default)]`, and
//! nothing is flattened or untagged.

mod access;
mod budget;
mod decoder;
mod error;
mod fields;
mod foreign;
mod planned;
mod ranges;
mod shape;

use minijinja::Value;
use serde::Deserialize;

use crate::Span;
use crate::diagnostic::{Diagnostic, Findings};
use crate::document::{Document, NodeId, NodeKind, Scalar, ScalarValue};
use crate::source_file::SourceFile;
use crate::template::{Scope, TemplateError, Templates, size_of};

pub(crate) use budget::{Budget, MAX_DECODED, VALUE_COST};
use decoder::Decoder;
use error::DecodeError;
use shape::Input;

/// Name of the newtype through which [`crate::Spanned`] asks for its place: a sequence of start, end, line, column, value.
pub(crate) const SPANNED: &str = "$linerate::spanned";
/// Name of the newtype through which [`Deferred`] asks for the number of its node.
const DEFERRED: &str = "$linerate::deferred";

/// What decoding reads and where it reports.
#[derive(Clone, Copy)]
pub(crate) struct Context<'t> {
    pub(crate) source: &'t SourceFile,
    pub(crate) document: &'t Document,
    pub(crate) templates: &'t Templates<'t>,
    pub(crate) findings: &'t Findings,
    pub(crate) budget: &'t Budget,
}

/// The problem with a value was reported; there is nothing to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reported;

impl<'t> Context<'t> {
    /// Decodes a node; problems inside it are reported and leave out what they concern.
    ///
    /// # Errors
    /// When the node as a whole is of the wrong kind, which is reported too.
    pub(crate) fn decode<T: Deserialize<'t>>(
        &self,
        node: NodeId,
        scope: &Scope,
    ) -> Result<T, Reported> {
        let decoder = Decoder { context: self, scope, input: Input::Node(node) };
        T::deserialize(decoder).map_err(|error| self.report(error, self.document.span(node)))
    }

    /// The value of a node with every template in it evaluated; anything but text keeps its type.
    pub(crate) fn value(&self, node: NodeId, scope: &Scope) -> Result<Value, Reported> {
        match &self.document.node(node).kind {
            NodeKind::Scalar(scalar) => match self.evaluate(node, scalar, scope) {
                Some(value) => value,
                None => {
                    self.spend(node, scalar.text.len())?;
                    scalar_value(scalar)
                }
            },
            NodeKind::Sequence(items) => items
                .iter()
                .map(|item| self.value(*item, scope))
                .collect::<Result<Vec<_>, _>>()
                .map(Value::from),
            NodeKind::Mapping(entries) => entries
                .iter()
                .map(|entry| Ok((entry.key.value.clone(), self.value(entry.value, scope)?)))
                .collect::<Result<Vec<_>, _>>()
                .map(Value::from_pairs),
        }
    }

    /// The value of a scalar that holds a template; none for any other scalar.
    fn evaluate(
        &self,
        node: NodeId,
        scalar: &'t Scalar,
        scope: &Scope,
    ) -> Option<Result<Value, Reported>> {
        let result = self.templates.evaluate(node, &scalar.text, scope)?;
        let span = self.document.span(node);
        Some(match result {
            Ok(value) => self.spend(node, size_of(&value).unwrap_or(usize::MAX)).map(|()| value),
            Err(errors) => {
                for error in errors {
                    if let TemplateError::Problem { code, range, message, help } = error {
                        let place = self.source.span_within(span, &scalar.text, range);
                        self.findings.add(Diagnostic::error(code, place, message).maybe_help(help));
                    }
                }
                Err(Reported)
            }
        })
    }

    /// Accounts for a value with this much text, or something made of it that is as large.
    ///
    /// # Errors
    /// When the values of the document are too much, which is reported.
    pub(crate) fn spend(&self, node: NodeId, text: usize) -> Result<(), Reported> {
        let was_spent = self.budget.is_spent();
        if self.budget.spend(text) {
            return Ok(());
        }
        if !was_spent {
            let megabytes = MAX_DECODED >> 20;
            self.findings.add(
                Diagnostic::error(
                    "too-complex",
                    self.document.span(node),
                    format!("with matrices and aliases expanded, there are more than {megabytes} MiB of values up to here"),
                )
                .help("give matrices fewer values, or split the scenario into several files"),
            );
        }
        Err(Reported)
    }

    fn report(&self, error: DecodeError, span: Span) -> Reported {
        if let DecodeError::Problem { code, message, help } = error {
            self.findings.add(Diagnostic::error(code, span, message).maybe_help(help));
        }
        Reported
    }
}

fn scalar_value(scalar: &Scalar) -> Result<Value, Reported> {
    Ok(match scalar.value {
        ScalarValue::Null => Value::from(()),
        ScalarValue::Bool(value) => Value::from(value),
        ScalarValue::Integer(value) => match i64::try_from(value) {
            Ok(value) => Value::from(value),
            Err(_) => Value::from(value),
        },
        ScalarValue::Float(value) => Value::from(value),
        ScalarValue::Text => Value::from(scalar.text.as_str()),
        ScalarValue::Refused => return Err(Reported),
    })
}

/// A part of the document that is decoded later, with other variables in scope.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deferred(pub(crate) NodeId);

impl<'de> Deserialize<'de> for Deferred {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NodeVisitor;
        impl serde::de::Visitor<'_> for NodeVisitor {
            type Value = Deferred;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a part of a scenario document")
            }

            fn visit_u32<E: serde::de::Error>(self, number: u32) -> Result<Deferred, E> {
                Ok(Deferred(NodeId::from_number(number)))
            }
        }
        deserializer.deserialize_newtype_struct(DEFERRED, NodeVisitor)
    }
}
