use crate::bench::{Bench, transcript};

const SCENARIO: &str = "\
linerate: 1
name: variables
vars: { time: 1s, parallel: 1, name: default }
tests:
  - name: \"{{ name }}\"
    client: { server: {}, time: \"{{ time }}\", parallel: \"{{ parallel }}\" }
";

/// Name, time and number of streams of the planned flow.
fn planned(command: &mut std::process::Command) -> (String, f64, u64) {
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    let plans: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let case = &plans[0]["cases"][0];
    (
        case["id"].as_str().expect("an id").to_owned(),
        case["flows"][0]["expected_seconds"].as_f64().expect("a time"),
        case["flows"][0]["streams"].as_u64().expect("streams"),
    )
}

#[test]
fn the_command_line_wins_over_the_environment_over_files_over_the_scenario() {
    let bench = Bench::with("v.yaml", SCENARIO)
        .and("first.yaml", "time: 2s\nparallel: 2\nname: first\n")
        .and("second.yaml", "time: 3s\n");
    let plan = ["plan", "v.yaml", "--format", "json"];
    assert_eq!(planned(&mut bench.command(&plan)), ("default".to_owned(), 1.0, 1));
    let files = [&plan[..], &["--vars", "first.yaml", "--vars", "second.yaml"]].concat();
    assert_eq!(planned(&mut bench.command(&files)), ("first".to_owned(), 3.0, 2));
    let mut with_environment = bench.command(&files);
    with_environment.env("LINERATE_VAR_parallel", "4");
    assert_eq!(planned(&mut with_environment), ("first".to_owned(), 3.0, 4));
    let all = [&files[..], &["--var", "parallel=8", "--var", "name=a=b"]].concat();
    let mut with_all = bench.command(&all);
    with_all.env("LINERATE_VAR_parallel", "4");
    assert_eq!(planned(&mut with_all), ("a=b".to_owned(), 3.0, 8));
}

#[test]
fn a_variable_that_the_scenario_does_not_have_is_refused_with_a_suggestion() {
    let bench = Bench::with("v.yaml", SCENARIO);
    insta::assert_snapshot!(transcript(&bench.run(&["run", "v.yaml", "--var", "tiem=5s"])));
}

#[test]
fn of_several_scenarios_one_must_have_the_variable() {
    let other =
        "linerate: 1\nname: other\ntests: [{ name: t, client: { server: {}, time: 1s } }]\n";
    let bench = Bench::with("v.yaml", SCENARIO).and("w.yaml", other);
    let finished = bench.run(&["plan", "v.yaml", "w.yaml", "--var", "time=5s"]);
    assert_eq!(finished.status.code(), Some(0), "{finished:?}");
    let finished = bench.run(&["plan", "v.yaml", "w.yaml", "--var", "tiem=5s"]);
    insta::assert_snapshot!(transcript(&finished));
}

#[test]
fn a_variable_file_with_a_mistake_is_shown_like_a_scenario() {
    let bench = Bench::with("v.yaml", SCENARIO).and("bad.yaml", "time: [1s\n");
    let arguments = ["run", "v.yaml", "--vars", "bad.yaml", "--vars", "missing.yaml"];
    insta::assert_snapshot!(transcript(&bench.run(&arguments)));
}
