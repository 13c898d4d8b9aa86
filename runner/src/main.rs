//! The program `linerate`.

use clap::Parser;
use linerate_runner::cli::Cli;
use linerate_runner::exit_code::ExitCode;

fn main() -> std::process::ExitCode {
    let code = match Cli::try_parse() {
        Ok(cli) => cli.run(),
        Err(answer) => {
            // Help and version are answers too. Where nobody listens, nothing can be said.
            let _ = answer.print();
            if answer.use_stderr() { ExitCode::Usage } else { ExitCode::Passed }
        }
    };
    code.into()
}
