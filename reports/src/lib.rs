//! Renders a finished run for the people and programs that read it.
//!
//! Every report is a pure function from a [`RunResult`](linerate_schema::results::RunResult) to bytes: nothing here
//! runs traffic, reads a clock, opens a file or prints. The same result gives the same bytes, so a report can be made
//! again from `results.json` ([`parse_results`]) long after the run.
//!
//! Start at [`Format`], the list of formats, and [`Report`], what a format must do. A new format is one file with a
//! type that implements [`Report`], and one variant of [`Format`].
//!
//! Names in a result come from a scenario and from peers and may hold anything: markup, quotes, control characters.
//! Each format escapes them for its reader; none of them lets a name change the structure of the report.

mod comparison;
pub mod csv;
mod flow_figures;
mod format;
mod github;
mod json;
mod junit;
mod markdown;
mod plain_text;
mod problem;
pub mod quantity;
mod read;
mod report;
mod terminal;
mod totals;

pub use format::{Format, UnknownFormat};
pub use github::Github;
pub use json::Json;
pub use junit::Junit;
pub use markdown::Markdown;
pub use read::{ReadResultsError, parse_results};
pub use report::{RenderError, Report};
pub use terminal::{Coloring, Terminal};
