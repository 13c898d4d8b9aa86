use crate::bench::{Bench, SHORT, scenario, transcript};

/// One mistake per kind: unknown key, duplicate key, unknown variable, wrong type, unknown server, unknown profile,
/// unit missing, unknown metric, bad unit, out of range, unknown host, TCP option with UDP.
const TWELVE: &str = "\
linerate: 1
name: twelve mistakes
vars: { time: 1s }
servers:
  sink: { transprot: tcp }
tests:
  - name: upload
    client: { server: skin, time: 1s, time: 2s }
    assert: [throughput >= 900]
  - name: download
    client: { server: sink, time: '{{ tiem }}', parallel: many }
    assert: [thruput > 1 Mbit/s]
  - name: calls
    client: { use: call, server: sink, time: 1 parsec }
    assert: [loss < 1%]
  - name: elsewhere
    client: { host: mars, server: sink, ttl: 300 }
  - name: udp
    client: { server: sink, transport: udp, nodelay: true }
";

#[test]
fn twelve_mistakes_in_one_file_are_twelve_diagnostics() {
    let bench = Bench::with("twelve.yaml", TWELVE);
    let finished = bench.run(&["check", "twelve.yaml"]);
    insta::assert_snapshot!(transcript(&finished));
    let json = bench.run(&["check", "twelve.yaml", "--format", "json"]);
    let problems: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let problems = problems.as_array().expect("an array");
    assert_eq!(problems.len(), 12, "{problems:#?}");
    for problem in problems {
        assert_eq!(problem["file"], "twelve.yaml");
        assert!(problem["span"]["line"].as_u64().is_some_and(|line| line > 1), "{problem}");
    }
}

#[test]
fn checking_shows_the_same_as_running_and_sends_nothing() {
    let bench = Bench::with("twelve.yaml", TWELVE);
    let (check, run) = (bench.run(&["check", "twelve.yaml"]), bench.run(&["run", "twelve.yaml"]));
    assert_eq!(check.status.code(), run.status.code());
    assert!(run.stdout.is_empty(), "{run:?}");
    assert!(run.stderr.starts_with(check.stdout.trim_end()), "{run:?}");
}

#[test]
fn checking_a_good_scenario_says_so() {
    let bench = Bench::with("ok.yaml", &scenario(SHORT, &["throughput > 1 kbit/s"]));
    insta::assert_snapshot!(transcript(&bench.run(&["check", "ok.yaml"])));
    assert_eq!(bench.run(&["check", "ok.yaml", "--format", "json"]).stdout, "[]\n");
}

#[test]
fn a_file_that_is_no_scenario_is_told_apart_from_a_broken_one() {
    let bench = Bench::with("list.yaml", "[1, 2]\n")
        .and("empty.yaml", "")
        .and("broken.yaml", "linerate: 1\ntests: [\n")
        .and("later.yaml", "linerate: 99\nname: x\ntests: []\n");
    std::fs::write(bench.path("binary.yaml"), [0xff, 0xfe, 0x00]).expect("writable");
    let files = ["list.yaml", "empty.yaml", "broken.yaml", "later.yaml", "binary.yaml"];
    insta::assert_snapshot!(transcript(&bench.run(&[&["check"], &files[..]].concat())));
}
