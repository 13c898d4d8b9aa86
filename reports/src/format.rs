use std::fmt;
use std::str::FromStr;

use linerate_schema::results::RunResult;

use crate::csv::{IntervalsCsv, ResultsCsv};
use crate::{Github, Json, Junit, Markdown, RenderError, Report, Terminal};

/// A report format, by the name that a user types in `--report NAME[=FILE]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `json`: the whole result, for programs and for `linerate report` later; see [`Json`].
    Json,
    /// `csv`: one row for each flow and stream, for spreadsheets and data frames; see [`ResultsCsv`].
    Csv,
    /// `intervals`: one row for each interval, as CSV, for plots over time; see [`IntervalsCsv`].
    Intervals,
    /// `junit`: for the test view of GitLab, Jenkins, Azure and the GitHub reporters; see [`Junit`].
    Junit,
    /// `markdown`: for a pull-request comment or a step summary; see [`Markdown`].
    Markdown,
    /// `terminal`: the summary for a person at a terminal; see [`Terminal`].
    Terminal,
    /// `github`: workflow commands that mark the lines of the scenario; see [`Github`].
    Github,
}

impl Format {
    /// Every format, in the order in which help texts list them.
    pub const ALL: [Self; 7] = [
        Self::Json,
        Self::Csv,
        Self::Intervals,
        Self::Junit,
        Self::Markdown,
        Self::Terminal,
        Self::Github,
    ];

    /// The name that a user types.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Intervals => "intervals",
            Self::Junit => "junit",
            Self::Markdown => "markdown",
            Self::Terminal => "terminal",
            Self::Github => "github",
        }
    }

    /// The usual extension of a file of this format, without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv | Self::Intervals => "csv",
            Self::Junit => "xml",
            Self::Markdown => "md",
            Self::Terminal | Self::Github => "txt",
        }
    }

    /// The file that `--out DIR` writes for this format; `None` for the formats that only make sense on a stream.
    #[must_use]
    pub fn file_name(self) -> Option<&'static str> {
        match self {
            Self::Json => Some("results.json"),
            Self::Csv => Some("results.csv"),
            Self::Intervals => Some("intervals.csv"),
            Self::Junit => Some("junit.xml"),
            Self::Markdown => Some("report.md"),
            Self::Terminal | Self::Github => None,
        }
    }

    /// The report with its usual settings: full length, unlimited width, no colour.
    #[must_use]
    pub fn report(self) -> Box<dyn Report> {
        match self {
            Self::Json => Box::new(Json),
            Self::Csv => Box::new(ResultsCsv),
            Self::Intervals => Box::new(IntervalsCsv),
            Self::Junit => Box::new(Junit),
            Self::Markdown => Box::new(Markdown::default()),
            Self::Terminal => Box::new(Terminal::default()),
            Self::Github => Box::new(Github),
        }
    }

    /// Renders `run` with the format's usual settings.
    ///
    /// # Errors
    /// As [`Report::render`].
    pub fn render(self, run: &RunResult) -> Result<Vec<u8>, RenderError> {
        self.report().render(run)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == name)
            .ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

/// A report format that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFormat {
    /// What was asked for.
    pub name: String,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Format::ALL.map(Format::as_str).join(", ");
        write!(f, "unknown report format `{}`: use one of {known}", self.name)
    }
}

impl std::error::Error for UnknownFormat {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_the_name_it_prints() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = "jnuit".parse::<Format>().expect_err("no such format");
        assert_eq!(
            error.to_string(),
            "unknown report format `jnuit`: use one of json, csv, intervals, junit, markdown, terminal, github"
        );
    }

    #[test]
    fn files_of_one_folder_have_distinct_names_that_end_in_the_extension() {
        let named: Vec<_> =
            Format::ALL.into_iter().filter_map(|f| Some((f, f.file_name()?))).collect();
        let distinct: std::collections::HashSet<_> = named.iter().map(|(_, name)| name).collect();
        assert_eq!(distinct.len(), named.len());
        for (format, name) in named {
            assert!(name.ends_with(&format!(".{}", format.extension())), "{name}");
        }
    }
}
