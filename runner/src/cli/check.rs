use std::path::PathBuf;

use clap::{Args, ValueEnum};
use linerate_reports::quantity;
use linerate_schema::diagnostic::Diagnostic;

use super::loading::Loading;
use super::scenario_files::ScenarioFiles;
use super::variable_arguments::VariableArguments;
use super::{CommandError, Console, json_text};
use crate::exit_code::ExitCode;

/// Report every mistake of scenarios; send nothing
///
/// Reads each scenario as `run` would, variables and matrices included, and prints all problems with their lines.
/// Exits with 0 when every scenario can be used and with 2 when one cannot.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  linerate check wan.yaml
  linerate check perf/ --format json | jq '.[].message'")]
pub(super) struct CheckArguments {
    /// Scenario file, or folder of scenarios (subfolders are not searched)
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    variables: VariableArguments,

    /// How to print what was found
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: CheckFormat,
}

/// How problems are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// For people: each problem with its source line
    #[default]
    Text,
    /// For programs: one JSON array of problems
    Json,
}

pub(super) fn check(
    arguments: &CheckArguments,
    console: &Console,
) -> Result<ExitCode, CommandError> {
    let loading = Loading::read(ScenarioFiles::find(&arguments.paths)?, &arguments.variables);
    loading.tell_left_out(console);
    let text = match arguments.format {
        CheckFormat::Text => text(&loading, console),
        CheckFormat::Json => json(&loading)?,
    };
    console.print(text)?;
    match loading.errors() {
        0 => Ok(ExitCode::Passed),
        errors => Err(CommandError::Invalid { errors }),
    }
}

/// The problems, then a line for each scenario that can be used.
fn text(loading: &Loading, console: &Console) -> String {
    let mut text = loading.picture(console.stdout);
    if !text.is_empty() && !loading.scenarios.is_empty() {
        text.push('\n');
    }
    for scenario in &loading.scenarios {
        let cases =
            quantity::count(u64::try_from(scenario.cases.len()).unwrap_or(u64::MAX), "case");
        text.push_str(&format!("{}: ok, {cases}\n", scenario.file));
    }
    text
}

fn json(loading: &Loading) -> Result<String, CommandError> {
    let problems: Vec<&Diagnostic> = loading.problems.iter().map(|(problem, _)| problem).collect();
    json_text(&problems)
}
