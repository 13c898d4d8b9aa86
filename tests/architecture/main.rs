//! The rules of ARCHITECTURE.md that a program can check.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.expect("a folder of ours").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Lines of code that come before the file's test module.
fn code_without_tests(path: &Path) -> String {
    let text = read(path);
    let end = text.find("#[cfg(test)]").unwrap_or(text.len());
    text[..end]
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn crates_depend_on_each_other_only_as_architecture_md_lists() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let mut edges = BTreeSet::new();
    for package in metadata["packages"].as_array().expect("packages") {
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            if dependency["path"].is_string() {
                let name = |value: &serde_json::Value| value.as_str().expect("a name").to_owned();
                edges.insert(format!(
                    "- `{}` → `{}`",
                    name(&package["name"]),
                    name(&dependency["name"])
                ));
            }
        }
    }
    let documented: BTreeSet<String> = read(root().join("ARCHITECTURE.md"))
        .lines()
        .filter(|line| line.starts_with("- `linerate") && line.contains("` → `"))
        .map(|line| line.trim_end().to_owned())
        .collect();
    assert_eq!(edges, documented, "left: the crates, right: ARCHITECTURE.md");
}

#[test]
fn only_the_system_call_module_contains_unsafe_code() {
    for member in ["schema", "engine", "reports", "runner", "tests"] {
        for file in rust_files(&root().join(member)) {
            let inside = file.starts_with(root().join("engine/src/sys"));
            let has_unsafe = code_without_tests(&file)
                .lines()
                .any(|line| line.contains("unsafe {") || line.contains("unsafe fn"));
            let itself = file.ends_with("architecture/main.rs");
            assert!(inside || itself || !has_unsafe, "{} has unsafe code", file.display());
        }
    }
}

#[test]
fn wire_protocol_and_statistics_use_neither_sockets_nor_clocks_nor_threads() {
    let forbidden = [
        "Instant::now",
        "SystemTime::now",
        "TcpStream",
        "TcpListener",
        "UdpSocket",
        "socket2",
        "std::thread",
        "libc::",
        "println!",
        "crate::net",
        "crate::sys",
    ];
    for module in ["wire", "protocol", "stats"] {
        for file in rust_files(&root().join("engine/src").join(module)) {
            let code = code_without_tests(&file);
            for word in forbidden {
                assert!(!code.contains(word), "{} uses {word}", file.display());
            }
        }
    }
}

#[test]
fn the_engine_reads_clocks_in_one_place() {
    for file in rust_files(&root().join("engine/src")) {
        let code = code_without_tests(&file);
        let reads = code.contains("Instant::now(") || code.contains("SystemTime::now(");
        assert!(
            !reads || file.ends_with("net/clock.rs"),
            "{} reads a clock; only net/clock.rs may",
            file.display()
        );
    }
}

#[test]
fn schema_and_reports_know_neither_sockets_nor_threads() {
    for member in ["schema", "reports"] {
        for file in rust_files(&root().join(member).join("src")) {
            let code = code_without_tests(&file);
            for word in ["std::net::Tcp", "std::net::Udp", "tokio", "std::thread", "socket2"] {
                assert!(!code.contains(word), "{} uses {word}", file.display());
            }
        }
    }
}

#[test]
fn every_scenario_is_in_the_index_and_names_the_schema() {
    let folder = root().join("scenarios");
    let index = read(folder.join("README.md"));
    for entry in std::fs::read_dir(&folder).expect("the scenarios") {
        let path = entry.expect("a folder of ours").path();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        if name.ends_with(".yaml") {
            assert!(index.contains(&format!("({name})")), "{name} is not in scenarios/README.md");
            let first = read(&path).lines().next().unwrap_or_default().to_owned();
            assert_eq!(
                first, "# yaml-language-server: $schema=../schema/scenario.schema.json",
                "{name}: editors need this line"
            );
        }
    }
}
