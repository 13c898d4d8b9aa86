use std::path::PathBuf;

use linerate_schema::diagnostic::{Coloring, Diagnostic, Level, render};
use linerate_schema::scenario::Scenario;
use linerate_schema::{SourceFile, UNKNOWN_OVERRIDE, read_scenario};

use super::scenario_files::{Naming, ScenarioFiles};
use super::variable_arguments::VariableArguments;
use super::{CommandError, Console};
use crate::display::{Color, Surface};
use crate::plan::{Selection, make_plan};

/// What reading the scenarios of a command line came to.
#[derive(Debug, Default)]
pub(super) struct Loading {
    /// The scenarios without mistakes.
    pub(super) scenarios: Vec<Scenario>,
    /// Every problem of every file, with the text that it points into.
    pub(super) problems: Vec<(Diagnostic, SourceFile)>,
    /// How the command line names the scenarios.
    pub(super) naming: Naming,
    /// YAML files of folders that are no scenarios.
    left_out: Vec<PathBuf>,
}

impl Loading {
    /// Reads and checks every scenario, and with each flow whether the engine can do what it asks for.
    pub(super) fn read(found: ScenarioFiles, variables: &VariableArguments) -> Self {
        let mut loading =
            Self { naming: found.naming, left_out: found.left_out, ..Self::default() };
        let mut overrides = match variables.overrides() {
            Ok(overrides) => overrides,
            Err(problems) => {
                loading.problems = problems;
                return loading;
            }
        };
        if found.files.len() > 1 {
            overrides.tolerate_unknown();
        }
        for file in &found.files {
            let outcome = read_scenario(file, &overrides);
            let source = outcome.source;
            loading.problems.extend(outcome.diagnostics.into_iter().map(|d| (d, source.clone())));
            if let Some(scenario) = outcome.scenario {
                let impossible = impossible_flows(&scenario);
                loading.problems.extend(impossible.into_iter().map(|d| (d, source.clone())));
                loading.scenarios.push(scenario);
            }
        }
        loading.refuse_idle_overrides(found.files.len());
        loading
    }

    /// Tells which files of the folders are no scenarios, lest one is missed for a typing error.
    pub(super) fn tell_left_out(&self, console: &Console) {
        for file in &self.left_out {
            console.remark(&format!(
                "note: {} has neither `linerate` nor `tests`, it is no scenario",
                file.display()
            ));
        }
    }

    /// Of several scenarios, one must have the variable that is set; the others need not.
    fn refuse_idle_overrides(&mut self, files: usize) {
        let mut unknown = Vec::new();
        self.problems.retain(|(problem, _)| {
            let tolerated = problem.code == UNKNOWN_OVERRIDE && problem.level == Level::Warning;
            if tolerated {
                unknown.push(problem.clone());
            }
            !tolerated
        });
        for (index, problem) in unknown.iter().enumerate() {
            let same = |other: &&Diagnostic| other.message == problem.message;
            let is_first = !unknown[..index].iter().any(|other| same(&other));
            if is_first && unknown.iter().filter(same).count() == files {
                let refused = Diagnostic { level: Level::Error, ..problem.clone() };
                self.problems.push((refused, SourceFile::default()));
            }
        }
    }

    /// The scenarios, when all of them can be used. Otherwise every problem is shown on standard error.
    pub(super) fn usable(self, console: &Console) -> Result<Vec<Scenario>, CommandError> {
        if !self.problems.is_empty() {
            console.remark(&self.picture(console.stderr));
        }
        match self.errors() {
            0 => Ok(self.scenarios),
            errors => Err(CommandError::Invalid { errors }),
        }
    }

    /// Number of problems that keep a scenario from being used.
    pub(super) fn errors(&self) -> usize {
        self.problems.iter().filter(|(problem, _)| problem.level == Level::Error).count()
    }

    /// The problems with their source lines, an empty line between each two.
    pub(super) fn picture(&self, surface: Surface) -> String {
        let coloring = match surface.color {
            Color::Ansi => Coloring::Colored,
            Color::Plain => Coloring::Plain,
        };
        let pictures = self.problems.iter().map(|(problem, source)| {
            let mut picture = render(problem, source, coloring);
            picture.push('\n');
            picture
        });
        pictures.collect::<Vec<_>>().join("\n")
    }
}

/// Flows whose options contradict each other in a way that only shows when all of them are put together.
fn impossible_flows(scenario: &Scenario) -> Vec<Diagnostic> {
    let plan = make_plan(scenario, &Selection::default());
    let mut problems: Vec<Diagnostic> = Vec::new();
    for case in plan.cases {
        for (planned, flow) in case.flows.iter().zip(&case.case.flows) {
            let Some(problem) = &planned.problem else { continue };
            let diagnostic = Diagnostic {
                code: "impossible-flow",
                level: Level::Error,
                file: scenario.file.clone(),
                span: Some(flow.span).filter(|span| span.line > 0),
                message: format!("flow `{}` cannot run: {problem}", planned.name),
                help: None,
                related: Vec::new(),
            };
            // Every cell of a matrix has the same mistake at the same place.
            if !problems.contains(&diagnostic) {
                problems.push(diagnostic);
            }
        }
    }
    problems
}
