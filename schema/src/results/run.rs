use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CaseResult, HostFacts, Verdict};

/// Version of the results format that this crate writes.
pub const RESULTS_VERSION: u32 = 1;

/// Everything a run produced: the content of `results.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunResult {
    /// Version of this format; readers refuse a version they do not know.
    pub results_version: u32,
    /// The program that wrote it.
    pub tool: Tool,
    /// The scenario that was run.
    pub scenario: ScenarioSummary,
    /// Seed of everything random in the run (order, generated keys), to repeat it.
    pub seed: u64,
    /// Start of the run, RFC 3339, UTC.
    pub started_at: String,
    /// Wall-clock length of the run.
    pub duration_seconds: f64,
    /// The worst verdict of the cases; `skipped` when nothing ran.
    pub verdict: Verdict,
    /// The process exit code that follows from the verdicts.
    pub exit_code: u8,
    /// True when the run was interrupted before all cases had run.
    pub interrupted: bool,
    /// Number of cases by verdict.
    pub counts: VerdictCounts,
    /// The hosts that took part.
    pub hosts: Vec<HostFacts>,
    /// The cases, in the order of the plan.
    pub cases: Vec<CaseResult>,
}

/// Name and version of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Name.
    pub name: String,
    /// Version.
    pub version: String,
}

/// What reports say about the scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioSummary {
    /// Its name.
    pub name: String,
    /// Its description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Path of the file as it was given on the command line.
    pub file: String,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// Number of cases by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictCounts {
    /// Cases that passed.
    pub pass: u64,
    /// Cases with a failed assertion.
    pub fail: u64,
    /// Cases that could not be measured.
    pub error: u64,
    /// Cases whose numbers cannot be trusted.
    pub inconclusive: u64,
    /// Cases that did not run.
    pub skipped: u64,
}

impl VerdictCounts {
    /// Counts verdicts.
    #[must_use]
    pub fn of(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            *match verdict {
                Verdict::Pass => &mut counts.pass,
                Verdict::Fail => &mut counts.fail,
                Verdict::Error => &mut counts.error,
                Verdict::Inconclusive => &mut counts.inconclusive,
                Verdict::Skipped => &mut counts.skipped,
            } += 1;
        }
        counts
    }

    /// Number of cases.
    #[must_use]
    pub fn total(self) -> u64 {
        self.pass + self.fail + self.error + self.inconclusive + self.skipped
    }
}
