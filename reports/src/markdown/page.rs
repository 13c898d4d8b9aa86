use linerate_schema::results::RunResult;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, context};

use super::content::{Row, flow_rows, host_row, icon, problem_row};
use super::escape::{code, prose};
use crate::problem::{Problem, is_problem};
use crate::{RenderError, Report, quantity, totals};

const TEMPLATE: &str = include_str!("../../templates/report.md.jinja");

/// Most rows of measurements that are shown unfolded.
const MAX_OPEN_ROWS: usize = 20;

/// Bytes that the parts which are always there can take: the title and a few long names, each bounded, and headings.
const FIXED_BYTES: usize = 12_000;

/// `report.md`: for a pull-request comment or `$GITHUB_STEP_SUMMARY`, where people read it.
///
/// GitHub-flavoured Markdown: what did not pass comes first, then what each flow measured, those of cases that did
/// not pass first, then the environment. GitLab, Gitea and Azure show it too.
///
/// The page never exceeds [`max_bytes`](Self::max_bytes): rows are left out from the end, measurements before hosts
/// and these before problems, and the page says how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Markdown {
    /// Largest size of the page in bytes; less than 12,000 is taken as that, which is room for the title only.
    pub max_bytes: usize,
}

impl Default for Markdown {
    /// Fits the summary of a GitHub step (1 MiB) with some room for what other tools add to it.
    fn default() -> Self {
        Self { max_bytes: 1_000_000 }
    }
}

impl Report for Markdown {
    fn render(&self, run: &RunResult) -> Result<Vec<u8>, RenderError> {
        let mut room = self.max_bytes.saturating_sub(FIXED_BYTES);
        let problems = Problem::all_of(run);
        let problems = Rows::fitting(problems.iter().map(problem_row), "problem", &mut room);
        let hosts = Rows::fitting(run.hosts.iter().map(host_row), "host", &mut room);
        let (bad, good): (Vec<_>, Vec<_>) =
            run.cases.iter().partition(|case| is_problem(case.verdict));
        let flows = bad.into_iter().chain(good).flat_map(flow_rows);
        let flows = Rows::fitting(flows, "flow", &mut room);
        let details_state = if flows.shown.len() <= MAX_OPEN_ROWS { " open" } else { "" };
        let text = environment()?.render_str(
            TEMPLATE,
            context! {
                icon => icon(run.verdict),
                title => prose(&run.scenario.name),
                verdict => run.verdict.as_str(),
                cases_total => totals::of_cases(run),
                assertions_total => totals::of_assertions(run),
                duration => quantity::seconds(run.duration_seconds),
                interrupted => run.interrupted,
                problems => problems.shown,
                problems_left_out => problems.left_out,
                flows => flows.shown,
                flows_left_out => flows.left_out,
                details_state,
                hosts => hosts.shown,
                hosts_left_out => hosts.left_out,
                tool => prose(&format!("{} {}", run.tool.name, run.tool.version)),
                scenario_file => code(&run.scenario.file),
                seed => run.seed.to_string(),
                started_at => prose(&run.started_at),
            },
        )?;
        Ok(text.into_bytes())
    }
}

/// Cells are escaped where they are made, because what is harmless depends on where a cell stands.
fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    environment.set_syntax(syntax);
    Ok(environment)
}

/// The first rows of a table, as many as there is room for.
struct Rows {
    shown: Vec<Row>,
    /// `12 flows`, when that many did not fit.
    left_out: Option<String>,
}

impl Rows {
    /// Takes the rows that fit, and their size from `room`. After the first that does not fit none is taken.
    fn fitting(rows: impl Iterator<Item = Row>, noun: &str, room: &mut usize) -> Self {
        let mut shown = Vec::new();
        let mut left_out = 0;
        for row in rows {
            if left_out == 0 && row.size() <= *room {
                *room -= row.size();
                shown.push(row);
            } else {
                left_out += 1;
            }
        }
        Self { shown, left_out: (left_out > 0).then(|| quantity::count(left_out, noun)) }
    }
}
