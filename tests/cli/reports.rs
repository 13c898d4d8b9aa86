use std::process::{Command, Stdio};

use crate::bench::{Bench, SHORT, SHORT_UDP, scenario};

/// Two cases, one of them failing, with names that need escaping.
fn bench() -> Bench {
    let text = scenario(SHORT, &["throughput >= 900 Tbit/s"])
        .replace("loopback", "\"a <b> & 'c' \\\"d\\\", e\"")
        + &format!(
            "  - name: \"udp, <quick>\"\n    client: {{ {SHORT_UDP}, interval: 100ms }}\n    assert: [loss < 50%]\n"
        );
    Bench::with("run.yaml", &text)
}

#[test]
fn every_report_goes_to_its_file_and_standard_output_stays_what_was_asked_for() {
    let bench = bench();
    let arguments = [
        "run",
        "run.yaml",
        "--report",
        "json=results.json",
        "--report",
        "csv=new/folder/r.csv",
        "--report",
        "junit",
        "--report",
        "intervals=i.csv",
        "--report",
        "markdown=report.md",
    ];
    let finished = bench.run(&arguments);
    assert_eq!(finished.status.code(), Some(1), "{finished:?}");
    assert!(finished.stdout.starts_with("<?xml"), "{}", finished.stdout);
    assert!(finished.stderr.contains("fail transfer"), "{}", finished.stderr);
    assert!(bench.text("report.md").contains("transfer"));
    assert!(bench.text("new/folder/r.csv").lines().count() >= 3);
    // Three intervals of the datagrams' receiver at the least.
    assert!(bench.text("i.csv").lines().count() >= 4, "{}", bench.text("i.csv"));
    let names: Vec<_> = std::fs::read_dir(bench.folder())
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("text"))
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(names.is_empty(), "temporary files are left: {names:?}");
}

#[test]
fn a_folder_takes_all_reports_and_the_events() {
    let bench = bench();
    let finished = bench.run(&["run", "run.yaml", "--out", "a/b"]);
    assert!(finished.stdout.contains("transfer"), "the terminal report is shown: {finished:?}");
    let mut names: Vec<_> = std::fs::read_dir(bench.path("a/b"))
        .expect("created")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["events.ndjson", "intervals.csv", "junit.xml", "report.md", "results.csv", "results.json"]
    );
    let kinds: Vec<String> = bench
        .text("a/b/events.ndjson")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|event| {
            event["event"].as_object().expect("one kind").keys().next().cloned().expect("a kind")
        })
        .collect();
    assert_eq!(kinds.first().map(String::as_str), Some("run-started"));
    assert_eq!(kinds.last().map(String::as_str), Some("run-finished"));
    assert!(kinds.iter().any(|kind| kind == "interval"), "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| *kind == "case-finished").count(), 2);
}

#[test]
fn reports_made_again_from_the_results_have_the_same_bytes() {
    let bench = bench();
    bench.run(&["run", "run.yaml", "--quiet", "--out", "first"]);
    let again = bench.run(&["report", "first/results.json", "--out", "second"]);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    for name in ["results.json", "results.csv", "intervals.csv", "junit.xml", "report.md"] {
        let (first, second) = (format!("first/{name}"), format!("second/{name}"));
        assert_eq!(bench.text(&first), bench.text(&second), "{name}");
    }
    for format in ["terminal", "github", "json", "junit"] {
        let finished =
            bench.run(&["run", "run.yaml", "--report", format, "--report", "json=r.json"]);
        let again = bench.run(&["report", "r.json", "--report", format]);
        assert_eq!(finished.stdout, again.stdout, "{format}");
        assert!(!again.stdout.is_empty(), "{format}");
    }
}

