//! What is wrong with a file, as data, and its picture for people.
//!
//! Everything that a user can get wrong becomes a [`Diagnostic`]: a stable code, a place, a sentence and, where one is
//! known, the way out. Rendering is apart, so that tools read the same data as JSON.

mod finding;
mod findings;
mod quote;
mod render;

pub use finding::{Diagnostic, Level, Related};
pub(crate) use findings::Findings;
pub(crate) use quote::quoted;
pub use render::{Coloring, render};
