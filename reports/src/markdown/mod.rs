//! The report for a pull-request comment or the summary of a CI step.

mod content;
mod escape;
mod page;

pub use page::Markdown;
