use std::fs;
use std::path::PathBuf;

use clap::Args;
use linerate_reports::{Format, parse_results};

use super::report_options::ReportOptions;
use super::report_targets::ReportTargets;
use super::{CommandError, Console};
use crate::exit_code::ExitCode;

/// Render the reports of an earlier run again
///
/// From the results.json of a run (`run --out DIR`, or `run --report json=FILE`). The reports have the same bytes as
/// those that the run itself wrote. Exits with 0 when they could be made, whatever the run's verdict was.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  linerate report results.json
  linerate report results.json --report junit=junit.xml --report markdown")]
pub(super) struct ReportArguments {
    /// The results of a run, as JSON
    #[arg(value_name = "RESULTS")]
    results: PathBuf,

    #[command(flatten)]
    reports: ReportOptions,
}

pub(super) fn report(
    arguments: &ReportArguments,
    console: &Console,
) -> Result<ExitCode, CommandError> {
    let mut targets =
        ReportTargets::new(&arguments.reports, Some(Format::Terminal))?.without_event_log();
    if let Some(folder) = &arguments.reports.out {
        targets.keep_results(folder, &arguments.results);
    }
    targets.clear(std::slice::from_ref(&arguments.results))?;
    let unreadable = |reason: String| CommandError::UnreadableResults {
        path: arguments.results.clone(),
        reason,
    };
    let bytes = fs::read(&arguments.results).map_err(|error| {
        unreadable(format!("{error}; give the results.json that `linerate run --out DIR` wrote"))
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        unreadable("the file is not UTF-8 text; give the results.json of a run".to_owned())
    })?;
    let run = parse_results(&text).map_err(|error| unreadable(error.to_string()))?;
    targets.check_files()?;
    targets.write(&run, console)?;
    Ok(ExitCode::Passed)
}