#[test]
fn the_junit_report_is_well_formed_xml_with_a_failure_at_its_line() {
    let bench = bench();
    bench.run(&["run", "run.yaml", "--quiet", "--report", "junit=junit.xml"]);
    let checked = Command::new("xmllint")
        .args(["--noout", "--xpath", "string(//testcase[failure]/@line)"])
        .arg(bench.path("junit.xml"))
        .output()
        .expect("xmllint is installed by tests/run.sh");
    assert!(checked.status.success(), "{checked:?}");
    let line =
        1 + bench.text("run.yaml").lines().position(|l| l.contains("900 Tbit")).expect("there");
    assert_eq!(String::from_utf8_lossy(&checked.stdout).trim(), line.to_string());
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_any_traffic() {
    let bench = Bench::with("long.yaml", &scenario("server: {}, time: 50s", &[])).and("file", "");
    for target in ["junit=file/x.xml", "junit=.", "json=/proc/none/x.json"] {
        let finished = bench.run(&["run", "long.yaml", "--report", target]);
        assert_eq!(finished.status.code(), Some(2), "{finished:?}");
        assert!(finished.stdout.is_empty(), "{finished:?}");
        assert!(finished.stderr.starts_with("error: cannot write "), "{finished:?}");
        assert!(!finished.stderr.contains("transfer"), "traffic began: {finished:?}");
    }
    let finished = bench.run(&["run", "long.yaml", "--out", "file"]);
    assert_eq!(finished.status.code(), Some(2), "{finished:?}");
    assert!(finished.stderr.contains(": file is not a folder;"), "{finished:?}");
    let finished = bench.run(&["run", "long.yaml", "--report", "json=/proc/x.json"]);
    assert_eq!(finished.status.code(), Some(2), "{finished:?}");
    assert!(!finished.stderr.contains(".linerate"), "{finished:?}");
}

#[test]
fn a_run_that_ends_without_reports_leaves_none_of_an_earlier_one() {
    let bench = Bench::with("bad.yaml", "linerate: 1\n").and("perf/hosts.yaml", "hosts: {}\n");
    let names = ["out/results.json", "out/results.csv", "out/junit.xml", "out/events.ndjson"];
    for arguments in [
        &["run", "bad.yaml"][..],
        &["run", "perf"],
        &["run", "missing.yaml"],
        &["run", "bad.yaml", "--vars", "missing.yaml"],
        &["run", "bad.yaml", "--report", "json=/proc/none/x.json"],
    ] {
        std::fs::create_dir_all(bench.path("out")).expect("writable");
        for name in [&names[..], &["junit.xml"]].concat() {
            std::fs::write(bench.path(name), "earlier").expect("writable");
        }
        let targets = ["--report", "junit=junit.xml", "--out", "out"];
        let finished = bench.run(&[arguments, &targets].concat());
        assert_eq!(finished.status.code(), Some(2), "{finished:?}");
        assert!(!bench.path("junit.xml").exists(), "{arguments:?}");
        assert_eq!(std::fs::read_dir(bench.path("out")).expect("there").count(), 0);
    }
    let finished = bench.run(&["run", "bad.yaml", "--out", "new"]);
    assert_eq!(finished.status.code(), Some(2), "{finished:?}");
    assert!(!bench.path("new").exists());
}

#[test]
fn a_run_of_nothing_writes_its_reports() {
    let bench = Bench::with("ok.yaml", &scenario(SHORT, &[])).and("junit.xml", "earlier");
    let reports = ["--report", "junit=junit.xml", "--report", "json"];
    let finished = bench.run(&[&["run", "ok.yaml", "--only", "none"][..], &reports].concat());
    assert_eq!(finished.status.code(), Some(5), "{finished:?}");
    let results: serde_json::Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!(results["exit_code"], 5);
    assert_eq!(results["cases"][0]["verdict"], "skipped");
    assert!(bench.text("junit.xml").contains("<skipped"), "{}", bench.text("junit.xml"));
}

#[test]
fn a_report_never_overwrites_what_the_command_reads() {
    let text = scenario(SHORT, &[]);
    let bench = Bench::with("perf/a.yaml", &text)
        .and("perf/hosts.yaml", "hosts: {}\n")
        .and("vars.yaml", "{}\n");
    std::os::unix::fs::symlink("perf/a.yaml", bench.path("link.yaml")).expect("writable");
    std::fs::hard_link(bench.path("perf/a.yaml"), bench.path("hard.yaml")).expect("writable");
    for (paths, target) in [
        (&["perf/a.yaml"][..], "json=perf/a.yaml"),
        (&["perf/a.yaml"], "json=link.yaml"),
        (&["link.yaml"], "junit=perf/../perf/a.yaml"),
        (&["perf/a.yaml"], "csv=hard.yaml"),
        (&["perf"], "markdown=perf/hosts.yaml"),
        (&["perf", "--vars", "vars.yaml"], "terminal=vars.yaml"),
    ] {
        let finished = bench.run(&[&["run"], paths, &["--report", target]].concat());
        assert_eq!(finished.status.code(), Some(2), "{finished:?}");
        assert!(finished.stderr.contains("a report would overwrite "), "{finished:?}");
        assert_eq!(bench.text("perf/a.yaml"), text, "{target}");
        assert_eq!(bench.text("perf/hosts.yaml"), "hosts: {}\n");
        assert_eq!(bench.text("vars.yaml"), "{}\n");
    }
}

#[test]
fn results_are_not_overwritten_by_reports_made_from_them() {
    let bench = Bench::with("ok.yaml", &scenario(SHORT, &[]));
    bench.run(&["run", "ok.yaml", "--quiet", "--out", "out"]);
    let results = bench.text("out/results.json");
    let events = bench.text("out/events.ndjson");
    let refused = bench.run(&["report", "out/results.json", "--report", "junit=out/results.json"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    std::fs::remove_file(bench.path("out/junit.xml")).expect("there");
    let again = bench.run(&["report", "out/results.json", "--out", "out"]);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert!(bench.path("out/junit.xml").exists());
    assert_eq!(
        (bench.text("out/results.json"), bench.text("out/events.ndjson")),
        (results, events)
    );
}

#[test]
fn two_reports_in_one_file_are_refused_also_behind_links() {
    let bench = Bench::with("ok.yaml", &scenario(SHORT, &[]));
    std::os::unix::fs::symlink("a.json", bench.path("b.json")).expect("writable");
    let reports = ["--report", "json=a.json", "--report", "junit=b.json"];
    let finished = bench.run(&[&["run", "ok.yaml"][..], &reports].concat());
    assert_eq!(finished.status.code(), Some(2), "{finished:?}");
    assert!(finished.stderr.contains("a.json and b.json"), "{finished:?}");
    let written = bench.run(&["run", "ok.yaml", "--quiet", "--report", "json=b.json"]);
    assert_eq!(written.status.code(), Some(0), "{written:?}");
    assert!(bench.text("a.json").contains("results_version"));
    assert!(bench.path("b.json").is_symlink());
}

#[test]
fn a_report_lost_to_a_full_disk_spoils_a_pass() {
    let bench = Bench::with("ok.yaml", &scenario(SHORT, &[]));
    let finished = bench.run(&["run", "ok.yaml", "--report", "json=/dev/full"]);
    assert_eq!(finished.status.code(), Some(3), "{finished:?}");
    assert!(finished.stderr.contains("cannot write /dev/full"), "{finished:?}");
    assert!(finished.stdout.contains("transfer"), "the other reports are written: {finished:?}");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
    let status = bench
        .command(&["run", "ok.yaml"])
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .expect("the program runs");
    assert_eq!(status.code(), Some(3));
}

#[test]
fn results_that_cannot_be_read_say_why() {
    let bench = Bench::with("cut.json", "{ \"results_version\": 1, \"tool\": {")
        .and("other.json", "{}")
        .and("later.json", "{ \"results_version\": 99 }");
    for (file, expected) in [
        ("missing.json", "No such file"),
        ("cut.json", "is the file complete?"),
        ("other.json", "not a linerate results document"),
        ("later.json", "results version 99 is unknown"),
        (".", "directory"),
    ] {
        let finished = bench.run(&["report", file]);
        assert_eq!(finished.status.code(), Some(2), "{finished:?}");
        assert!(finished.stderr.contains(expected), "{finished:?}");
    }
}
