mod errors;
mod parsing;
mod problems;
mod round_trip;

use super::AssertionError;

/// The text with a caret under the wrong token, the message and the hint.
pub(super) fn picture(text: &str, error: &AssertionError) -> String {
    let before = text[..error.range.start].chars().count();
    let marked = text[error.range.clone()].chars().count().max(1);
    let AssertionError { message, hint, .. } = error;
    format!("{text}\n{}{} {message}\n  hint: {hint}\n", " ".repeat(before), "^".repeat(marked))
}
