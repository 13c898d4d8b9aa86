//! The assertion language.

/// A parsed assertion.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {}
