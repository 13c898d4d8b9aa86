use clap::{Args, ValueEnum};

use super::{CommandError, Console, json_text};
use crate::exit_code::ExitCode;

/// Print the JSON Schema of a document
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  linerate schema scenario > scenario.schema.json
  linerate schema results > results.schema.json

An editor completes and checks scenarios with this as their first line:
  # yaml-language-server: $schema=scenario.schema.json")]
pub(super) struct SchemaArguments {
    /// The document
    #[arg(value_enum)]
    document: Document,
}

/// A document with a published format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Document {
    /// What goes in: hosts, servers, tests, assertions
    Scenario,
    /// What comes out: results.json
    Results,
}

pub(super) fn schema(
    arguments: &SchemaArguments,
    console: &Console,
) -> Result<ExitCode, CommandError> {
    let schema = match arguments.document {
        Document::Scenario => linerate_schema::json_schema::scenario_schema(),
        Document::Results => linerate_schema::json_schema::results_schema(),
    };
    console.print(json_text(&schema)?)?;
    Ok(ExitCode::Passed)
}
