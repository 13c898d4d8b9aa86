//! Several scenarios at once.

use crate::bench::{Bench, SHORT, masked, scenario, transcript};

fn folder() -> Bench {
    let failing = scenario(SHORT, &["throughput >= 900 Tbit/s"]).replace("loopback", "too much");
    Bench::with("perf/b.yml", &scenario(SHORT, &["throughput > 1 kbit/s"]))
        .and("perf/a.yaml", &failing)
        .and("perf/hosts.yaml", "hosts: { here: {} }\n")
        .and("perf/.hidden.yaml", "not: read")
        .and("perf/notes.txt", "not read")
        .and("perf/deeper/c.yaml", "linerate: not read")
}

#[test]
fn a_broken_scenario_of_a_folder_is_never_left_out() {
    let scenario = scenario(SHORT, &[]);
    for (name, text) in [
        ("typo.yaml", scenario.replace("linerate", "linrate")),
        ("headless.yml", scenario.replace("linerate: 1\n", "")),
        ("cut.yaml", format!("{scenario}  - [\n")),
        ("empty.yaml", String::new()),
        ("LOUD.YAML", scenario.replace("client", "cleint")),
    ] {
        let bench = folder().and(&format!("perf/{name}"), &text);
        for command in ["run", "plan", "check"] {
            let finished = bench.run(&[command, "perf"]);
            assert_eq!(finished.status.code(), Some(2), "{name}: {finished:?}");
            let told = format!("{}{}", finished.stdout, finished.stderr);
            assert!(told.contains(&format!("> perf/{name}")), "{name}: {finished:?}");
            assert!(!finished.stderr.contains("transfer"), "traffic began: {finished:?}");
        }
    }
}

#[test]
fn other_files_of_a_folder_are_named_also_when_a_run_is_quiet() {
    let finished = folder().run(&["run", "perf", "--quiet"]);
    assert!(finished.stdout.is_empty(), "{finished:?}");
    assert_eq!(
        finished.stderr,
        "note: perf/hosts.yaml has neither `linerate` nor `tests`, it is no scenario\n"
    );
}

#[test]
fn a_folder_runs_its_scenarios_in_order_into_one_report() {
    masked(|| insta::assert_snapshot!(transcript(&folder().run(&["run", "perf"]))));
}

#[test]
fn reports_of_a_folder_are_one_document_each() {
    let bench = folder();
    let finished = bench.run(&["run", "perf", "--quiet", "--out", "out"]);
    assert_eq!(finished.status.code(), Some(1), "{finished:?}");
    assert!(finished.stdout.is_empty(), "{finished:?}");
    let results: serde_json::Value =
        serde_json::from_str(&bench.text("out/results.json")).expect("JSON");
    let ids: Vec<_> = results["cases"]
        .as_array()
        .expect("cases")
        .iter()
        .map(|case| {
            (case["id"].as_str().expect("id"), case["location"]["file"].as_str().expect("file"))
        })
        .collect();
    assert_eq!(ids, [("too much: transfer", "perf/a.yaml"), ("loopback: transfer", "perf/b.yml")]);
    assert_eq!(results["scenario"]["name"], "perf");
    assert_eq!(results["counts"]["pass"], 1);
    assert_eq!(results["counts"]["fail"], 1);
    let events = bench.text("out/events.ndjson");
    let scenarios: Vec<String> = events
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .filter(|event| event["event"]["run-started"].is_object())
        .map(|event| event["scenario"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(scenarios, ["perf/a.yaml", "perf/b.yml"]);
}

#[test]
fn a_selection_may_leave_a_whole_scenario_out() {
    let bench = folder().and("perf/d.yaml", &scenario(SHORT, &[]).replace("transfer", "other"));
    let finished = bench.run(&["run", "perf", "--quiet", "--only", "other", "--report", "json"]);
    assert_eq!(finished.status.code(), Some(0), "{finished:?}");
    let results: serde_json::Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!(results["counts"]["pass"], 1);
}

#[test]
fn fail_fast_reaches_across_scenarios() {
    let finished = folder().run(&["run", "perf", "--quiet", "--fail-fast", "--report", "json"]);
    assert_eq!(finished.status.code(), Some(1), "{finished:?}");
    let results: serde_json::Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!(results["cases"][1]["verdict"], "skipped");
}

#[test]
fn a_folder_without_a_scenario_is_an_error_that_says_what_one_is() {
    let bench = Bench::with("perf/hosts.yaml", "hosts: {}");
    insta::assert_snapshot!(transcript(&bench.run(&["run", "perf"])));
}

#[test]
fn a_path_given_twice_runs_once() {
    let bench = Bench::with("a.yaml", &scenario(SHORT, &[]));
    let finished = bench.run(&["plan", "a.yaml", "./a.yaml", ".", "--format", "json"]);
    let plans: serde_json::Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!(plans.as_array().map(Vec::len), Some(1));
}
