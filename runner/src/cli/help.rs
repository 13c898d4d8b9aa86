//! Texts of `--help` that no argument owns.

use crate::exit_code::ExitCode;

/// Below the long help of the program.
pub(super) fn exit_codes_and_examples() -> String {
    let mut text = "Exit codes:\n".to_owned();
    for code in ExitCode::ALL {
        text.push_str(&format!("  {:>3}  {}\n", code.as_u8(), code.meaning()));
    }
    text.push_str("1 wins over 3, and 3 over 4.\n\n");
    text.push_str(EXAMPLES);
    text
}

const EXAMPLES: &str = "\
Examples:
  linerate check wan.yaml                      every mistake of a scenario, nothing is sent
  linerate plan wan.yaml                       who would send what to whom
  linerate run wan.yaml                        send, judge, show
  linerate run perf/ --report junit=perf.xml   in a pipeline";

/// Below the long help of `run`.
pub(super) const RUN_EXAMPLES: &str = "\
Examples:
  linerate run wan.yaml
  linerate run wan.yaml --var rate=50Mbit/s --only 'upload*'
  linerate run perf/ --tag nightly --fail-fast --out results/
  linerate run perf/ --quiet --report junit=perf.xml --report json | jq .verdict

Exit codes: 0 passed, 1 failed, 2 invalid, 3 could not be measured, 4 inconclusive,
5 nothing selected, 130 interrupted; `linerate --help` says more.";
