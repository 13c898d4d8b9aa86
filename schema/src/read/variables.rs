use super::matrix::Matrix;
use super::names::check_variable_name;
use super::{Overrides, UNKNOWN_OVERRIDE};
use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::document::{Entry, NodeKind, Scalar, ScalarValue};
use crate::suggest::did_you_mean;
use crate::template::Scope;

/// The variables of a document, in order, each seeing those before it; overrides take the place of their definitions.
pub(super) fn read_variables(context: &Context<'_>, overrides: &Overrides) -> Scope {
    let mut scope = Scope::default();
    let entries = entries(context);
    for (index, Entry { key, value }) in entries.iter().enumerate() {
        scope.announce(entries[index..].iter().map(|entry| entry.key.value.clone()));
        if !check_variable_name(key, context.findings) {
            continue;
        }
        let value = match overrides.of(key) {
            Some(value) => Ok(value.clone()),
            None => context.value(*value, &scope),
        };
        match value {
            Ok(value) => scope.define(key, value),
            Err(_) => scope.refuse(key),
        }
    }
    scope.announce([]);
    refuse_unknown(context, overrides, entries);
    scope
}

/// The entries of `vars`; none when it is not a mapping, which is reported.
fn entries<'t>(context: &Context<'t>) -> &'t [Entry] {
    let document = context.document;
    let Some(Entry { value, .. }) = document.entry(document.root(), "vars") else { return &[] };
    match &document.node(*value).kind {
        NodeKind::Mapping(entries) => return entries,
        NodeKind::Scalar(Scalar { value: ScalarValue::Null | ScalarValue::Refused, .. }) => {}
        NodeKind::Scalar(_) | NodeKind::Sequence(_) => context.findings.add(
            Diagnostic::error("wrong-type", document.span(*value), "`vars` is not a mapping")
                .help("give each variable a name: `vars: { rate: 50 Mbit/s }`"),
        ),
    }
    &[]
}

/// The names of the variables of all matrices.
fn matrix_names<'t>(context: &Context<'t>) -> Vec<&'t str> {
    let document = context.document;
    let tests =
        document.entry(document.root(), "tests").map(|entry| &document.node(entry.value).kind);
    let Some(NodeKind::Sequence(tests)) = tests else { return Vec::new() };
    let matrices = tests.iter().filter_map(|test| document.entry(*test, "matrix"));
    matrices.flat_map(|entry| Matrix::names(context, entry.value)).collect()
}

fn refuse_unknown(context: &Context<'_>, overrides: &Overrides, entries: &[Entry]) {
    let names = || entries.iter().map(|entry| entry.key.as_str());
    for (name, value) in overrides.iter() {
        if !names().any(|known| known == name) {
            let is_of_matrix = matrix_names(context).contains(&name);
            let (what, help) = match is_of_matrix {
                true => (
                    "this is a variable of a matrix, which has values of its own",
                    format!(
                        "declare its list under `vars`, use it as `{name}: '{{{{ … }}}}'` in the matrix, and set that"
                    ),
                ),
                false => (
                    "the scenario has no variable of this name",
                    did_you_mean(name, names()).unwrap_or_else(|| {
                        "declare it under `vars` of the scenario, or do not set it".to_owned()
                    }),
                ),
            };
            let message = format!("{}, but {what}", value.origin);
            context.findings.add(Diagnostic {
                level: overrides.unknown_level(),
                ..Diagnostic::error(UNKNOWN_OVERRIDE, None, message).help(help)
            });
        }
    }
}
