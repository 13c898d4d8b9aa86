use super::names::check_variable_name;
use super::{Overrides, UNKNOWN_OVERRIDE};
use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::document::{Entry, NodeKind};
use crate::suggest::did_you_mean;
use crate::template::Scope;

/// The variables of a document, in order, each seeing those before it; overrides take the place of their definitions.
pub(super) fn read_variables(context: &Context<'_>, overrides: &Overrides) -> Scope {
    let mut scope = Scope::default();
    let entries = entries(context);
    for Entry { key, value } in entries {
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
    refuse_unknown(context, overrides, entries);
    scope
}

/// The entries of `vars`; none when it is not a mapping, which is reported when the document is decoded.
fn entries<'t>(context: &Context<'t>) -> &'t [Entry] {
    let document = context.document;
    match document.entry(document.root(), "vars").map(|entry| &document.node(entry.value).kind) {
        Some(NodeKind::Mapping(entries)) => entries,
        _ => &[],
    }
}

fn refuse_unknown(context: &Context<'_>, overrides: &Overrides, entries: &[Entry]) {
    let names = || entries.iter().map(|entry| entry.key.as_str());
    for (name, value) in overrides.iter() {
        if !names().any(|known| known == name) {
            let help = did_you_mean(name, names()).unwrap_or_else(|| {
                "declare it under `vars` of the scenario, or do not set it".to_owned()
            });
            let message =
                format!("{}, but the scenario has no variable of this name", value.origin);
            context.findings.add(Diagnostic {
                level: overrides.unknown_level(),
                ..Diagnostic::error(UNKNOWN_OVERRIDE, None, message).help(help)
            });
        }
    }
}
