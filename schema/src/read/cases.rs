use super::reader::Reader;
use super::test::{Names, Test};
use crate::decode::{Deferred, MAX_DECODED, Reported};
use crate::diagnostic::Diagnostic;
use crate::scenario::Case;

/// A scenario expands to at most this many cases.
const MAX_CASES: usize = 100_000;

/// The cases of all tests, in order.
///
/// # Errors
/// When they were not all looked at, which is reported.
pub(super) fn read_cases(
    reader: &Reader<'_, '_>,
    tests: &[Deferred],
    scenario_tags: &[String],
) -> Result<Vec<Case>, Reported> {
    let tests: Vec<Test> = tests.iter().map(|Deferred(node)| Test::read(reader, *node)).collect();
    check_size(reader, &tests)?;
    let mut names = Names::default();
    let mut cases = Vec::new();
    for test in &tests {
        for number in 0..test.matrix.len() {
            if reader.context.findings.is_full() || reader.context.budget.is_spent() {
                return Err(Reported);
            }
            let cell = test.matrix.cell(number);
            let case = test.read_case(reader, cell, scenario_tags, &mut names);
            cases.extend(case);
        }
    }
    Ok(cases)
}

fn check_size(reader: &Reader<'_, '_>, tests: &[Test]) -> Result<(), Reported> {
    let document = reader.context.document;
    let mut cases = 0_usize;
    let mut values = 0_u64;
    for test in tests {
        cases = cases.saturating_add(test.matrix.len());
        let cells = u64::try_from(test.matrix.len()).unwrap_or(u64::MAX);
        values =
            values.saturating_add(cells.saturating_mul(document.node(test.node).extent.weight));
        let problem = if cases > MAX_CASES {
            format!("the scenario expands to more than {MAX_CASES} cases")
        } else if values > MAX_DECODED {
            format!("the cases of the scenario hold more than {} MiB of values", MAX_DECODED >> 20)
        } else {
            continue;
        };
        let matrix = document.entry(test.node, "matrix").map(|entry| entry.key.span);
        reader.context.findings.add(
            Diagnostic::error(
                "too-many-cases",
                matrix.unwrap_or(document.span(test.node)),
                problem,
            )
            .help("give the variables of the matrix fewer values, or split the scenario"),
        );
        return Err(Reported);
    }
    Ok(())
}
