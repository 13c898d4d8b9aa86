use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use linerate_schema::results::{CaseResult, Measurement};
use linerate_schema::scenario::Way;
use serde::Serialize;

use super::CommandError;
use crate::event::{RunEvent, RunEventKind};

/// `events.ndjson`: one JSON object for each event of a run, written as it happens.
///
/// Unlike the reports it grows during the run, so that it can be followed, and what happened before a power cut is
/// there.
#[derive(Debug)]
pub(super) struct EventLog {
    path: PathBuf,
    file: File,
    /// The first error; nothing is written after it.
    failure: Option<io::Error>,
}

impl EventLog {
    /// Starts an empty log in a folder that exists.
    pub(super) fn create_in(folder: &Path) -> Result<Self, CommandError> {
        Self::create(Self::path_in(folder))
    }

    /// The file of the log in `folder`.
    pub(super) fn path_in(folder: &Path) -> PathBuf {
        folder.join("events.ndjson")
    }

    fn create(path: PathBuf) -> Result<Self, CommandError> {
        match File::create(&path) {
            Ok(file) => Ok(Self { path, file, failure: None }),
            Err(error) => Err(CommandError::Unwritable { path, reason: error.to_string() }),
        }
    }

    /// Writes an event of the scenario in `file`. `offset` is the time from the start of the command to the start of
    /// the scenario.
    pub(super) fn write(&mut self, file: &str, offset: Duration, event: &RunEvent) {
        if self.failure.is_none() {
            self.failure = self.try_write(file, offset, event).err();
        }
    }

    fn try_write(&mut self, file: &str, offset: Duration, event: &RunEvent) -> io::Result<()> {
        let entry = Entry {
            elapsed_seconds: (offset + event.elapsed).as_secs_f64(),
            scenario: file,
            event: EntryKind::of(&event.kind),
        };
        let mut line = serde_json::to_vec(&entry)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }

    /// Ends the log.
    ///
    /// # Errors
    /// When an event could not be written.
    pub(super) fn finish(self) -> Result<(), CommandError> {
        match self.failure {
            None => Ok(()),
            Some(error) => {
                Err(CommandError::Unwritable { path: self.path, reason: error.to_string() })
            }
        }
    }
}

/// A line of the log.
#[derive(Serialize)]
struct Entry<'a> {
    elapsed_seconds: f64,
    scenario: &'a str,
    event: EntryKind<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum EntryKind<'a> {
    RunStarted {
        cases: usize,
        expected_seconds: Option<f64>,
    },
    CaseStarted {
        index: usize,
        id: &'a str,
        expected_seconds: Option<f64>,
    },
    FlowStarted {
        case: usize,
        flow: &'a str,
    },
    Interval {
        case: usize,
        flow: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        way: Option<&'static str>,
        end_seconds: f64,
        measurement: &'a Measurement,
    },
    CaseFinished {
        index: usize,
        result: &'a CaseResult,
    },
    /// The whole result is in `results.json`.
    RunFinished {
        verdict: &'a str,
        exit_code: u8,
    },
}

impl<'a> EntryKind<'a> {
    fn of(kind: &'a RunEventKind) -> Self {
        let seconds = |span: &Option<Duration>| span.map(|span| span.as_secs_f64());
        match kind {
            RunEventKind::RunStarted { cases, expected } => {
                Self::RunStarted { cases: *cases, expected_seconds: seconds(expected) }
            }
            RunEventKind::CaseStarted { index, id, expected } => {
                Self::CaseStarted { index: *index, id, expected_seconds: seconds(expected) }
            }
            RunEventKind::FlowStarted { case, flow } => Self::FlowStarted { case: *case, flow },
            RunEventKind::Interval { case, flow, way, end, measurement } => Self::Interval {
                case: *case,
                flow,
                way: way.map(Way::as_str),
                end_seconds: end.as_secs_f64(),
                measurement,
            },
            RunEventKind::CaseFinished { index, result } => {
                Self::CaseFinished { index: *index, result }
            }
            RunEventKind::RunFinished { result } => {
                Self::RunFinished { verdict: result.verdict.as_str(), exit_code: result.exit_code }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_is_a_line_of_json_on_the_clock_of_the_command() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut log = EventLog::create_in(folder.path()).expect("writable");
        let kinds = [
            RunEventKind::RunStarted { cases: 1, expected: None },
            RunEventKind::FlowStarted { case: 0, flow: "bulk \"\n\"".to_owned() },
            RunEventKind::Interval {
                case: 0,
                flow: "bulk".to_owned(),
                way: None,
                end: Duration::from_secs(1),
                measurement: Measurement { transfer_bytes: 7, ..Measurement::default() },
            },
        ];
        for kind in kinds {
            let event = RunEvent { elapsed: Duration::from_millis(1500), kind };
            log.write("wan.yaml", Duration::from_secs(2), &event);
        }
        log.finish().expect("everything was written");
        let text = std::fs::read_to_string(folder.path().join("events.ndjson")).expect("readable");
        insta::assert_snapshot!(text, @r##"
        {"elapsed_seconds":3.5,"scenario":"wan.yaml","event":{"run-started":{"cases":1,"expected_seconds":null}}}
        {"elapsed_seconds":3.5,"scenario":"wan.yaml","event":{"flow-started":{"case":0,"flow":"bulk \"\n\""}}}
        {"elapsed_seconds":3.5,"scenario":"wan.yaml","event":{"interval":{"case":0,"flow":"bulk","end_seconds":1.0,"measurement":{"duration_seconds":0.0,"transfer_bytes":7,"throughput_bits_per_second":0.0}}}}
        "##);
    }

    #[test]
    fn a_full_disk_is_told_at_the_end() {
        let mut log = EventLog::create(PathBuf::from("/dev/full")).expect("a device");
        let kind = RunEventKind::RunStarted { cases: 1, expected: None };
        let event = RunEvent { elapsed: Duration::ZERO, kind };
        log.write("wan.yaml", Duration::ZERO, &event);
        log.write("wan.yaml", Duration::ZERO, &event);
        let error = log.finish().expect_err("nothing fits on a full device");
        assert!(error.to_string().contains("No space left"), "{error}");
    }
}
