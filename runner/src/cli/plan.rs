use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::loading::Loading;
use super::scenario_files::ScenarioFiles;
use super::selection_arguments::SelectionArguments;
use super::variable_arguments::VariableArguments;
use super::{CommandError, Console, json_text};
use crate::exit_code::ExitCode;
use crate::plan::{Plan, make_plan};

/// Show who would send what to whom, and for how long; send nothing
///
/// Exits with 5 when the selection leaves nothing to run.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  linerate plan wan.yaml
  linerate plan wan.yaml --var time=1h --only 'upload*'
  linerate plan perf/ --format json | jq '.[].cases[].expected_bytes'")]
pub(super) struct PlanArguments {
    /// Scenario file, or folder of scenarios (subfolders are not searched)
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    variables: VariableArguments,

    #[command(flatten)]
    selection: SelectionArguments,

    /// How to print the plan
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: PlanFormat,
}

/// How plans are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum PlanFormat {
    /// For people
    #[default]
    Text,
    /// For programs: one JSON array, a plan for each scenario
    Json,
}

pub(super) fn plan(arguments: &PlanArguments, console: &Console) -> Result<ExitCode, CommandError> {
    let loading = Loading::read(ScenarioFiles::find(&arguments.paths)?, &arguments.variables);
    loading.tell_left_out(console);
    let selection = arguments.selection.selection();
    let scenarios = loading.usable(console)?;
    let plans: Vec<Plan> =
        scenarios.iter().map(|scenario| make_plan(scenario, &selection)).collect();
    let text = match arguments.format {
        PlanFormat::Text => plans.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        PlanFormat::Json => json_text(&plans)?,
    };
    console.print(text)?;
    if plans.iter().all(|plan| plan.selected().next().is_none()) {
        return Ok(ExitCode::NothingSelected);
    }
    Ok(ExitCode::Passed)
}
