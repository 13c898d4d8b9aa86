//! The checked-in JSON Schemas are those of the types, and they judge scenarios as the reader does.

use std::path::Path;

use linerate_schema::json_schema::{results_schema, scenario_schema};
use linerate_schema::results::RunResult;
use linerate_schema::{Overrides, read_text};
use serde_json::Value;

/// Compares with the checked-in file; `UPDATE_SCHEMAS=1` writes it instead.
fn assert_checked_in(file: &str, schema: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = serde_json::to_string_pretty(schema).expect("a schema is JSON") + "\n";
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, text).expect("the schema is written");
        return;
    }
    let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        checked_in == text,
        "{file} is not that of the types: run `UPDATE_SCHEMAS=1 cargo test -p linerate-schema --test json_schemas`"
    );
}

#[test]
fn the_checked_in_scenario_schema_is_current() {
    assert_checked_in("scenario.schema.json", &scenario_schema());
}

#[test]
fn the_checked_in_results_schema_is_current() {
    assert_checked_in("results.schema.json", &results_schema());
}

/// Each of these, put into a scenario that is otherwise fine, and whether it may be there.
const CLIENTS: &[(bool, &str)] = &[
    (true, r#"{ "server": "sink" }"#),
    (true, r#"{ "server": { "port": 5001 } }"#),
    (true, r#"{ "server": { "port": "auto" } }"#),
    (true, r#"{ "server": { "port": "{{ 5001 }}" } }"#),
    (true, r#"{ "server": "sink", "time": 5 }"#),
    (true, r#"{ "server": "sink", "time": "500 ms" }"#),
    (true, r#"{ "server": "sink", "time": "{{ 2 + 3 }}" }"#),
    (true, r#"{ "server": "sink", "bitrate": "50 Mbit/s", "length": "{{ 700 * 2 }}" }"#),
    (true, r#"{ "server": "sink", "parallel": "{{ 2 * 2 }}", "nodelay": "{{ true }}" }"#),
    (true, r#"{ "server": "sink", "transport": "udp", "bitrate": "100 pps", "tos": "ef" }"#),
    (true, r#"{ "server": "sink", "transport": "{{ 'udp' }}", "dscp": 46 }"#),
    (true, r#"{ "server": "sink", "direction": "reverse", "connect": { "timeout": "2s" } }"#),
    (true, r#"{ "server": "sink", "permit-key": "auto", "ttl": 255, "mss": 88 }"#),
    (true, r#"{ "server": "sink", "permit-key": 1234, "congestion": 5 }"#),
    (false, r#"{ "server": "sink", "permit-key": 123 }"#),
    (false, r#"{ "server": true }"#),
    (false, r#"{ "server": "sink", "tiem": 5 }"#),
    (false, r#"{ "server": ["sink"] }"#),
    (false, r#"{ "server": { "port": 0 } }"#),
    (false, r#"{ "server": { "port": "any" } }"#),
    (false, r#"{ "server": "sink", "time": null }"#),
    (false, r#"{ "server": "sink", "time": true }"#),
    (false, r#"{ "server": "sink", "time": "5 MB" }"#),
    (false, r#"{ "server": "sink", "time": -1 }"#),
    (false, r#"{ "server": "sink", "bitrate": "50 Mb/s" }"#),
    (false, r#"{ "server": "sink", "parallel": "4" }"#),
    (false, r#"{ "server": "sink", "parallel": 0 }"#),
    (false, r#"{ "server": "sink", "parallel": 1001 }"#),
    (true, r#"{ "server": { "port": "5001-5004" }, "port": "5001-5002" }"#),
    (
        true,
        r#"{ "server": "sink", "bind": "::1", "ipv6": true, "increment": { "source-address": true } }"#,
    ),
    (false, r#"{ "server": "sink", "port": 65536 }"#),
    (false, r#"{ "server": "sink", "port": "high" }"#),
    (false, r#"{ "server": "sink", "increment": { "port": true } }"#),
    (false, r#"{ "server": "sink", "ttl": 256 }"#),
    (false, r#"{ "server": "sink", "mss": 10 }"#),
    (false, r#"{ "server": "sink", "nodelay": "yes" }"#),
    (false, r#"{ "server": "sink", "transport": "quic" }"#),
    (true, r#"{ "server": "sink", "transport": "udp", "direction": "full-duplex" }"#),
    (false, r#"{ "server": "sink", "transport": "udp", "direction": "dual-test" }"#),
    (false, r#"{ "server": "sink", "tos": 256 }"#),
    (false, r#"{ "server": "sink", "dscp": 64 }"#),
    (false, r#"{ "server": "sink", "permit-key": "abc" }"#),
    (false, r#"{ "server": "sink", "connect": { "only": true } }"#),
    (false, r#"{ "server": "sink", "isochronous": {} }"#),
];

/// The same for whole documents.
const DOCUMENTS: &[(bool, &str)] = &[
    (true, r#"{ "linerate": 1, "tests": [{ "name": "a", "client": { "server": {} } }] }"#),
    (
        true,
        r#"{ "linerate": 1, "servers": { "s": null }, "hosts": { "here": null },
        "tests": [{ "name": "a", "clients": { "x": { "server": "s" } } }] }"#,
    ),
    (
        true,
        r#"{ "linerate": 1, "vars": { "list": [1, 2] },
        "tests": [{ "name": "a", "matrix": { "n": "{{ list }}", "b": [true, "x", 1.5] }, "client": { "server": {} } }] }"#,
    ),
    (
        true,
        r#"{ "linerate": 1, "tests": [{ "name": "a", "client": { "server": {} },
        "assert": ["throughput > 1 bit/s", { "check": "throughput > 1 bit/s", "severity": "warn", "because": "x" }] }] }"#,
    ),
    (
        true,
        r#"{ "linerate": 1, "name": 5, "tags": [1], "servers": { "1": {} },
        "tests": [{ "name": 7, "client": { "server": 1 } }] }"#,
    ),
    (false, r#"{ "linerate": 1, "tests": [null] }"#),
    (
        false,
        r#"{ "linerate": 1, "tests": [{ "name": "a", "client": { "server": {} }, "assert": [null] }] }"#,
    ),
    (
        false,
        r#"{ "linerate": 1, "vars": [1], "tests": [{ "name": "a", "client": { "server": {} } }] }"#,
    ),
    (false, r#"{ "tests": [{ "name": "a", "client": { "server": {} } }] }"#),
    (false, r#"{ "linerate": 2, "tests": [{ "name": "a", "client": { "server": {} } }] }"#),
    (false, r#"{ "linerate": 1 }"#),
    (false, r#"{ "linerate": 1, "tests": [] }"#),
    (false, r#"{ "linerate": 1, "tests": [{ "name": "a" }] }"#),
    (false, r#"{ "linerate": 1, "tests": [{ "client": { "server": {} } }] }"#),
    (
        false,
        r#"{ "linerate": 1, "tests": [{ "name": "a", "client": { "server": {} }, "clients": {} }] }"#,
    ),
    (
        false,
        r#"{ "linerate": 1, "lab": {}, "tests": [{ "name": "a", "client": { "server": {} } }] }"#,
    ),
    (
        false,
        r#"{ "linerate": 1, "tags": "x", "tests": [{ "name": "a", "client": { "server": {} } }] }"#,
    ),
    (
        false,
        r#"{ "linerate": 1, "tests": [{ "name": "a", "matrix": { "n": [] }, "client": { "server": {} } }] }"#,
    ),
    (
        false,
        r#"{ "linerate": 1, "tests": [{ "name": "a", "matrix": { "n": 5 }, "client": { "server": {} } }] }"#,
    ),
    (
        false,
        r#"{ "linerate": 1, "tests": [{ "name": "a", "client": { "server": {} }, "assert": [{ "because": "x" }] }] }"#,
    ),
];

/// A scenario in JSON is one in YAML too, so that the same text can be given to both.
fn assert_judged_alike(validator: &jsonschema::Validator, text: &str, accepted: bool) {
    let value: Value = serde_json::from_str(text).expect("the example is JSON");
    let errors: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
    assert_eq!(errors.is_empty(), accepted, "by the schema: {text}: {errors:?}");
    let outcome = read_text("example", text, &Overrides::default());
    assert_eq!(
        outcome.scenario.is_some(),
        accepted,
        "by the reader: {text}: {:?}",
        outcome.diagnostics
    );
}

#[test]
fn schema_and_reader_accept_and_refuse_the_same() {
    let validator = jsonschema::validator_for(&scenario_schema()).expect("the schema is one");
    for (accepted, client) in CLIENTS {
        let text = format!(
            r#"{{ "linerate": 1, "servers": {{ "sink": {{}} }},
                "tests": [{{ "name": "a", "client": {client} }}] }}"#
        );
        assert_judged_alike(&validator, &text, *accepted);
    }
    for (accepted, text) in DOCUMENTS {
        assert_judged_alike(&validator, text, *accepted);
    }
}

#[test]
fn a_results_document_fits_its_schema() {
    let mut document = serde_json::json!({
        "results_version": 1,
        "tool": { "name": "linerate", "version": "0.1.0" },
        "scenario": { "name": "a", "file": "a.yaml", "tags": ["x"] },
        "seed": 7,
        "started_at": "2026-01-01T00:00:00Z",
        "duration_seconds": 1.5,
        "verdict": "skipped",
        "exit_code": 5,
        "interrupted": false,
        "counts": { "pass": 0, "fail": 0, "error": 0, "inconclusive": 0, "skipped": 1 },
        "hosts": [],
        "cases": [{
            "id": "a", "test": "a",
            "location": { "file": "a.yaml", "line": 3, "column": 5 },
            "duration_seconds": 0.0,
            "verdict": "skipped", "reason": "not selected",
            "flows": [], "assertions": [],
        }],
    });
    let validator = jsonschema::validator_for(&results_schema()).expect("the schema is one");
    let errors: Vec<String> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert!(serde_json::from_value::<RunResult>(document.clone()).is_ok());

    document["verdict"] = serde_json::json!("perhaps");
    assert!(!validator.is_valid(&document));
    document["verdict"] = serde_json::json!("pass");
    document["surplus"] = serde_json::json!(1);
    assert!(!validator.is_valid(&document));
}
