//! Reads the bytes that were recorded from real iperf programs: one JSON file per mode in `tests/captures`.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// A capture: its file name without ending, and its content.
pub(crate) struct Capture {
    pub(crate) name: String,
    pub(crate) content: Value,
}

/// All captures whose file name begins with `prefix`, by name.
pub(crate) fn all(prefix: &str) -> Vec<Capture> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/captures"));
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()))
        .filter(|name| name.starts_with(prefix))
        .collect();
    names.sort();
    names.into_iter().map(|name| load(&name)).collect()
}

/// One capture.
pub(crate) fn load(name: &str) -> Capture {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/captures"))
        .join(format!("{name}.json"));
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Capture { name: name.to_owned(), content: serde_json::from_str(&text).unwrap() }
}

/// The bytes of a hexadecimal field.
pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    let hex = value.as_str().unwrap();
    assert_eq!(hex.len() % 2, 0, "odd number of hexadecimal digits");
    (0..hex.len() / 2)
        .map(|index| u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).unwrap())
        .collect()
}
