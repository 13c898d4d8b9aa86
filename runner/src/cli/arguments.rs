use clap::{Parser, Subcommand};

use super::{Console, check, completions, plan, report, run, schema};
use crate::display::ColorChoice;
use crate::exit_code::ExitCode;

/// Network performance tests as code.
///
/// Runs the traffic that a scenario describes with an embedded engine that speaks the iperf 2 protocol, judges every
/// limit, writes reports, and exits with a code that a pipeline can trust.
#[derive(Debug, Parser)]
#[command(
    name = "linerate",
    version = super::version::short(),
    long_version = super::version::long(),
    max_term_width = 100,
    after_long_help = super::help::exit_codes_and_examples(),
)]
pub struct Cli {
    /// When to use colors
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        display_order = 900
    )]
    pub(super) color: ColorChoice,

    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Run(run::RunArguments),
    Check(check::CheckArguments),
    Plan(plan::PlanArguments),
    Report(report::ReportArguments),
    Schema(schema::SchemaArguments),
    Completions(completions::CompletionsArguments),
}

impl Cli {
    /// Does what the arguments ask for. An error has been told on standard error when this returns.
    #[must_use]
    pub fn run(&self) -> ExitCode {
        let console = Console::new(self.color);
        let outcome = match &self.command {
            Command::Run(arguments) => run::run(arguments, &console),
            Command::Check(arguments) => check::check(arguments, &console),
            Command::Plan(arguments) => plan::plan(arguments, &console),
            Command::Report(arguments) => report::report(arguments, &console),
            Command::Schema(arguments) => schema::schema(arguments, &console),
            Command::Completions(arguments) => completions::completions(arguments, &console),
        };
        outcome.unwrap_or_else(|error| {
            console.complain(&error);
            error.exit_code()
        })
    }
}
