use std::fmt;

use linerate_schema::results::RunResult;

/// A way to write down a run.
pub trait Report {
    /// The report as bytes, UTF-8, ready to be written to a file or stream.
    ///
    /// # Errors
    /// Only when the library that writes the format refuses; no content of `run` is known to cause that.
    fn render(&self, run: &RunResult) -> Result<Vec<u8>, RenderError>;
}

/// A report could not be written.
#[derive(Debug)]
pub enum RenderError {
    /// The JSON writer refused.
    Json(serde_json::Error),
    /// The CSV writer refused.
    Csv(csv::Error),
    /// The XML writer refused.
    Junit(quick_junit::SerializeError),
    /// The template engine refused.
    Template(minijinja::Error),
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "cannot write the JSON report: {error}"),
            Self::Csv(error) => write!(f, "cannot write the CSV report: {error}"),
            Self::Junit(error) => write!(f, "cannot write the JUnit report: {error}"),
            Self::Template(error) => write!(f, "cannot fill the report template: {error}"),
        }
    }
}

impl std::error::Error for RenderError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Json(error) => Some(error),
            Self::Csv(error) => Some(error),
            Self::Junit(error) => Some(error),
            Self::Template(error) => Some(error),
        }
    }
}

impl From<serde_json::Error> for RenderError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

impl From<csv::Error> for RenderError {
    fn from(error: csv::Error) -> Self {
        Self::Csv(error)
    }
}

impl From<quick_junit::SerializeError> for RenderError {
    fn from(error: quick_junit::SerializeError) -> Self {
        Self::Junit(error)
    }
}

impl From<minijinja::Error> for RenderError {
    fn from(error: minijinja::Error) -> Self {
        Self::Template(error)
    }
}
