use crate::Spanned;
use crate::diagnostic::{Diagnostic, Findings, quoted};

/// Words that an assertion reads as something else than the name of a flow.
const TAKEN: [&str; 6] = ["sender", "receiver", "received", "found", "baseline", "between"];

/// Reports a name under `hosts`, `servers`, `profiles` or `clients` that cannot be used.
pub(super) fn check_name(kind: &str, name: &Spanned<String>, findings: &Findings) {
    let mut characters = name.chars();
    let starts_well = characters.next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !(starts_well && characters.all(is_plain) && name.len() <= 100) {
        findings.add(
            Diagnostic::error(
                "invalid-name",
                name.span,
                format!("{} cannot name a {kind}", quoted(name)),
            )
            .help("use letters, digits, `-` and `_`, at most 100 of them"),
        );
    } else if kind == "client" && TAKEN.contains(&name.as_str()) {
        findings.add(
            Diagnostic::error(
                "invalid-name",
                name.span,
                format!("{} cannot name a client", quoted(name)),
            )
            .help("assertions use this word; choose another"),
        );
    }
}
