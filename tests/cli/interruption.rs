use std::time::{Duration, Instant};

use linerate_tests::process::Running;

use crate::bench::{Bench, LIMIT, scenario};

const LONG: &str = "server: {}, time: 60s, interval: 100ms, bitrate: 100 Mbit/s";

/// A run in the middle of its traffic.
fn running(bench: &Bench, arguments: &[&str]) -> Running {
    let mut run = bench.start(arguments);
    // The second interval comes when the first one is over.
    run.wait_for_stderr(LIMIT, |text| text.contains("client  0.2 s"));
    run
}

#[test]
fn an_interrupted_run_reports_what_was_measured_and_ends_with_130() {
    for signal in ["INT", "TERM"] {
        let bench = Bench::with("long.yaml", &scenario(LONG, &["throughput > 1 kbit/s"]));
        let run = running(&bench, &["run", "long.yaml", "-v", "--out", "out"]);
        let sent = Instant::now();
        run.signal(signal);
        let finished = run.finish_within(LIMIT);
        assert!(sent.elapsed() < Duration::from_secs(20), "it waited for its traffic to end");
        assert_eq!(finished.status.code(), Some(130), "{finished:?}");
        assert!(finished.stderr.contains("interrupted: stopping"), "{}", finished.stderr);
        let results: serde_json::Value =
            serde_json::from_str(&bench.text("out/results.json")).expect("JSON");
        assert_eq!(results["interrupted"], true);
        assert_eq!(results["exit_code"], 130);
        let case = &results["cases"][0];
        assert_eq!(case["verdict"], "error", "partial figures never pass");
        assert_eq!(case["flows"][0]["failure"]["kind"], "interrupted");
        let received = case["flows"][0]["receiver"]["transfer_bytes"].as_u64();
        assert!(received.is_some_and(|bytes| bytes > 0), "{case}");
        assert!(bench.text("out/junit.xml").contains("interrupted"));
        assert!(finished.stdout.contains("interrupted"), "{}", finished.stdout);
    }
}

#[test]
fn the_scenarios_after_an_interrupted_one_are_reported_as_skipped() {
    let bench =
        Bench::with("all/1.yaml", &scenario(LONG, &[])).and("all/2.yaml", &scenario(LONG, &[]));
    let run = running(&bench, &["run", "all", "-v", "--report", "json"]);
    let finished = run.interrupt(LIMIT);
    assert_eq!(finished.status.code(), Some(130), "{finished:?}");
    let results: serde_json::Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!(results["cases"][0]["verdict"], "error");
    assert_eq!(results["cases"][1]["verdict"], "skipped");
}

#[test]
fn a_second_signal_leaves_at_once() {
    let bench = Bench::with("long.yaml", &scenario(LONG, &[]));
    let fifo = bench.path("slow");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs");
    assert!(made.success());
    // Nobody reads the pipe: the report waits for a reader, the second signal does not.
    let mut run = running(&bench, &["run", "long.yaml", "-v", "--report", "json=slow"]);
    run.signal("INT");
    run.wait_for_stderr(LIMIT, |text| text.contains("error transfer"));
    run.signal("INT");
    let finished = run.finish_within(LIMIT);
    assert_eq!(finished.status.code(), Some(130), "{finished:?}");
    assert!(finished.stdout.is_empty(), "{}", finished.stdout);
}
