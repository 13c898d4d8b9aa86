use linerate_schema::results::RunResult;

use crate::{RenderError, Report};

/// `results.json`: the whole result, unabridged.
///
/// Read by programs (against the published schema), by `linerate report`, `eval` and `baseline`, and by people with
/// `jq`. Indented, so that a reading error can name a line and two runs can be compared by `diff`.
///
/// Strict JSON by construction: the writer has no spelling for NaN or infinities and puts `null` in their place. A
/// value that was not measured is absent, so a `null` only ever stands for a number that was none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json;

impl Report for Json {
    fn render(&self, run: &RunResult) -> Result<Vec<u8>, RenderError> {
        let mut text = serde_json::to_vec_pretty(run)?;
        text.push(b'\n');
        Ok(text)
    }
}
