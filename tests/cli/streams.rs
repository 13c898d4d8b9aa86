//! Standard output and standard error.

use std::process::Stdio;

use crate::bench::{Bench, SHORT, scenario};

#[test]
fn a_reader_that_leaves_early_ends_nothing_and_is_not_complained_about() {
    let bench = Bench::with("ok.yaml", &scenario(SHORT, &["throughput > 1 kbit/s"]))
        .and("slow.yaml", &scenario(SHORT, &["throughput >= 900 Tbit/s"]));
    for (arguments, code) in [
        (&["--help"][..], 0),
        (&["schema", "scenario"], 0),
        (&["completions", "bash"], 0),
        (&["plan", "ok.yaml"], 0),
        (&["run", "ok.yaml", "--quiet", "--report", "json"], 0),
        (&["run", "slow.yaml", "--quiet", "--report", "json"], 1),
    ] {
        let mut child = bench
            .command(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{arguments:?}: {output:?}");
    }
}

#[test]
fn quiet_prints_nothing_unasked() {
    let bench = Bench::with("slow.yaml", &scenario(SHORT, &["throughput >= 900 Tbit/s"]));
    let finished = bench.run(&["run", "slow.yaml", "--quiet"]);
    assert_eq!(finished.status.code(), Some(1));
    assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("", ""));
}

#[test]
fn verbose_progress_has_every_interval_and_what_passed() {
    let client = "server: {}, time: 300ms, interval: 100ms, bitrate: 10 Mbit/s, length: 2K";
    let bench = Bench::with("ok.yaml", &scenario(client, &["throughput > 1 kbit/s"]));
    let finished = bench.run(&["run", "ok.yaml", "--verbose"]);
    for expected in
        ["client  0.1 s", "client  0.2 s", "client  0.3 s", "pass throughput > 1 kbit/s"]
    {
        assert!(finished.stderr.contains(expected), "{expected}: {}", finished.stderr);
    }
}

#[test]
fn progress_is_ascii_where_the_locale_is_not_utf_8() {
    let bench = Bench::with("slow.yaml", &scenario(SHORT, &["throughput >= 900 Tbit/s"]));
    let run = |locale: &str| {
        let mut command = bench.command(&["run", "slow.yaml"]);
        command.env("LC_ALL", locale).output().expect("the program runs").stderr
    };
    assert!(run("C").is_ascii());
    assert!(String::from_utf8(run("C.UTF-8")).expect("UTF-8").contains('✘'));
}

#[test]
fn colors_follow_the_option_and_the_environment() {
    let bench = Bench::with("slow.yaml", &scenario(SHORT, &["throughput >= 900 Tbit/s"]));
    for (color, variable, colored) in [
        ("auto", None, false),
        ("auto", Some(("CLICOLOR_FORCE", "1")), true),
        ("auto", Some(("NO_COLOR", "1")), false),
        ("always", Some(("NO_COLOR", "1")), true),
        ("never", Some(("CLICOLOR_FORCE", "1")), false),
    ] {
        let mut command = bench.command(&["run", "slow.yaml", "--color", color]);
        command.envs(variable);
        let output = command.output().expect("the program runs");
        for stream in [&output.stdout, &output.stderr] {
            assert_eq!(stream.contains(&0x1b), colored, "{color} {variable:?}: {output:?}");
        }
    }
}

#[test]
fn a_seed_is_shown_and_repeats_a_fresh_key() {
    let text = scenario("server: {}, time: 200ms, permit-key: auto", &[]);
    let bench = Bench::with("key.yaml", &text);
    let finished = bench.run(&["run", "key.yaml", "--seed", "7", "--report", "json"]);
    assert_eq!(finished.status.code(), Some(0), "{finished:?}");
    let results: serde_json::Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!(results["seed"], 7);
}
