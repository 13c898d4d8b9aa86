//! Every example in `scenarios/` passes as it is, its command is the one of the README, and tightening a limit so that
//! it cannot hold makes it fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use linerate_tests::process::{Finished, Running};
use linerate_tests::program;

const LIMIT: Duration = Duration::from_secs(90);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").join("scenarios")
}

fn run(file: &Path) -> Finished {
    Running::start(Command::new(program::path()).arg("run").arg(file)).finish_within(LIMIT)
}

#[test]
fn every_example_passes_as_it_is() {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the scenarios")
        .map(|entry| entry.expect("a folder of ours").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    assert!(files.len() >= 7, "the examples are gone: {files:?}");
    for file in files {
        let finished = run(&file);
        assert_eq!(finished.status.code(), Some(0), "{}: {finished:?}", file.display());
    }
}

#[test]
fn a_limit_that_cannot_hold_fails_with_the_assertion_the_measured_value_and_the_line() {
    let text = std::fs::read_to_string(folder().join("quickstart.yaml")).expect("the quickstart");
    let impossible = text.replace("throughput >= 100 Mbit/s", "throughput >= 900 Tbit/s");
    assert_ne!(text, impossible, "the quickstart has another limit now");
    let line = 1 + impossible.lines().position(|line| line.contains("900 Tbit/s")).expect("there");
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let file = temporary.path().join("quickstart.yaml");
    std::fs::write(&file, impossible).expect("a writable folder");
    let finished = run(&file);
    assert_eq!(finished.status.code(), Some(1), "{finished:?}");
    assert!(finished.stdout.contains("throughput >= 900 Tbit/s"), "{}", finished.stdout);
    assert!(finished.stdout.contains(&format!("quickstart.yaml:{line}")), "{}", finished.stdout);
    assert!(finished.stdout.contains("bit/s, below"), "{}", finished.stdout);
}
