//! A folder to run the program in, and transcripts of what it did.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use linerate_tests::process::{Finished, Running};
use linerate_tests::program;
use tempfile::TempDir;

/// Longer than any command of these tests takes, also on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// What is masked in transcripts: everything that was measured, and nothing that was written by the test.
const FILTERS: [(&str, &str); 14] = [
    (r"seed \d+", "seed [seed]"),
    (r"linerate \d+\.\d+\.\d+", "linerate [version]"),
    // Terminal report.
    (r"\((\d+(\.\d+)? (s|ms|us))\)\n", "([time])\n"),
    (r"(?m)^(  flow  [^:\n]+): .*$", "$1: [figures]"),
    (r"(?m)^(        measured): .*$", "$1: [figures]"),
    (r"(?m)^(        measured) .*, required ", "$1 [value], required "),
    (r" was [^,\n]+, (below|above|not) ", " was [value], $1 "),
    (r" was \S+ \S+ \(limit ", " was [value] (limit "),
    (r"there are \d+", "there are [count]"),
    (r"(?m)^(  pass  .*)  \([^)\n]*\d[^)\n]*\)$", "$1  ([value])"),
    (r"; \d+(\.\d+)? (s|ms|us)\n", "; [time]\n"),
    // Progress.
    (
        r"(?m)^(\S pass|\S fail|. error|. inconclusive) (.*) \(\d+\.\d s\)(  .*)?$",
        "$1 $2 ([time])  [figures]",
    ),
    (r"(?m)^        measured .*, limit ", "        measured [value], limit "),
    (r" -p \d{4,5} ", " -p [port] "),
];

/// A folder to run the program in.
#[derive(Debug)]
pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A bench with one file.
    pub(crate) fn with(name: &str, text: &str) -> Self {
        Self::new().and(name, text)
    }

    /// Adds a file, and the folders it needs.
    pub(crate) fn and(self, name: &str, text: &str) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("writable");
        std::fs::write(path, text).expect("writable");
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The content of a file.
    pub(crate) fn text(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The program in this folder, in an environment that does not depend on who runs the tests.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program::path());
        command.current_dir(self.folder()).args(arguments).env_clear().env("LC_ALL", "C.UTF-8");
        command
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        Running::start(&mut self.command(arguments))
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        self.start(arguments).finish_within(LIMIT)
    }
}

/// Exit code, standard output and standard error, for a snapshot.
pub(crate) fn transcript(finished: &Finished) -> String {
    let code = match finished.status.code() {
        Some(code) => code.to_string(),
        None => finished.status.to_string(),
    };
    let Finished { stdout, stderr, .. } = finished;
    format!("exit code: {code}\n----- stdout -----\n{stdout}\n----- stderr -----\n{stderr}")
}

/// Runs `assertions` with everything that was measured masked in snapshots.
pub(crate) fn masked(assertions: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    for (pattern, replacement) in FILTERS {
        settings.add_filter(pattern, replacement);
    }
    settings.bind(assertions);
}

/// A scenario with one flow to a server of its own: `client` are its options, `assertions` the limits.
pub(crate) fn scenario(client: &str, assertions: &[&str]) -> String {
    let list: String =
        assertions.iter().map(|assertion| format!("      - {assertion}\n")).collect();
    let assert = if list.is_empty() { String::new() } else { format!("    assert:\n{list}") };
    format!(
        "linerate: 1\nname: loopback\ntests:\n  - name: transfer\n    client: {{ {client} }}\n{assert}"
    )
}

/// A flow that is over quickly: an inline server on this machine.
pub(crate) const SHORT: &str = "server: {}, time: 200ms";

/// The same over UDP, slow enough that nothing is lost on a busy machine.
pub(crate) const SHORT_UDP: &str =
    "server: {}, transport: udp, bitrate: 200 pps, length: 200, time: 300ms";
