//! Each exit code, provoked.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};

use crate::bench::{Bench, SHORT, SHORT_UDP, masked, scenario, transcript};

/// A scenario with a flow to somebody else's server on this machine.
fn against(port: u16, client: &str, assertions: &str) -> String {
    format!(
        "linerate: 1
name: somebody else
hosts:
  here: {{}}
  there: {{ external: true, address: 127.0.0.1 }}
tests:
  - name: transfer
    client: {{ host: here, server: {{ host: there, port: {port} }}, {client} }}
    assert: [{assertions}]
"
    )
}

#[test]
fn code_0_when_every_assertion_passed() {
    let bench =
        Bench::with("ok.yaml", &scenario(SHORT, &["throughput > 1 kbit/s", "duration < 1 min"]));
    masked(|| insta::assert_snapshot!(transcript(&bench.run(&["run", "ok.yaml"]))));
}

#[test]
fn code_1_when_an_assertion_failed_with_assertion_measured_value_and_line() {
    let bench = Bench::with(
        "slow.yaml",
        &scenario(SHORT, &["throughput > 1 kbit/s", "throughput >= 900 Tbit/s"]),
    );
    masked(|| insta::assert_snapshot!(transcript(&bench.run(&["run", "slow.yaml"]))));
}

#[test]
fn a_warning_does_not_change_the_exit_code() {
    let limit = "{ check: throughput >= 900 Tbit/s, severity: warn, because: a dream }";
    let bench = Bench::with("warn.yaml", &scenario(SHORT, &[limit]));
    masked(|| insta::assert_snapshot!(transcript(&bench.run(&["run", "warn.yaml"]))));
}

#[test]
fn code_2_for_a_mistake_on_the_command_line() {
    let bench = Bench::with("ok.yaml", &scenario(SHORT, &[]));
    for arguments in [
        &["run"][..],
        &["rnu", "ok.yaml"],
        &["run", "ok.yaml", "--host", "a=b"],
        &["run", "ok.yaml", "--report", "jnuit=x.xml"],
        &["run", "ok.yaml", "--report", "junit="],
        &["run", "ok.yaml", "--var", "time"],
        &["run", "ok.yaml", "--quiet", "--verbose"],
        &["run", "ok.yaml", "--report", "json", "--report", "junit"],
        &["run", "ok.yaml", "--report", "json=a", "--report", "csv=a"],
        &["plan", "ok.yaml", "--format", "yaml"],
        &["schema", "plan"],
    ] {
        let finished = bench.run(arguments);
        assert_eq!(finished.status.code(), Some(2), "{arguments:?}: {finished:?}");
        assert!(finished.stdout.is_empty(), "{arguments:?}: {finished:?}");
        assert!(finished.stderr.starts_with("error: "), "{arguments:?}: {finished:?}");
    }
    assert_eq!(std::fs::read_dir(bench.folder()).expect("readable").count(), 1, "nothing written");
}

#[test]
fn code_2_for_a_file_that_does_not_exist() {
    let bench = Bench::new();
    insta::assert_snapshot!(transcript(&bench.run(&["run", "wan.yaml"])));
}

#[test]
fn code_2_when_one_of_several_scenarios_is_invalid_and_nothing_is_sent() {
    let bench = Bench::with("good.yaml", &scenario(SHORT, &[]))
        .and("bad.yaml", &scenario(SHORT, &["throughput >= 900"]));
    insta::assert_snapshot!(transcript(&bench.run(&["run", "good.yaml", "bad.yaml"])));
}

#[test]
fn code_2_for_options_that_contradict_each_other() {
    let bench = Bench::with("odd.yaml", &scenario("server: {}, time: 1s, bytes: 1M", &[]));
    insta::assert_snapshot!(transcript(&bench.run(&["run", "odd.yaml"])));
}

#[test]
fn code_3_when_the_connection_is_refused() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    drop(listener);
    let bench = Bench::with("refused.yaml", &against(port, "time: 1s", "retransmits < 5"));
    let output = transcript(&bench.run(&["run", "refused.yaml"]));
    masked(|| insta::assert_snapshot!(output.replace(&port.to_string(), "[port]")));
}

#[test]
fn code_3_when_nothing_is_known_to_have_arrived() {
    // Takes datagrams and never answers.
    let silent = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = silent.local_addr().expect("bound").port();
    let client = "transport: udp, bitrate: 100 pps, length: 100, time: 200ms";
    let bench = Bench::with("silent.yaml", &against(port, client, "loss < 1%"));
    let output = transcript(&bench.run(&["run", "silent.yaml"]));
    masked(|| insta::assert_snapshot!(output.replace(&port.to_string(), "[port]")));
}

#[test]
fn code_4_when_the_only_trouble_is_a_number_that_cannot_be_trusted() {
    let client = format!("{SHORT_UDP}, trip-times: true");
    let bench =
        Bench::with("few.yaml", &scenario(&client, &["loss < 50%", "p99.9(latency) < 10 s"]));
    masked(|| insta::assert_snapshot!(transcript(&bench.run(&["run", "few.yaml"]))));
}

#[test]
fn code_5_when_nothing_is_selected() {
    let bench = Bench::with("ok.yaml", &scenario(SHORT, &[]));
    let nothing = transcript(&bench.run(&["run", "ok.yaml", "--only", "upl*"]));
    masked(|| insta::assert_snapshot!(nothing));
    let by_tag = bench.run(&["run", "ok.yaml", "--tag", "nightly"]);
    assert_eq!(by_tag.status.code(), Some(5), "{by_tag:?}");
    let plan = bench.run(&["plan", "ok.yaml", "--only", "upl*"]);
    assert_eq!(plan.status.code(), Some(5), "{plan:?}");
}

#[test]
fn a_failure_wins_over_an_error_and_an_error_over_doubt() {
    let few = "p99.9(latency) < 10 s";
    let client = format!("{SHORT_UDP}, trip-times: true");
    let tests = |parts: &[&str]| {
        format!(
            "linerate: 1\nname: mixed\nhosts: {{ here: {{}}, there: {{ external: true, address: 127.0.0.1 }} }}\ntests:\n{}",
            parts.concat()
        )
    };
    let doubtful =
        format!("  - {{ name: doubt, client: {{ host: here, {client} }}, assert: ['{few}'] }}\n")
            .replace("server: {}", "server: { host: here }");
    let refused = "  - { name: refused, client: { host: here, server: { host: there, port: 1 }, time: 1s } }\n";
    let failing = "  - { name: failing, client: { host: here, server: { host: here }, time: 200ms }, assert: [throughput >= 900 Tbit/s] }\n";
    for (parts, code) in
        [(&[doubtful.as_str(), refused][..], 3), (&[doubtful.as_str(), refused, failing], 1)]
    {
        let bench = Bench::with("mixed.yaml", &tests(parts));
        let finished = bench.run(&["run", "mixed.yaml"]);
        assert_eq!(finished.status.code(), Some(code), "{finished:?}");
    }
}

#[test]
fn fail_fast_skips_what_is_left() {
    let text = scenario(SHORT, &["throughput >= 900 Tbit/s"])
        + "  - { name: never, client: { server: {}, time: 60s } }\n";
    let bench = Bench::with("fast.yaml", &text);
    let finished = bench.run(&["run", "fast.yaml", "--fail-fast", "--report", "json"]);
    assert_eq!(finished.status.code(), Some(1), "{finished:?}");
    let results: serde_json::Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!(results["cases"][1]["verdict"], "skipped");
    assert!(results["cases"][1]["reason"].is_string());
}
