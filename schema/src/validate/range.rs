use std::fmt;
use std::ops::RangeInclusive;

use crate::Spanned;
use crate::diagnostic::{Diagnostic, Findings};

/// Reports a value outside a range.
pub(super) fn check_range<T: PartialOrd + fmt::Display>(
    key: &str,
    value: Option<&Spanned<T>>,
    range: RangeInclusive<T>,
    findings: &Findings,
) {
    let Some(value) = value.filter(|value| !range.contains(&value.value)) else { return };
    findings.add(out_of_range(key, value, &format!("write {} to {}", range.start(), range.end())));
}

/// The finding about a value outside its range.
pub(super) fn out_of_range<T: fmt::Display>(
    key: &str,
    value: &Spanned<T>,
    help: &str,
) -> Diagnostic {
    let message = format!("`{key}` cannot be {}", value.value);
    Diagnostic::error("out-of-range", value.span, message).help(help)
}
