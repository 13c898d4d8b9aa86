use std::fmt;
use std::ops::{Deref, Range};

/// A part of an assertion together with its bytes in the assertion's text. Equality and display are those of the part.
#[derive(Clone)]
pub struct Located<T> {
    /// The part.
    pub value: T,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

impl<T> Located<T> {
    /// Joins a part with its place.
    pub fn new(value: T, range: Range<usize>) -> Self {
        Self { value, range }
    }
}

impl<T> Deref for Located<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: PartialEq> PartialEq for Located<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Located<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<T: fmt::Display> fmt::Display for Located<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
