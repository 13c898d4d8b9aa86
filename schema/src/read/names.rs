use crate::Spanned;
use crate::diagnostic::{Diagnostic, Findings, quoted};
use crate::template::is_variable_name;

/// Words that an assertion reads as something else than the name of a flow.
const TAKEN: [&str; 8] =
    ["sender", "receiver", "received", "forward", "reverse", "found", "baseline", "between"];

/// Reports a name under `hosts`, `servers`, `profiles` or `clients` that cannot be used.
pub(super) fn check_name(kind: &str, name: &Spanned<String>, findings: &Findings) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let help = if name.is_empty() || name.len() > 100 || !name.chars().all(is_plain) {
        "use a to z, A to Z, digits, `-` and `_`, at most 100 of them"
    } else if name.starts_with('-') {
        "start with a letter or a digit"
    } else if kind == "client" && name.starts_with(|c: char| c.is_ascii_digit()) {
        "start with a letter, so that assertions can tell it from a number"
    } else if kind == "client" && TAKEN.contains(&name.as_str()) {
        "assertions use this word; choose another"
    } else {
        return;
    };
    let message = format!("{} cannot name a {kind}", quoted(name));
    findings.add(Diagnostic::error("invalid-name", name.span, message).help(help));
}

/// Whether a name can be that of a variable; it is reported when it cannot.
pub(super) fn check_variable_name(name: &Spanned<String>, findings: &Findings) -> bool {
    let is_usable = is_variable_name(name);
    if !is_usable {
        let message = format!("{} cannot name a variable", quoted(name));
        let finding = Diagnostic::error("invalid-name", name.span, message);
        findings.add(finding.help(
            "use a to z, A to Z, digits and `_`, not first a digit, and no word of the template language",
        ));
    }
    is_usable
}
