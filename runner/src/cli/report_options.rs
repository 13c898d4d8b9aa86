use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use linerate_reports::Format;

/// Which reports to write, and where.
#[derive(Debug, Clone, Args)]
pub(super) struct ReportOptions {
    /// Write a report to FILE, or to standard output without one; repeatable
    ///
    /// FORMAT is one of json, csv (a row per stream), intervals (a row per interval), junit, markdown, terminal or
    /// github. Without any report on standard output the terminal report is written there. Standard output takes one
    /// document, beside it only terminal and github. A file is replaced as a whole at the end; whether it can be
    /// written is checked at the start.
    #[arg(long = "report", value_name = "FORMAT[=FILE]")]
    pub(super) reports: Vec<ReportRequest>,

    /// Write every report into DIR
    ///
    /// That is results.json, results.csv, intervals.csv, junit.xml and report.md; a run also writes events.ndjson
    /// there, as it goes on. DIR is created if needed.
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

/// A report that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportRequest {
    pub(super) format: Format,
    pub(super) destination: Destination,
}

/// Where a report goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination {
    Stdout,
    File(PathBuf),
}

impl FromStr for ReportRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (format, file) = match text.split_once('=') {
            Some((format, file)) => (format, Some(file)),
            None => (text, None),
        };
        let format =
            format.parse().map_err(|error: linerate_reports::UnknownFormat| error.to_string())?;
        let destination = match file {
            None | Some("-") => Destination::Stdout,
            Some("") => {
                return Err(format!(
                    "no file after `=`: write {format}=FILE, or {format} for standard output"
                ));
            }
            Some(file) => Destination::File(PathBuf::from(file)),
        };
        Ok(Self { format, destination })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_a_format_and_perhaps_a_file() {
        let request = |format, destination| Ok(ReportRequest { format, destination });
        let file = |name: &str| Destination::File(PathBuf::from(name));
        assert_eq!("json".parse(), request(Format::Json, Destination::Stdout));
        assert_eq!("junit=-".parse(), request(Format::Junit, Destination::Stdout));
        assert_eq!("csv=a=b.csv".parse(), request(Format::Csv, file("a=b.csv")));
    }

    #[test]
    fn a_request_that_names_no_format_or_an_empty_file_is_refused() {
        for (text, expected) in [
            ("", "unknown report format ``"),
            ("=x", "unknown report format ``"),
            ("JSON", "unknown report format `JSON`"),
            ("json=", "no file after `=`"),
        ] {
            let error = text.parse::<ReportRequest>().expect_err(text);
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
