use std::collections::{HashMap, HashSet};

use super::matrix::{Cell, Matrix};
use super::names::check_name;
use super::reader::Reader;
use crate::decode::{Deferred, MAX_DECODED, Reported};
use crate::diagnostic::{Diagnostic, quoted};
use crate::document::NodeId;
use crate::scenario::{Case, Presence, TestEntry};
use crate::template::{Scope, text_of};
use crate::validate::{self, DraftFlow};
use crate::{Span, Spanned};

/// A scenario expands to at most this many cases.
const MAX_CASES: usize = 100_000;

/// About what a flow takes in memory, for the budget of a scenario.
const FLOW_BYTES: usize = 1000;

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

/// A test before its matrix is expanded.
struct Test {
    node: NodeId,
    matrix: Matrix,
    /// The variables in scope, without the cell.
    scope: Scope,
}

impl Test {
    fn read(reader: &Reader<'_, '_>, node: NodeId) -> Self {
        let mut scope = reader.scope.clone();
        let entry = reader.context.document.entry(node, "matrix");
        let matrix = match entry {
            Some(entry) => match Matrix::read(reader.context, entry.value, &scope) {
                Ok(matrix) => matrix,
                Err(Reported) => {
                    for name in Matrix::names(reader.context, entry.value) {
                        scope.refuse(name);
                    }
                    Matrix::default()
                }
            },
            None => Matrix::default(),
        };
        Self { node, matrix, scope }
    }

    fn read_case(
        &self,
        reader: &Reader<'_, '_>,
        cell: Cell,
        scenario_tags: &[String],
        names: &mut Names,
    ) -> Option<Case> {
        let context = reader.context;
        let matrix: Vec<(String, String)> =
            cell.iter().map(|(name, value)| (name.clone(), text_of(value))).collect();
        let shown = describe_cell(&matrix);
        context.findings.start_pass((!matrix.is_empty()).then(|| format!("with {shown}")));
        let scope = if cell.is_empty() { self.scope.clone() } else { self.scope.with(cell) };
        let entry: TestEntry = context.decode(self.node, &scope).ok()?;
        let flows = self.read_flows(reader, &entry, &scope);
        let assertions = reader.read_assertions(entry.assert, &flows);
        let (name, id) = self.check_name(reader, entry.name, &shown, names)?;
        let mut tags = entry.tags;
        for tag in scenario_tags {
            if !tags.contains(tag) {
                tags.push(tag.clone());
            }
        }
        Some(Case {
            id,
            test: name,
            description: entry.description,
            tags,
            matrix,
            flows: flows.into_iter().map(DraftFlow::finish).collect::<Option<_>>()?,
            assertions: assertions.into_iter().collect::<Option<_>>()?,
            span: context.document.span(self.node),
        })
    }

    fn read_flows(
        &self,
        reader: &Reader<'_, '_>,
        entry: &TestEntry,
        scope: &Scope,
    ) -> Vec<DraftFlow> {
        let findings = reader.context.findings;
        let key = |name| reader.context.document.entry(self.node, name).map(|entry| entry.key.span);
        let misspelt = |name| reader.context.document.has_misspelt(self.node, name);
        let clients: Vec<(&str, NodeId)> = match (key("client"), key("clients")) {
            (Some(client), Some(clients)) => {
                findings.add(
                    Diagnostic::error(
                        "conflicting-keys",
                        clients,
                        "a test has either `client` or `clients`",
                    )
                    .related(client, "the other one")
                    .help("put all clients under `clients`, each with a name"),
                );
                Vec::new()
            }
            (None, None) if misspelt("client") || misspelt("clients") => Vec::new(),
            (None, None) => {
                findings.add(
                    Diagnostic::error(
                        "missing-key",
                        reader.context.document.span(self.node),
                        "the test has no client",
                    )
                    .help("add `client: { server: … }`, or `clients` with a name for each"),
                );
                Vec::new()
            }
            _ => {
                let named = entry.clients.iter().flatten();
                for (name, _) in named.clone() {
                    check_name("client", name, findings);
                }
                let single = entry.client.iter().map(|entry| ("client", entry.0));
                single.chain(named.map(|(name, entry)| (name.as_str(), entry.0))).collect()
            }
        };
        if let Some(clients) = key("clients")
            && entry.clients.as_ref().is_some_and(|clients| clients.is_empty())
        {
            findings.add(
                Diagnostic::error("missing-key", clients, "the test has no client")
                    .help("add one: `clients: { upload: { server: … } }`"),
            );
        }
        let flows: Vec<_> = clients
            .into_iter()
            .take_while(|(_, node)| reader.context.spend(*node, FLOW_BYTES).is_ok())
            .map(|(name, node)| reader.read_client(name, node, scope))
            .collect();
        for flow in &flows {
            validate::check_client(flow, &reader.hosts, findings);
            validate::check_server(flow, &reader.hosts, findings);
        }
        validate::check_ports(&flows, &reader.hosts, findings);
        flows
    }

    /// The test's name and the case's id, both unique.
    fn check_name(
        &self,
        reader: &Reader<'_, '_>,
        name: Presence<Spanned<String>>,
        cell: &str,
        names: &mut Names,
    ) -> Option<(String, String)> {
        let name = match name {
            Presence::Given(name) if name.trim().chars().any(char::is_control) => {
                let message = format!("{} cannot name a test", quoted(&name));
                reader.context.findings.add(
                    Diagnostic::error("invalid-name", name.span, message)
                        .help("write it on one line; `description` may have several"),
                );
                return None;
            }
            Presence::Given(name) if !name.trim().is_empty() => {
                name.map(|name| name.trim().to_owned())
            }
            Presence::Refused => return None,
            Presence::Missing if reader.context.document.has_misspelt(self.node, "name") => {
                return None;
            }
            Presence::Given(_) | Presence::Missing => {
                let span = reader.context.document.span(self.node);
                reader.context.findings.add(
                    Diagnostic::error("missing-key", span, "the test has no name")
                        .help("give it one that is unique in the scenario: `name: upload`"),
                );
                return None;
            }
        };
        let id = match cell {
            "" => name.value.clone(),
            cell => format!("{} [{cell}]", name.value),
        };
        let (owner, first) =
            *names.tests.entry(name.value.clone()).or_insert((self.node, name.span));
        if owner != self.node || !names.ids.insert(id.clone()) {
            reader.context.findings.add(
                Diagnostic::error(
                    "duplicate-test",
                    name.span,
                    format!("two tests are named {}", quoted(&id)),
                )
                .related(first, "the first one")
                .help("give each test its own name"),
            );
            return None;
        }
        Some((name.value, id))
    }
}

/// The names of the tests so far, templates expanded.
#[derive(Default)]
struct Names {
    /// The first test of each name.
    tests: HashMap<String, (NodeId, Span)>,
    ids: HashSet<String>,
}

/// `window=64K,streams=4`; a value that could be taken for more than one is put in quotes.
fn describe_cell(matrix: &[(String, String)]) -> String {
    let is_plain = |c: char| !c.is_control() && !matches!(c, ',' | '=' | '"' | '[' | ']');
    let values = matrix.iter().map(|(name, value)| match value.chars().all(is_plain) {
        true => format!("{name}={value}"),
        false => format!("{name}={value:?}"),
    });
    values.collect::<Vec<_>>().join(",")
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
