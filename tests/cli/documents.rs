//! What `schema` and `plan` print.

use crate::bench::{Bench, SHORT, scenario, transcript};

#[test]
fn results_of_a_run_fit_the_printed_schema() {
    let bench = Bench::with("ok.yaml", &scenario(SHORT, &["throughput > 1 kbit/s"]));
    let schema = bench.run(&["schema", "results"]);
    let schema: serde_json::Value = serde_json::from_str(&schema.stdout).expect("JSON");
    let results = bench.run(&["run", "ok.yaml", "--quiet", "--report", "json"]);
    let results: serde_json::Value = serde_json::from_str(&results.stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let problems: Vec<_> = validator.iter_errors(&results).map(|e| e.to_string()).collect();
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn the_printed_schemas_are_the_published_files() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    for (document, file) in
        [("scenario", "schema/scenario.schema.json"), ("results", "schema/results.schema.json")]
    {
        let printed = Bench::new().run(&["schema", document]).stdout;
        let published = std::fs::read_to_string(root.join(file)).expect("a published schema");
        assert_eq!(printed, published, "{file}");
    }
}

#[test]
fn a_plan_says_who_sends_what_to_whom() {
    let text = "\
linerate: 1
name: plan
hosts:
  here: {}
  router: { external: true, address: 192.0.2.9 }
tests:
  - name: upload
    tags: [slow]
    client: { host: here, server: { host: here }, parallel: 4, time: 1 min }
    assert: [throughput > 1 Mbit/s]
  - name: calls {{ tos }}
    matrix: { tos: [ef, cs0] }
    client:
      { host: here, server: { host: router, port: 5001 }, transport: udp, bitrate: 87 kbit/s, length: 200, tos: \"{{ tos }}\", time: 10s }
";
    let bench = Bench::with("plan.yaml", text);
    insta::assert_snapshot!(transcript(&bench.run(&["plan", "plan.yaml", "--skip-tag", "slow"])));
}
