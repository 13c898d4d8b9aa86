//! The program `linerate`.

use std::process::ExitCode;

use clap::Parser;
use linerate_runner::cli::Cli;

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => ExitCode::from(cli.run().as_u8()),
        Err(answer) => {
            // Help and version are answers too. Where nobody listens, nothing can be said.
            let _ = answer.print();
            ExitCode::from(if answer.use_stderr() { 2 } else { 0 })
        }
    }
}
