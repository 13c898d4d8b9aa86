//! Scenario text → checked [`Scenario`](crate::scenario::Scenario), or every problem of the file.
//!
//! The text becomes a tree, its `vars` a scope for templates, its tests cases: one for each cell of a test's matrix,
//! decoded with the cell's values in scope. Start with [`read_scenario`].

mod assertions;
mod cases;
mod clients;
mod entry;
mod intention;
mod matrix;
mod merge;
mod names;
mod overrides;
mod reader;
mod servers;
mod test;
mod variables;

pub use entry::{Outcome, read_scenario, read_text};
pub use intention::is_meant_as_scenario;
pub use overrides::{Overrides, UNKNOWN_OVERRIDE};
