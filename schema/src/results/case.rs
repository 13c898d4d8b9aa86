use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AssertionResult, FlowResult, Verdict};

/// A test after matrix expansion, executed once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseResult {
    /// Stable and unique within the run: the test's name and its matrix cell, such as `window sweep [window=64K]`.
    pub id: String,
    /// The test's name, templates expanded.
    pub test: String,
    /// The matrix cell, in the order of the scenario; empty without a matrix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrix: Vec<MatrixValue>,
    /// The test's own description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Tags of the scenario and of the test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Where the test stands in the scenario file.
    pub location: SourceLocation,
    /// Start of the case, RFC 3339, UTC; absent when it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// Wall-clock length of the case, set-up and tear-down included.
    pub duration_seconds: f64,
    /// The worst of its flows and of its assertions of severity `error`.
    pub verdict: Verdict,
    /// Why the case was skipped or could not run as a whole; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The flows, in the order of the scenario.
    pub flows: Vec<FlowResult>,
    /// The assertions, in the order of the scenario.
    pub assertions: Vec<AssertionResult>,
}

/// One dimension of a matrix cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatrixValue {
    /// The variable.
    pub name: String,
    /// Its value in this cell, as text.
    pub value: String,
}

/// A place in a file that the user wrote.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceLocation {
    /// Path of the file as it was given on the command line.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}
