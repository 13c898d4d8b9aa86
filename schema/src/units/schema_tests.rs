//! The published schemas accept what the parsers accept.

use std::str::FromStr;

use schemars::{JsonSchema, schema_for};
use serde_json::{Value, json};

use super::{BitRate, ByteCount, DiffServ, Dscp, PacketRate, Ratio, Seconds, SendRate};

fn check<T: JsonSchema + FromStr + serde::de::DeserializeOwned>(good: &[Value], bad: &[Value]) {
    let schema = schema_for!(T).to_value();
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    for value in good {
        assert!(serde_json::from_value::<T>(value.clone()).is_ok(), "parser refuses {value}");
        assert!(validator.is_valid(value), "schema refuses {value}");
    }
    for value in bad {
        assert!(serde_json::from_value::<T>(value.clone()).is_err(), "parser accepts {value}");
        assert!(!validator.is_valid(value), "schema accepts {value}");
    }
    let template = json!("{{ rate }}");
    assert!(validator.is_valid(&template), "schema refuses a template");
    for example in schema["examples"].as_array().expect("examples") {
        assert!(serde_json::from_value::<T>(example.clone()).is_ok(), "parser refuses {example}");
        assert!(validator.is_valid(example), "schema refuses {example}");
    }
}

#[test]
fn schemas_and_parsers_agree() {
    check::<BitRate>(
        &[
            json!("50 Mbit/s"),
            json!("100m"),
            json!(1000),
            json!(1.5),
            json!("1e6"),
            json!("10MB/s"),
        ],
        &[json!("50 Mb/s"), json!("fast"), json!(-1), json!(true), json!("100 pps"), json!("")],
    );
    check::<SendRate>(
        &[json!("50 Mbit/s"), json!("1000 pps"), json!("1000p"), json!(0)],
        &[json!("50 MB"), json!(-1), json!(null)],
    );
    check::<PacketRate>(&[json!("1000 pps"), json!("5p")], &[json!(1000), json!("1000")]);
    check::<ByteCount>(
        &[json!("64K"), json!(1470), json!("10 MB"), json!("1 MiB"), json!("3 bytes")],
        &[json!("64 KB"), json!("5 s"), json!([1])],
    );
    check::<Seconds>(
        &[json!("10s"), json!("500 ms"), json!(10), json!(0.5), json!("100 µs")],
        &[json!("2m"), json!("10 sec"), json!(-0.5), json!({})],
    );
    check::<Ratio>(&[json!("5%"), json!("0.1 %")], &[json!(0.5), json!("0.5")]);
    check::<DiffServ>(
        &[json!("ef"), json!(184), json!("0xb8"), json!("ac_vo")],
        &[json!(256), json!("0x1ff"), json!(-1), json!("010")],
    );
    check::<Dscp>(&[json!("ef"), json!(46), json!("le")], &[json!(64), json!("1000")]);
}
