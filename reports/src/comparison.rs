use linerate_schema::results::{AssertionResult, Comparison};

use crate::plain_text::single_line;
use crate::quantity;

/// `upload stream 2: measured 38.2 Mbit/s, required >= 40 Mbit/s, 12 samples`, on one line.
pub(crate) fn describe(comparison: &Comparison) -> String {
    let scope = single_line(&comparison.scope);
    let separator = if scope.is_empty() { "" } else { ": " };
    let samples = comparison
        .samples
        .map(|n| format!(", {}", quantity::count(n, "sample")))
        .unwrap_or_default();
    format!(
        "{scope}{separator}measured {}, required {}{samples}",
        single_line(&comparison.measured_text),
        single_line(&comparison.limit_text)
    )
}

/// What the assertion's message leaves out of its only comparison: nothing, or the number of samples.
///
/// `None` when there are several comparisons, or the message does not tell value and limit. An operator that it puts
/// in words (`below the limit of 40 Mbit/s`) is told.
pub(crate) fn left_out_by_message(assertion: &AssertionResult) -> Option<Vec<String>> {
    let [only] = assertion.comparisons.as_slice() else { return None };
    let tells = |text: &str| assertion.message.contains(text);
    let bound = only.limit_text.trim_start_matches(['<', '>', '=', '!', ' ']);
    if !tells(&only.measured_text) || !tells(bound) {
        return None;
    }
    let samples = only.samples.filter(|samples| !tells(&samples.to_string()));
    Some(samples.map(|samples| quantity::count(samples, "sample")).into_iter().collect())
}
