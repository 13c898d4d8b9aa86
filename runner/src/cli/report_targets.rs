use std::collections::HashMap;
use std::path::{Path, PathBuf};

use linerate_reports::{Coloring, Format, Report, Terminal};
use linerate_schema::results::RunResult;

use super::event_log::EventLog;
use super::output_file::{self, Identity};
use super::report_options::{Destination, ReportOptions};
use super::{CommandError, Console};
use crate::display::{Color, Reader};

/// The reports that a command writes: checked for contradictions, not yet for whether they can be written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReportTargets {
    stdout: Vec<Format>,
    files: Vec<(Format, PathBuf)>,
    /// The log that a run writes beside them.
    event_log: Option<PathBuf>,
}

impl ReportTargets {
    /// The reports of `options`. `unasked` goes to standard output when nothing else does.
    pub(super) fn new(
        options: &ReportOptions,
        unasked: Option<Format>,
    ) -> Result<Self, CommandError> {
        let mut targets = Self { stdout: Vec::new(), files: Vec::new(), event_log: None };
        for request in &options.reports {
            match &request.destination {
                Destination::Stdout => targets.stdout.push(request.format),
                Destination::File(path) => targets.files.push((request.format, path.clone())),
            }
        }
        if let Some(folder) = &options.out {
            let named =
                Format::ALL.into_iter().filter_map(|f| Some((f, folder.join(f.file_name()?))));
            targets.files.extend(named);
            targets.event_log = Some(EventLog::path_in(folder));
        }
        targets.refuse_mixed_stdout()?;
        targets.refuse_shared_files()?;
        if targets.stdout.is_empty() {
            targets.stdout.extend(unasked);
        }
        Ok(targets)
    }

    /// Takes care of what is in the place of the reports: refuses to overwrite one of `inputs`, the files that the
    /// command reads, and removes what an earlier command wrote. A command that ends without reports leaves none.
    pub(super) fn clear(&self, inputs: &[PathBuf]) -> Result<(), CommandError> {
        let inputs: Vec<Identity> = inputs.iter().map(|input| Identity::of(input)).collect();
        if let Some(path) = self.paths().find(|path| inputs.contains(&Identity::of(path))) {
            return Err(CommandError::OverwritesInput { path: path.to_owned() });
        }
        let mut outcome = Ok(());
        for path in self.paths() {
            let removed = output_file::remove_earlier(path);
            outcome = outcome.and(removed.map_err(|error| unwritable(path, &error)));
        }
        outcome
    }

    /// Leaves the results out that are in `folder` already, when they are what the reports are made from.
    pub(super) fn keep_results(&mut self, folder: &Path, results: &Path) {
        let own = Format::Json.file_name().map(|name| folder.join(name));
        if own.as_deref().is_some_and(|own| Identity::of(own) == Identity::of(results)) {
            self.files.retain(|(_, path)| Some(path) != own.as_ref());
        }
    }

    /// A command that logs no events.
    pub(super) fn without_event_log(self) -> Self {
        Self { event_log: None, ..self }
    }

    fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(_, path)| path).chain(&self.event_log).map(PathBuf::as_path)
    }

    /// Makes sure that every file can be written, before anything else is done.
    pub(super) fn check_files(&self) -> Result<(), CommandError> {
        for path in self.paths() {
            output_file::check(path).map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }

    /// Writes every report. One that cannot be written does not keep the others from it; the first error is returned.
    pub(super) fn write(&self, run: &RunResult, console: &Console) -> Result<(), CommandError> {
        let mut outcome = Ok(());
        for (format, path) in &self.files {
            let written = render(format.report().as_ref(), run).and_then(|bytes| {
                output_file::write(path, &bytes).map_err(|error| unwritable(path, &error))
            });
            outcome = outcome.and(written);
        }
        for format in &self.stdout {
            let written = match format {
                Format::Terminal => render(&terminal_report(console), run),
                format => render(format.report().as_ref(), run),
            };
            outcome = outcome.and(written.and_then(|bytes| console.print(bytes)));
        }
        outcome
    }

    /// Two documents one after the other are none. What is read line by line may stand beside another.
    fn refuse_mixed_stdout(&self) -> Result<(), CommandError> {
        let document = self.stdout.iter().find(|format| format.file_name().is_some());
        match (document, self.stdout.as_slice()) {
            (Some(document), [_, _, ..]) => Err(CommandError::MixedStdout { document: *document }),
            _ => Ok(()),
        }
    }

    fn refuse_shared_files(&self) -> Result<(), CommandError> {
        let mut seen = HashMap::new();
        for path in self.paths() {
            if let Some(other) = seen.insert(Identity::of(path), path) {
                let (path, other) = (path.to_owned(), other.to_owned());
                return Err(CommandError::SharedFile { path, other });
            }
        }
        Ok(())
    }
}

fn render(report: &dyn Report, run: &RunResult) -> Result<Vec<u8>, CommandError> {
    report.render(run).map_err(|error| CommandError::Render { reason: error.to_string() })
}

fn unwritable(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::Unwritable { path: path.to_owned(), reason: error.to_string() }
}

fn terminal_report(console: &Console) -> Terminal {
    let surface = console.stdout;
    Terminal {
        width: match surface.reader {
            Reader::Terminal => {
                terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
            }
            Reader::Pipe => None,
        },
        coloring: match surface.color {
            Color::Ansi => Coloring::Ansi,
            Color::Plain => Coloring::Plain,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(reports: &[&str], out: Option<&str>) -> Result<ReportTargets, CommandError> {
        let options = ReportOptions {
            reports: reports.iter().map(|text| text.parse().expect("valid")).collect(),
            out: out.map(PathBuf::from),
        };
        ReportTargets::new(&options, Some(Format::Terminal))
    }

    #[test]
    fn the_terminal_report_fills_an_unused_standard_output() {
        assert_eq!(targets(&[], None).expect("fine").stdout, [Format::Terminal]);
        assert_eq!(
            targets(&["junit=x.xml"], Some("out")).expect("fine").stdout,
            [Format::Terminal]
        );
        assert_eq!(targets(&["json"], None).expect("fine").stdout, [Format::Json]);
    }

    #[test]
    fn standard_output_takes_one_document_or_any_number_of_streams() {
        assert!(targets(&["terminal", "github"], None).is_ok());
        for reports in [["json", "csv"], ["terminal", "json"], ["junit", "junit=-"]] {
            let error = targets(&reports, None).expect_err("two documents");
            assert!(matches!(error, CommandError::MixedStdout { .. }), "{error}");
        }
    }

    #[test]
    fn two_reports_into_one_file_are_refused() {
        for (reports, out) in [
            (&["json=a.json", "csv=./a.json"][..], None),
            (&["markdown=out/results.json"], Some("out/")),
            (&["json=out/events.ndjson"], Some("out")),
        ] {
            let error = targets(reports, out).expect_err("one file");
            assert!(matches!(error, CommandError::SharedFile { .. }), "{error}");
        }
    }
}
