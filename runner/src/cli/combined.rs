use linerate_schema::results::{RunResult, ScenarioSummary, Verdict, VerdictCounts};

use crate::exit_code::ExitCode;

/// The results of several scenarios as one, so that every report stays one document.
///
/// The name of its scenario goes in front of each case's id and test name, which keeps them unique: `wan: upload`.
/// Scenarios of the same name are told apart by their file. `None` without any result.
pub(super) fn combine(runs: Vec<RunResult>, paths: &str) -> Option<RunResult> {
    let names: Vec<String> = runs.iter().map(|run| unique_name(run, &runs)).collect();
    let mut runs = runs.into_iter().zip(names);
    let mut whole = runs.next().map(|(run, name)| prefixed(run, &name))?;
    for (run, name) in runs {
        append(&mut whole, prefixed(run, &name));
    }
    whole.scenario = ScenarioSummary {
        name: paths.to_owned(),
        description: None,
        file: paths.to_owned(),
        tags: whole.scenario.tags,
    };
    whole.verdict =
        whole.cases.iter().map(|case| case.verdict).fold(Verdict::Skipped, Verdict::worst);
    whole.counts = VerdictCounts::of(whole.cases.iter().map(|case| case.verdict));
    whole.exit_code = ExitCode::of_run(&whole).as_u8();
    Some(whole)
}

fn unique_name(run: &RunResult, all: &[RunResult]) -> String {
    let name = &run.scenario.name;
    match all.iter().filter(|other| other.scenario.name == *name).count() {
        0 | 1 => name.clone(),
        _ => format!("{name} ({})", run.scenario.file),
    }
}

fn prefixed(mut run: RunResult, name: &str) -> RunResult {
    for case in &mut run.cases {
        case.id = format!("{name}: {}", case.id);
        case.test = format!("{name}: {}", case.test);
    }
    run
}

fn append(whole: &mut RunResult, run: RunResult) {
    whole.duration_seconds += run.duration_seconds;
    whole.interrupted |= run.interrupted;
    whole.cases.extend(run.cases);
    for host in run.hosts {
        if !whole.hosts.contains(&host) {
            whole.hosts.push(host);
        }
    }
    for tag in run.scenario.tags {
        if !whole.scenario.tags.contains(&tag) {
            whole.scenario.tags.push(tag);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(name: &str, file: &str, verdicts: &[&str], interrupted: bool) -> RunResult {
        let cases: Vec<_> = verdicts
            .iter()
            .enumerate()
            .map(|(index, verdict)| {
                json!({
                    "id": format!("case {index}"),
                    "test": format!("case {index}"),
                    "location": { "file": file, "line": 1, "column": 1 },
                    "duration_seconds": 1.0,
                    "verdict": verdict,
                    "flows": [],
                    "assertions": []
                })
            })
            .collect();
        serde_json::from_value(json!({
            "results_version": 1,
            "tool": { "name": "linerate", "version": "0" },
            "scenario": { "name": name, "file": file, "tags": ["all", name] },
            "seed": 1,
            "started_at": "2026-01-02T03:04:05Z",
            "duration_seconds": 2.5,
            "verdict": "pass",
            "exit_code": 0,
            "interrupted": interrupted,
            "counts": { "pass": 0, "fail": 0, "error": 0, "inconclusive": 0, "skipped": 0 },
            "hosts": [{ "name": "local", "kind": "local" }],
            "cases": cases
        }))
        .expect("a valid result")
    }

    fn combined(runs: Vec<RunResult>) -> RunResult {
        combine(runs, "perf").expect("there are results")
    }

    #[test]
    fn cases_of_all_scenarios_follow_each_other_under_their_scenarios_name() {
        let whole = combined(vec![
            run("wan", "perf/wan.yaml", &["pass", "error"], false),
            run("lan", "perf/lan.yaml", &["fail"], false),
        ]);
        let ids: Vec<_> = whole.cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(ids, ["wan: case 0", "wan: case 1", "lan: case 0"]);
        assert_eq!(whole.scenario.name, "perf");
        assert_eq!(whole.scenario.tags, ["all", "wan", "lan"]);
        assert_eq!((whole.verdict, whole.exit_code), (Verdict::Fail, 1));
        assert_eq!((whole.counts.pass, whole.counts.fail, whole.counts.error), (1, 1, 1));
        assert_eq!(whole.duration_seconds, 5.0);
        assert_eq!(whole.hosts.len(), 1);
    }

    #[test]
    fn scenarios_of_the_same_name_are_told_apart_by_their_file() {
        let whole = combined(vec![
            run("wan", "a/wan.yaml", &["pass"], false),
            run("wan", "b/wan.yaml", &["pass"], false),
        ]);
        let ids: Vec<_> = whole.cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(ids, ["wan (a/wan.yaml): case 0", "wan (b/wan.yaml): case 0"]);
    }

    #[test]
    fn an_interruption_of_one_scenario_is_one_of_all() {
        let whole = combined(vec![
            run("wan", "wan.yaml", &["pass"], false),
            run("lan", "lan.yaml", &["error"], true),
        ]);
        assert!(whole.interrupted);
        assert_eq!(whole.exit_code, 130);
    }

    #[test]
    fn a_scenario_without_selected_cases_does_not_spoil_the_others() {
        let whole = combined(vec![
            run("wan", "wan.yaml", &["skipped"], false),
            run("lan", "lan.yaml", &["pass"], false),
        ]);
        assert_eq!((whole.verdict, whole.exit_code), (Verdict::Pass, 0));
    }
}
