use std::collections::HashMap;

use indexmap::IndexMap;

use super::matrix::{Cell, Matrix};
use super::names::check_name;
use super::reader::Reader;
use crate::decode::{Context, Reported};
use crate::diagnostic::{Diagnostic, quoted};
use crate::document::NodeId;
use crate::scenario::{Case, Presence, TestEntry};
use crate::template::{Scope, text_of};
use crate::validate::{self, DraftFlow};
use crate::{Span, Spanned};

/// About what a flow takes in memory, for the budget of a scenario.
const FLOW_BYTES: usize = 1000;

/// A test before its matrix is expanded.
pub(super) struct Test {
    pub(super) node: NodeId,
    pub(super) matrix: Matrix,
    /// The variables in scope, without the cell.
    scope: Scope,
}

impl Test {
    pub(super) fn read(reader: &Reader<'_, '_>, node: NodeId) -> Self {
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

    /// The case of a cell; none when something about it was reported.
    pub(super) fn read_case(
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
        let is_clear = self.check_clients(reader, entry);
        let single = entry.client.iter().map(|entry| ("client", entry.0));
        let named = entry.clients.iter().flatten();
        let flows: Vec<_> = single
            .chain(named.map(|(name, entry)| (name.as_str(), entry.0)))
            .take_while(|(_, node)| reader.context.spend(*node, FLOW_BYTES).is_ok())
            .map(|(name, node)| reader.read_client(name, node, scope))
            .collect();
        for flow in &flows {
            validate::check_client(flow, &reader.hosts, findings);
            validate::check_server(flow, &reader.hosts, findings);
        }
        if !is_clear {
            return Vec::new();
        }
        validate::check_ports(&flows, &reader.hosts, findings);
        flows
    }

    /// Reports a test without clients, with both ways to give them, or with names that cannot be used. Whether it is
    /// clear which flows the test has.
    fn check_clients(&self, reader: &Reader<'_, '_>, entry: &TestEntry) -> bool {
        let Context { findings, document, .. } = *reader.context;
        for (name, _) in entry.clients.iter().flatten() {
            check_name("client", name, findings);
        }
        let key = |name| document.entry(self.node, name).map(|entry| entry.key.span);
        let finding = match (key("client"), key("clients")) {
            (Some(client), Some(clients)) => {
                let message = "a test has either `client` or `clients`";
                Diagnostic::error("conflicting-keys", clients, message)
                    .related(client, "the other one")
                    .help("put all clients under `clients`, each with a name")
            }
            (None, None) => {
                if ["client", "clients"].iter().any(|key| document.has_misspelt(self.node, key)) {
                    return false;
                }
                let span = document.span(self.node);
                Diagnostic::error("missing-key", span, "the test has no client")
                    .help("add `client: { server: … }`, or `clients` with a name for each")
            }
            (None, Some(clients)) if entry.clients.as_ref().is_some_and(IndexMap::is_empty) => {
                Diagnostic::error("missing-key", clients, "the test has no client")
                    .help("add one: `clients: { upload: { server: … } }`")
            }
            _ => return true,
        };
        findings.add(finding);
        false
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
        if let Some(first) = names.first_of(self.node, &name, &id) {
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
pub(super) struct Names {
    /// The first test of each name.
    tests: HashMap<String, (NodeId, Span)>,
    /// The first test of each id.
    ids: HashMap<String, Span>,
}

impl Names {
    /// Where another test has this name or id already; otherwise they are taken now.
    fn first_of(&mut self, test: NodeId, name: &Spanned<String>, id: &str) -> Option<Span> {
        let (owner, first) = *self.tests.entry(name.value.clone()).or_insert((test, name.span));
        if owner != test {
            return Some(first);
        }
        if let Some(first) = self.ids.get(id) {
            return Some(*first);
        }
        self.ids.insert(id.to_owned(), name.span);
        None
    }
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
