use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SourceLocation, Verdict};

/// One assertion of one case, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssertionResult {
    /// The assertion as written in the scenario, after templates were expanded.
    pub text: String,
    /// Why the author wants this limit, from `because`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Whether a failure fails the run.
    pub severity: Severity,
    /// The verdict.
    pub verdict: Verdict,
    /// One sentence for the reader: what was measured against what, or why it could not be judged and what to do.
    pub message: String,
    /// The comparisons that were made; one, or one for each stream, flow or interval with `for each`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<Comparison>,
    /// Where the assertion stands in the scenario file.
    pub location: SourceLocation,
}

/// One measured value against its limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// What was compared, such as `upload`, `upload stream 2` or `upload 3.00-4.00 s`; empty when there is only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The verdict of this comparison.
    pub verdict: Verdict,
    /// The measured value in the metric's SI unit (bit/s, bytes, seconds, ratio for percentages); absent when there was no data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// The measured value as shown to people, such as `42.1 Mbit/s`.
    pub measured_text: String,
    /// The limit in the metric's SI unit, when it is a single number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// The operator and the limit as shown to people, such as `>= 40 Mbit/s`.
    pub limit_text: String,
    /// Number of samples behind the measured value, where it is a statistic over samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
}

/// What a failed assertion does to the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Fails the case and the run.
    #[default]
    Error,
    /// Is reported, and changes neither the case's verdict nor the exit code.
    Warn,
}
