//! The two documents that linerate publishes: the scenario that goes in and the results that come out.
//!
//! Text becomes a checked [`scenario::Scenario`] here, with the place of every value kept, so that any later finding
//! can point at the user's own line. This crate runs nothing and opens no socket; it reads files and nothing else.

pub mod assertion;
pub mod results;
pub mod scenario;
mod spanned;
mod suggest;
pub mod units;

pub use spanned::{Span, Spanned};
