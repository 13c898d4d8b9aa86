use std::path::PathBuf;

use clap::Args;
use linerate_reports::Format;
use linerate_schema::results::RunResult;

use super::combined::combine;
use super::event_log::EventLog;
use super::loading::Loading;
use super::report_options::ReportOptions;
use super::report_targets::ReportTargets;
use super::scenario_files::{Naming, ScenarioFiles};
use super::selection_arguments::SelectionArguments;
use super::session::Session;
use super::variable_arguments::VariableArguments;
use super::{CommandError, Console};
use crate::display::{Detail, Progress, ProgressStyle};
use crate::execute::{AfterFailure, Settings};
use crate::exit_code::ExitCode;
use crate::plan::{Plan, make_plan};

/// Run scenarios: send their traffic, judge it, write reports
///
/// All scenarios are read and checked before the first of them sends anything. Several scenarios run one after the
/// other and end in one set of reports and one exit code; case names then begin with the name of their scenario.
///
/// Progress and diagnostics go to standard error, reports to standard output or files. SIGINT or SIGTERM ends the
/// traffic and still writes the reports; a second one leaves at once.
#[derive(Debug, Args)]
#[command(after_long_help = super::help::RUN_EXAMPLES)]
pub(super) struct RunArguments {
    /// Scenario file, or folder of scenarios (subfolders are not searched)
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    variables: VariableArguments,

    #[command(flatten)]
    selection: SelectionArguments,

    /// Skip what is left after the first case that fails or cannot be measured
    #[arg(long)]
    fail_fast: bool,

    /// Seed of everything random, to repeat a run; reports show it
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    #[command(flatten)]
    reports: ReportOptions,

    #[command(flatten)]
    progress: ProgressArguments,
}

/// How much a run tells while it goes on.
#[derive(Debug, Args)]
struct ProgressArguments {
    /// Print nothing but errors and the reports that were asked for
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,

    /// Also print each interval of each flow, and the assertions that passed
    #[arg(long, short)]
    verbose: bool,

    /// Print progress as lines that stay, also on a terminal
    #[arg(long)]
    no_progress: bool,
}

impl ProgressArguments {
    fn style(&self) -> ProgressStyle {
        let detail = if self.verbose { Detail::Intervals } else { Detail::Cases };
        match (self.quiet, self.no_progress) {
            (true, _) => ProgressStyle::Silent,
            (false, true) => ProgressStyle::Lines(detail),
            (false, false) => ProgressStyle::Live(detail),
        }
    }
}

impl RunArguments {
    fn settings(&self) -> Settings {
        // Seeds that JavaScript and spreadsheets keep exactly.
        let seed = self.seed.unwrap_or_else(|| u64::from(rand::random::<u32>()));
        let after_failure =
            if self.fail_fast { AfterFailure::Stop } else { AfterFailure::Continue };
        Settings { after_failure, ..Settings::new(seed) }
    }

    /// The name that the results of several scenarios have together.
    fn paths(&self) -> String {
        self.paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    }
}

pub(super) fn run(arguments: &RunArguments, console: &Console) -> Result<ExitCode, CommandError> {
    let unasked = (!arguments.progress.quiet).then_some(Format::Terminal);
    let targets = ReportTargets::new(&arguments.reports, unasked)?;
    let found = ScenarioFiles::find(&arguments.paths);
    targets.clear(&inputs(&found, arguments))?;
    let loading = Loading::read(found?, &arguments.variables);
    loading.tell_left_out(console);
    let naming = loading.naming;
    let plans = select(loading, arguments, console)?;
    if plans.iter().all(|plan| plan.selected().next().is_none()) {
        console.remark(
            "nothing was selected to run; `linerate plan` lists the cases with their names",
        );
    }
    targets.check_files()?;
    let events = arguments.reports.out.as_deref().map(EventLog::create_in).transpose()?;
    let progress = Progress::on_stderr(arguments.progress.style(), console.stderr);
    let mut session = Session::start(arguments.settings(), progress, events)?;
    let runs = session.run_all(plans);
    let result = match naming {
        Naming::OneFile => runs.into_iter().next(),
        Naming::Several => combine(runs, &arguments.paths()),
    };
    // There was a plan, so there is a result.
    let Some(result) = result else { return Ok(ExitCode::NothingSelected) };
    let told = session.finish().and(targets.write(&result, console));
    Ok(conclude(&result, told, console))
}

/// The files that the command reads; the paths themselves when they cannot be searched.
fn inputs(found: &Result<ScenarioFiles, CommandError>, arguments: &RunArguments) -> Vec<PathBuf> {
    let scenarios = match found {
        Ok(found) => found.files.iter().chain(&found.left_out),
        Err(_) => arguments.paths.iter().chain(&[]),
    };
    scenarios.chain(&arguments.variables.vars).cloned().collect()
}

fn select(
    loading: Loading,
    arguments: &RunArguments,
    console: &Console,
) -> Result<Vec<Plan>, CommandError> {
    let selection = arguments.selection.selection();
    let scenarios = loading.usable(console)?;
    let plans: Vec<Plan> =
        scenarios.iter().map(|scenario| make_plan(scenario, &selection)).collect();
    if let Some((first, others)) = plans.split_first() {
        let idle = |pattern: &&String| others.iter().all(|plan| plan.unmatched.contains(pattern));
        for pattern in first.unmatched.iter().filter(idle) {
            console.remark(&format!("note: --only {pattern} matches no case"));
        }
    }
    Ok(plans)
}

/// The exit code of a run. Reports that could not be written turn a pass into "could not run": a pipeline that reads
/// them must not believe in a green run without them.
fn conclude(result: &RunResult, told: Result<(), CommandError>, console: &Console) -> ExitCode {
    let code = ExitCode::of_run(result);
    match told {
        Ok(()) => code,
        Err(error) => {
            console.complain(&error);
            code.or_could_not_run()
        }
    }
}
