use std::fmt;
use std::ops::Range;

/// What is wrong with an assertion, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssertionError {
    /// The bytes of the assertion's text that are wrong; empty at its end when something is missing.
    pub range: Range<usize>,
    /// What is wrong, in lower case.
    pub message: String,
    /// What to write or to do instead.
    pub hint: String,
}

impl AssertionError {
    pub(super) fn new(
        range: Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { range, message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for AssertionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.hint)
    }
}

impl std::error::Error for AssertionError {}
