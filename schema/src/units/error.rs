use std::fmt;

/// Why a text is not the quantity it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitError {
    message: String,
    hint: String,
}

impl UnitError {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }

    /// What is wrong, in lower case.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to write instead.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.hint)
    }
}

impl std::error::Error for UnitError {}
