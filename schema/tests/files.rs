//! What stands in place of a scenario file ends in one diagnostic, soon and without much memory.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use linerate_schema::diagnostic::Coloring;
use linerate_schema::{Overrides, read_scenario};

const SCENARIO: &str = "linerate: 1\ntests:\n  - name: upload\n    client: { server: {} }\n";

/// The only diagnostic of a path: its code and its message.
fn refusal(path: &Path) -> (&'static str, String) {
    let outcome = read_scenario(path, &Overrides::default());
    assert!(outcome.scenario.is_none());
    let [diagnostic] = outcome.diagnostics.as_slice() else {
        panic!("{:?}", outcome.diagnostics);
    };
    assert_eq!(diagnostic.file, path.display().to_string());
    assert!(outcome.render(Coloring::Plain).contains(&diagnostic.file));
    (diagnostic.code, diagnostic.message.clone())
}

#[test]
fn a_missing_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (code, message) = refusal(&folder.path().join("none.yaml"));
    assert_eq!(code, "file-unreadable");
    assert!(message.contains("No such file"), "{message}");
}

#[test]
fn what_is_no_file_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(refusal(folder.path()).1, "this is a directory, not a file");

    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(refusal(&pipe).1, "this is a named pipe, not a file");

    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert_eq!(refusal(&socket).1, "this is a socket, not a file");

    assert_eq!(refusal(Path::new("/dev/zero")).1, "this is a device, not a file");
}

#[test]
fn a_link_that_leads_nowhere_ends() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("loop.yaml");
    symlink(&link, &link).unwrap();
    assert_eq!(refusal(&link).0, "file-unreadable");
}

#[test]
fn a_link_to_a_scenario_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("real.yaml"), SCENARIO).unwrap();
    symlink("real.yaml", folder.path().join("link.yaml")).unwrap();
    let outcome = read_scenario(&folder.path().join("link.yaml"), &Overrides::default());
    assert!(outcome.scenario.is_some(), "{:?}", outcome.diagnostics);
}

#[test]
fn a_file_of_a_hundred_megabytes_is_not_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.yaml");
    std::fs::File::create(&path).unwrap().set_len(100 << 20).unwrap();
    assert_eq!(
        refusal(&path),
        ("file-too-large", "the file has more than 4194304 bytes".to_owned())
    );
}

#[test]
fn other_encodings_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text.yaml");
    let utf16: Vec<u8> = "\u{feff}linerate: 1".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&path, utf16).unwrap();
    assert_eq!(refusal(&path).0, "not-text");
    std::fs::write(&path, b"linerate: 1\nname: caf\xe9\n").unwrap();
    assert_eq!(refusal(&path).1, "the file is not UTF-8 text: invalid byte at offset 21, line 2");
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_fine() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("windows.yaml");
    std::fs::write(&path, format!("\u{feff}{}", SCENARIO.replace('\n', "\r\n"))).unwrap();
    let outcome = read_scenario(&path, &Overrides::default());
    assert!(outcome.scenario.is_some(), "{:?}", outcome.diagnostics);
}
