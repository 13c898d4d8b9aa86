//! Whole runs over links that lose a known share of the datagrams.

use std::process::Command;
use std::time::Duration;

use linerate_tests::iperf::peers;
use linerate_tests::namespace::Pair;
use linerate_tests::process::{Finished, Running};
use linerate_tests::program;

const LIMIT: Duration = Duration::from_secs(30);

/// Runs a scenario in a namespace and gives its results document.
fn run_scenario(namespace: &str, scenario: &str) -> (Finished, serde_json::Value) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("scenario.yaml");
    std::fs::write(&file, scenario).expect("a writable folder");
    let mut command = Pair::command(namespace, &program::path().to_string_lossy());
    command.arg("run").arg(&file).arg("--out").arg(folder.path());
    let finished = Running::start(&mut command).finish_within(LIMIT);
    let text = std::fs::read_to_string(folder.path().join("results.json"))
        .unwrap_or_else(|error| panic!("no results ({error}): {finished:?}"));
    (finished, serde_json::from_str(&text).expect("results are JSON"))
}

/// Starts iperf's server in a namespace.
fn iperf_server(namespace: &str, arguments: &[&str]) -> Running {
    let iperf = peers().remove(0);
    let mut command = Command::new("ip");
    command.args(["netns", "exec", namespace]).arg(&iperf.path).args(arguments);
    let mut server = Running::start(&mut command);
    server.wait_for_stdout(LIMIT, |out| out.contains("listening"));
    server
}

/// Drops every twentieth datagram to the port, exactly.
fn drop_every_twentieth(namespace: &str) {
    for rule in [
        "add table inet loss",
        "add chain inet loss in { type filter hook input priority 0; }",
        "add rule inet loss in udp dport 5001 numgen inc mod 20 == 7 drop",
    ] {
        Pair::run_in(namespace, &["nft", rule]);
    }
}

fn scenario(address: impl std::fmt::Display, limit: &str) -> String {
    format!(
        "linerate: 1
name: lossy link
hosts:
  here: {{}}
  there: {{ external: true, address: {address} }}
tests:
  - name: loss
    client: {{ host: here, server: {{ host: there, port: 5001 }}, transport: udp, bitrate: 1000 pps, length: 200, time: 2s }}
    assert: [\"loss {limit}\"]
"
    )
}

#[test]
fn a_link_that_drops_five_percent_measures_five_percent() {
    let pair = Pair::new();
    drop_every_twentieth(&pair.right);
    let _server = iperf_server(&pair.right, &["-s", "-u"]);
    let (finished, results) =
        run_scenario(&pair.left, &scenario(pair.right_address, "between 4.8% and 5.2%"));
    assert_eq!(finished.status.code(), Some(0), "{finished:?}");
    let flow = &results["cases"][0]["flows"][0];
    assert_eq!(flow["receiver_source"], "server-report");
    let counts = &flow["receiver"]["datagrams"];
    let (sent, lost) =
        (counts["sent"].as_f64().expect("sent"), counts["lost"].as_f64().expect("lost"));
    assert!((lost / sent - 0.05).abs() < 0.002, "{counts}");
}

#[test]
fn a_limit_below_the_loss_fails_and_says_what_was_measured() {
    let pair = Pair::new();
    drop_every_twentieth(&pair.right);
    let _server = iperf_server(&pair.right, &["-s", "-u"]);
    let (finished, results) = run_scenario(&pair.left, &scenario(pair.right_address, "< 1%"));
    assert_eq!(finished.status.code(), Some(1), "{finished:?}");
    let assertion = &results["cases"][0]["assertions"][0];
    assert_eq!(assertion["verdict"], "fail");
    assert!(finished.stdout.contains("loss < 1%"), "{}", finished.stdout);
}

#[test]
fn a_peer_that_never_answers_is_an_error_and_not_a_pass() {
    let pair = Pair::new();
    for rule in [
        "add table inet silence",
        "add chain inet silence in { type filter hook input priority 0; }",
        "add rule inet silence in udp dport 5001 drop",
    ] {
        Pair::run_in(&pair.right, &["nft", rule]);
    }
    let (finished, results) = run_scenario(&pair.left, &scenario(pair.right_address, "< 1%"));
    assert_eq!(finished.status.code(), Some(3), "{finished:?}");
    assert_eq!(results["cases"][0]["assertions"][0]["verdict"], "error");
}

#[test]
fn a_link_local_server_and_a_device_are_reached_through_the_link() {
    let pair = Pair::new();
    for (namespace, address) in [(&pair.left, "fe80::77:1/64"), (&pair.right, "fe80::77:2/64")] {
        let device = pair.device;
        let add = ["ip", "address", "add", address, "dev", device, "nodad"];
        Pair::run_in(namespace, &add);
    }
    let _server = iperf_server(&pair.right, &["-s", "-V"]);
    let text = format!(
        "linerate: 1
hosts: {{ here: {{}}, there: {{ external: true, address: \"fe80::77:2%{device}\" }} }}
defaults: {{ client: {{ server: {{ host: there, port: 5001 }}, time: 0.2s }} }}
tests:
  - name: zone
    client: {{}}
  - name: bound
    client: {{ bind: \"fe80::77:1%{device}\" }}
  - name: device
    client: {{ bind: \"%{device}\" }}
  - name: wrong device
    client: {{ bind: \"%lo\" }}
",
        device = pair.device
    );
    let (finished, results) = run_scenario(&pair.left, &text);
    assert_eq!(finished.status.code(), Some(3), "{finished:?}");
    for case in 0..3 {
        let flow = &results["cases"][case]["flows"][0];
        assert_eq!(flow["verdict"], "pass", "{flow}");
        let address = flow["streams"][0]["client_address"].as_str().expect("an address");
        assert!(address.starts_with("[fe80::"), "{address}");
    }
    assert_eq!(results["cases"][3]["flows"][0]["verdict"], "error");
}

#[test]
fn our_server_listens_on_its_device_only() {
    let pair = Pair::new();
    let text = format!(
        "linerate: 1
hosts: {{ here: {{ address: {address} }} }}
tests:
  - name: the link, whose address is used
    client: {{ server: {{ bind: \"%{device}\" }}, time: 0.2s }}
  - name: another device
    client: {{ server: {{ bind: \"%lo\" }}, time: 0.2s, connect: {{ timeout: 1s }} }}
",
        address = pair.left_address,
        device = pair.device
    );
    let (finished, results) = run_scenario(&pair.left, &text);
    let verdict = |case: usize| &results["cases"][case]["flows"][0]["verdict"];
    assert_eq!((verdict(0), verdict(1)), (&"pass".into(), &"error".into()), "{finished:?}");
}

#[test]
fn iperfs_server_that_dies_in_mid_flow_is_an_error() {
    let pair = Pair::new();
    let server = iperf_server(&pair.right, &["-s"]);
    let text = scenario(pair.right_address, "")
        .replace("transport: udp, bitrate: 1000 pps, length: 200, ", "")
        .replace("time: 2s", "time: 4s")
        .replace("    assert: [\"loss \"]\n", "");
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(1));
        drop(server);
    });
    let (finished, results) = run_scenario(&pair.left, &text);
    killer.join().expect("the killer does not panic");
    assert_eq!(finished.status.code(), Some(3), "{finished:?}");
    let flow = &results["cases"][0]["flows"][0];
    assert_eq!(flow["verdict"], "error");
    assert_eq!(flow["failure"]["kind"], "peer-vanished");
    assert!(flow["sender"]["transfer_bytes"].as_u64().expect("partial figures") > 0);
}
