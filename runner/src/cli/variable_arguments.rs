use std::path::PathBuf;

use clap::Args;
use linerate_schema::diagnostic::Diagnostic;
use linerate_schema::{Overrides, SourceFile};

/// Values of scenario variables from outside the scenario.
#[derive(Debug, Clone, Args)]
pub(super) struct VariableArguments {
    /// Set a variable of the scenario; repeatable
    ///
    /// The variable must be declared under `vars`; of several scenarios, one must declare it. The value has the
    /// type that it would have unquoted in the file. Precedence: --var, then LINERATE_VAR_NAME, then --vars, then the scenario.
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = parse_assignment)]
    pub(super) var: Vec<(String, String)>,

    /// Set variables from a YAML file of `name: value` pairs; repeatable, later files win
    #[arg(long = "vars", value_name = "FILE")]
    pub(super) vars: Vec<PathBuf>,
}

impl VariableArguments {
    /// The values, those of the environment included, or every problem of the files.
    pub(super) fn overrides(&self) -> Result<Overrides, Vec<(Diagnostic, SourceFile)>> {
        let mut overrides = Overrides::default();
        let mut problems = Vec::new();
        for file in &self.vars {
            if let Err((diagnostics, source)) = overrides.set_from_file(file) {
                problems.extend(diagnostics.into_iter().map(|d| (d, source.clone())));
            }
        }
        // A name or value that is not text cannot be meant for a scenario.
        let text = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        overrides.set_from_environment(text);
        for (name, value) in &self.var {
            overrides.set(name, value, "--var sets");
        }
        if problems.is_empty() { Ok(overrides) } else { Err(problems) }
    }
}

fn parse_assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.to_owned()))
        }
        _ => Err("write NAME=VALUE, for example --var rate=50Mbit/s".to_owned()),
    }
}
