use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, CommandError, Console};
use crate::exit_code::ExitCode;

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  linerate completions bash > ~/.local/share/bash-completion/completions/linerate
  linerate completions zsh > ~/.zfunc/_linerate")]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn completions(
    arguments: &CompletionsArguments,
    console: &Console,
) -> Result<ExitCode, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "linerate", &mut script);
    console.print(script)?;
    Ok(ExitCode::Passed)
}
