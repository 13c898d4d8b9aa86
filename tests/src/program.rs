//! The program under test.

use std::path::PathBuf;

/// Path of the `linerate` binary that was built beside this test.
///
/// # Panics
/// When it was not built: `cargo test` alone does not build the binaries of other crates, `tests/run.sh` does.
#[must_use]
pub fn path() -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    // target/debug/deps/TEST → target/debug/linerate
    let path = test.ancestors().nth(2).expect("a target folder").join("linerate");
    assert!(
        path.exists(),
        "{} is missing; run tests/run.sh, or `cargo build --workspace` first",
        path.display()
    );
    path
}
