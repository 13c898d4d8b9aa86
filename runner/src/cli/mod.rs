//! The command line: one file for each command, and what they share.
//!
//! Start at [`Cli::run`]. A command reads its arguments, calls the library, prints through the `Console`, and returns
//! an exit code or an error that says what to do next. Parsing an argument may check it, but does nothing.

mod arguments;
mod check;
mod combined;
mod command_error;
mod completions;
mod console;
mod event_log;
mod help;
mod interrupt;
mod loading;
mod output_file;
mod plan;
mod report;
mod report_options;
mod report_targets;
mod run;
mod scenario_files;
mod schema;
mod selection_arguments;
mod session;
mod variable_arguments;
mod version;

pub use arguments::Cli;
pub use command_error::CommandError;
use console::{Console, json_text};
