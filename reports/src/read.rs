use std::fmt;

use linerate_schema::results::{RESULTS_VERSION, RunResult};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Reads the text of a `results.json`.
///
/// # Errors
/// When the text is not JSON, is another document, has a version that this program does not know, or does not fit the
/// format. Positions are lines and columns in `text`, from 1.
pub fn parse_results(text: &str) -> Result<RunResult, ReadResultsError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str::<IgnoredAny>(text)
        .map_err(|error| ReadResultsError::from_syntax(&error))?;
    let header: Header = serde_json::from_str(text).map_err(|_| ReadResultsError::NotResults)?;
    let version = header.results_version.ok_or(ReadResultsError::NotResults)?;
    if version.as_u64() != Some(u64::from(RESULTS_VERSION)) {
        return Err(ReadResultsError::UnknownVersion { found: version.to_string() });
    }
    serde_json::from_str(text).map_err(|error| ReadResultsError::from_content(&error))
}

/// What must be known before the rest may be interpreted.
#[derive(Deserialize)]
struct Header {
    results_version: Option<serde_json::Value>,
}

/// A text is not a result that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadResultsError {
    /// Not JSON, or cut off.
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// JSON, but not a results document.
    NotResults,
    /// A results document of another version.
    UnknownVersion {
        /// The version as it stands in the document.
        found: String,
    },
    /// A results document of the right version whose content does not fit.
    Content {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
}

impl ReadResultsError {
    fn from_syntax(error: &serde_json::Error) -> Self {
        Self::Syntax {
            line: error.line(),
            column: error.column(),
            message: without_position(error),
        }
    }

    fn from_content(error: &serde_json::Error) -> Self {
        Self::Content {
            line: error.line(),
            column: error.column(),
            message: without_position(error),
        }
    }
}

/// The message of `error` without the position that its `Display` appends.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&position).unwrap_or(&text).to_owned()
}

impl fmt::Display for ReadResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, message } => {
                write!(f, "not valid JSON at line {line}, column {column}: {message}; is the file complete?")
            }
            Self::NotResults => f.write_str(
                "not a linerate results document (no `results_version`); give the results.json of a run",
            ),
            Self::UnknownVersion { found } => write!(
                f,
                "results version {found} is unknown to this program, which reads version {RESULTS_VERSION}; \
                 use the linerate that wrote the file, or a newer one"
            ),
            Self::Content { line, column, message } => write!(
                f,
                "not a valid results document at line {line}, column {column}: {message}; \
                 was the file edited, or written by a newer linerate?"
            ),
        }
    }
}

impl std::error::Error for ReadResultsError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        parse_results(text).expect_err("must be refused").to_string()
    }

    #[test]
    fn a_cut_off_file_is_a_syntax_error_with_its_position() {
        assert_eq!(
            message("{\n  \"results_version\": 1,\n  \"tool\": {"),
            "not valid JSON at line 3, column 11: EOF while parsing an object; is the file complete?"
        );
        assert!(matches!(parse_results(""), Err(ReadResultsError::Syntax { line: 1, .. })));
    }

    #[test]
    fn numbers_that_json_does_not_have_are_syntax_errors() {
        assert!(matches!(
            parse_results("{\"results_version\": 1, \"seed\": NaN}"),
            Err(ReadResultsError::Syntax { .. })
        ));
    }

    #[test]
    fn another_document_is_told_apart_from_a_broken_one() {
        for text in [
            "{}",
            "[1, 2]",
            "\"text\"",
            "{\"results_version\": null}",
            "{\"start\": {\"version\": 1}}",
        ] {
            assert_eq!(parse_results(text), Err(ReadResultsError::NotResults), "{text}");
        }
    }

    #[test]
    fn an_unknown_version_is_named_even_when_the_rest_is_strange() {
        assert_eq!(
            message("{\"results_version\": 7, \"whatever\": []}"),
            "results version 7 is unknown to this program, which reads version 1; \
             use the linerate that wrote the file, or a newer one"
        );
        assert!(matches!(
            parse_results("{\"results_version\": \"1\"}"),
            Err(ReadResultsError::UnknownVersion { .. })
        ));
    }

    #[test]
    fn content_that_does_not_fit_is_reported_at_its_place() {
        let error = parse_results("{\n\"results_version\": 1,\n\"tool\": 5\n}")
            .expect_err("tool is a number");
        let ReadResultsError::Content { line, message, .. } = error else { panic!("{error:?}") };
        assert_eq!(line, 3);
        assert!(message.contains("expected struct Tool"), "{message}");
    }
}
