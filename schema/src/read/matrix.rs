use std::collections::HashSet;

use minijinja::Value;
use minijinja::value::ValueKind;

use super::names::check_variable_name;
use crate::Spanned;
use crate::decode::{Context, Reported};
use crate::diagnostic::{Diagnostic, quoted};
use crate::document::{Entry, NodeId, NodeKind};
use crate::template::{Scope, text_of};

/// Most variables of a matrix.
const MAX_VARIABLES: usize = 100;

/// Longest value: it becomes a part of the names of cases.
const MAX_VALUE_BYTES: usize = 200;

/// The variables of a test's matrix, in order, each with its values.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    variables: Vec<(Spanned<String>, Vec<Value>)>,
}

/// One combination: a value for each variable.
pub(super) type Cell = Vec<(String, Value)>;

impl Matrix {
    /// Reads `matrix` of a test.
    ///
    /// # Errors
    /// When some variable has no usable values, which is reported.
    pub(super) fn read(
        context: &Context<'_>,
        node: NodeId,
        scope: &Scope,
    ) -> Result<Self, Reported> {
        let NodeKind::Mapping(entries) = &context.document.node(node).kind else {
            return refuse(
                context,
                "wrong-type",
                node,
                "expected a mapping of variables and their values",
            );
        };
        if entries.len() > MAX_VARIABLES {
            let message = format!("a matrix has at most {MAX_VARIABLES} variables");
            return refuse(context, "too-many-cases", node, &message);
        }
        let mut variables = Vec::new();
        let mut is_usable = true;
        for Entry { key, value } in entries {
            if !check_variable_name(key, context.findings) {
                is_usable = false;
                continue;
            }
            match values(context, *value, scope) {
                Ok(values) => variables.push((key.clone(), values)),
                Err(Reported) => is_usable = false,
            }
        }
        if is_usable { Ok(Self { variables }) } else { Err(Reported) }
    }

    /// The variables that a matrix names, usable or not.
    pub(super) fn names<'t>(context: &Context<'t>, node: NodeId) -> Vec<&'t str> {
        match &context.document.node(node).kind {
            NodeKind::Mapping(entries) => entries.iter().map(|entry| entry.key.as_str()).collect(),
            NodeKind::Scalar(_) | NodeKind::Sequence(_) => Vec::new(),
        }
    }

    /// Number of cells; 1 without variables.
    pub(super) fn len(&self) -> usize {
        self.variables.iter().fold(1, |product, (_, values)| product.saturating_mul(values.len()))
    }

    /// The cell with this number: the last variable changes fastest.
    pub(super) fn cell(&self, number: usize) -> Cell {
        let mut rest = number;
        let mut cell: Cell = self
            .variables
            .iter()
            .rev()
            .map(|(name, values)| {
                let value = values[rest % values.len()].clone();
                rest /= values.len();
                (name.value.clone(), value)
            })
            .collect();
        cell.reverse();
        cell
    }
}

fn values(context: &Context<'_>, node: NodeId, scope: &Scope) -> Result<Vec<Value>, Reported> {
    let list = context.value(node, scope)?;
    if !matches!(list.kind(), ValueKind::Seq | ValueKind::Iterable) {
        return refuse(context, "wrong-type", node, "expected a list of values");
    }
    let values: Vec<Value> = list.try_iter().map_err(|_| Reported)?.collect();
    if values.is_empty() {
        return refuse(
            context,
            "empty-matrix",
            node,
            "a variable without values leaves no case to run",
        );
    }
    // Values of a list in the file have a place of their own.
    let place = |index: usize| match &context.document.node(node).kind {
        NodeKind::Sequence(items) => items.get(index).copied().unwrap_or(node),
        NodeKind::Scalar(_) | NodeKind::Mapping(_) => node,
    };
    let mut seen = HashSet::new();
    let mut is_usable = true;
    for (index, value) in values.iter().enumerate() {
        is_usable &= check_value(context, place(index), value, &mut seen).is_ok();
    }
    if is_usable { Ok(values) } else { Err(Reported) }
}

/// Reports a value that cannot be one of a matrix.
fn check_value(
    context: &Context<'_>,
    place: NodeId,
    value: &Value,
    seen: &mut HashSet<String>,
) -> Result<(), Reported> {
    if !matches!(value.kind(), ValueKind::Bool | ValueKind::Number | ValueKind::String) {
        return refuse(context, "wrong-type", place, "expected a number, text, `true` or `false`");
    }
    let text = text_of(value);
    if text.len() > MAX_VALUE_BYTES {
        let message = format!("a value of a matrix has at most {MAX_VALUE_BYTES} bytes");
        return refuse(context, "out-of-range", place, &message);
    }
    if seen.contains(&text) {
        let message = format!("the value {} is given twice", quoted(&text));
        return refuse(context, "duplicate-value", place, &message);
    }
    seen.insert(text);
    Ok(())
}

fn refuse<T>(
    context: &Context<'_>,
    code: &'static str,
    node: NodeId,
    message: &str,
) -> Result<T, Reported> {
    context.findings.add(Diagnostic::error(code, context.document.span(node), message));
    Err(Reported)
}
