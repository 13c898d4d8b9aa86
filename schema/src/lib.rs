//! The two documents that linerate publishes: the scenario that goes in and the results that come out.
//!
//! Text becomes a checked [`scenario::Scenario`] here, with the place of every value kept, so that any later finding
//! can point at the user's own line. This crate runs nothing and opens no socket; it reads files and nothing else.

pub mod assertion;
mod decode;
pub mod diagnostic;
mod document;
pub mod json_schema;
mod read;
pub mod results;
pub mod scenario;
mod source_file;
mod spanned;
mod suggest;
mod template;
pub mod units;
mod validate;

pub use read::{
    Outcome, Overrides, UNKNOWN_OVERRIDE, is_meant_as_scenario, read_scenario, read_text,
};
pub use source_file::{MAX_FILE_BYTES, SourceFile};
pub use spanned::{Span, Spanned};
