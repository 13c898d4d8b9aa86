use std::cell::RefCell;
use std::collections::HashSet;

use indexmap::IndexMap;

use super::Overrides;
use super::cases::read_cases;
use super::names::check_name;
use super::variables::read_variables;
use crate::Spanned;
use crate::decode::{Context, Deferred};
use crate::diagnostic::{Diagnostic, quoted};
use crate::document::{NodeId, NodeKind};
use crate::scenario::{
    ClientOptions, Defaults, Host, HostEntry, Presence, Scenario, ScenarioDocument, ServerOptions,
};
use crate::suggest::did_you_mean;
use crate::template::Scope;
use crate::validate::{self, DraftFlow};

/// The version of the format that this crate reads.
const FORMAT_VERSION: u32 = 1;

/// Name of the only host of a scenario that names none.
const LOCAL: &str = "local";

/// What the tests of a document refer to.
pub(super) struct Reader<'c, 't> {
    pub(super) context: &'c Context<'t>,
    /// The variables of the document.
    pub(super) scope: Scope,
    pub(super) hosts: IndexMap<String, Host>,
    /// Hosts whose entry was reported as wrong.
    refused_hosts: HashSet<String>,
    pub(super) servers: IndexMap<Spanned<String>, Deferred>,
    pub(super) profiles: IndexMap<Spanned<String>, Deferred>,
    pub(super) defaults: Defaults,
    /// Servers and profiles that some case uses.
    pub(super) used: RefCell<HashSet<NodeId>>,
}

/// Reads a document; problems are added to the context's findings.
pub(super) fn read_document(context: &Context<'_>, overrides: &Overrides) -> Option<Scenario> {
    let scope = read_variables(context, overrides);
    let document: ScenarioDocument =
        context.decode(context.document.root(), &scope).unwrap_or_default();
    check_version(context, &document);
    let (hosts, refused_hosts) = read_hosts(context, document.hosts);
    let reader = Reader {
        context,
        scope,
        hosts,
        refused_hosts,
        servers: document.servers,
        profiles: document.profiles,
        defaults: document.defaults,
        used: RefCell::default(),
    };
    reader.check_names();
    reader.check_hosts();
    let tests = match document.tests {
        Presence::Given(tests) => {
            if tests.is_empty() {
                reader.report_no_tests();
            }
            tests
        }
        Presence::Missing if !context.document.has_misspelt(context.document.root(), "tests") => {
            reader.report_no_tests();
            Vec::new()
        }
        Presence::Missing | Presence::Refused => Vec::new(),
    };
    let cases = read_cases(&reader, &tests, &document.tags).ok()?;
    reader.check_unused();
    Some(Scenario {
        file: context.source.name().to_owned(),
        name: match document.name {
            Some(name) => name.value,
            None => file_stem(context.source.name()),
        },
        description: document.description,
        tags: document.tags,
        hosts: reader.hosts,
        cases,
    })
}

fn file_stem(file: &str) -> String {
    let stem = std::path::Path::new(file).file_stem().and_then(|stem| stem.to_str());
    stem.unwrap_or("scenario").to_owned()
}

fn check_version(context: &Context<'_>, document: &ScenarioDocument) {
    let root = context.document.span(context.document.root());
    match &document.linerate {
        Presence::Missing if context.document.has_misspelt(context.document.root(), "linerate") => {
        }
        Presence::Missing => context.findings.add(
            Diagnostic::error("missing-key", root, "the key `linerate` is missing")
                .help("start the file with `linerate: 1`, the version of the format"),
        ),
        Presence::Given(version) if version.value != FORMAT_VERSION => context.findings.add(
            Diagnostic::error(
                "unsupported-version",
                version.span,
                format!("version {} of the scenario format is not known", version.value),
            )
            .help(format!("this program reads version {FORMAT_VERSION}")),
        ),
        Presence::Given(_) | Presence::Refused => {}
    }
}

type Hosts = (IndexMap<String, Host>, HashSet<String>);

fn read_hosts(
    context: &Context<'_>,
    entries: Option<IndexMap<Spanned<String>, Presence<HostEntry>>>,
) -> Hosts {
    let mut hosts = IndexMap::new();
    let mut refused = HashSet::new();
    for (name, entry) in entries.unwrap_or_default() {
        check_name("host", &name, context.findings);
        let host = match entry {
            Presence::Missing => Some(HostEntry::default()),
            Presence::Given(entry) => Some(entry),
            Presence::Refused => None,
        };
        match host.and_then(|entry| read_host(context, &name, entry)) {
            Some(host) => {
                hosts.insert(name.value, host);
            }
            None => {
                refused.insert(name.value);
            }
        }
    }
    if hosts.is_empty() && refused.is_empty() {
        hosts.insert(LOCAL.to_owned(), Host::Local { address: None });
    }
    (hosts, refused)
}

fn read_host(context: &Context<'_>, name: &Spanned<String>, entry: HostEntry) -> Option<Host> {
    let is_external = entry.external.is_some_and(|external| external.value);
    if let Presence::Given(address) = &entry.address {
        validate::check_host_address(address, context.findings);
    }
    match (is_external, entry.address) {
        (_, Presence::Refused) => None,
        (false, address) => Some(Host::Local { address: address.given() }),
        (true, Presence::Given(address)) => Some(Host::External { address }),
        (true, Presence::Missing) => {
            context.findings.add(
                Diagnostic::error(
                    "missing-key",
                    name.span,
                    format!("the external host {} has no `address`", quoted(name)),
                )
                .help("add the address of its iperf server, such as `address: 192.0.2.9`"),
            );
            None
        }
    }
}

impl Reader<'_, '_> {
    fn report_no_tests(&self) {
        let document = self.context.document;
        let entry = document.entry(document.root(), "tests");
        let span = entry.map_or(document.span(document.root()), |entry| entry.key.span);
        self.context.findings.add(
            Diagnostic::error("no-tests", span, "the scenario has no tests")
                .help("add at least one under `tests`, such as `- { name: upload, client: { server: sink } }`"),
        );
    }

    /// Somebody has to run the clients.
    fn check_hosts(&self) {
        let document = self.context.document;
        let Some(entry) = document.entry(document.root(), "hosts") else { return };
        if self.default_host().is_none() && self.refused_hosts.is_empty() {
            self.context.findings.add(
                Diagnostic::error("no-local-host", entry.key.span, "no host is local")
                    .help("add one to run the clients on, such as `here: {}`"),
            );
        }
    }

    fn check_names(&self) {
        for name in self.servers.keys() {
            check_name("server", name, self.context.findings);
        }
        for name in self.profiles.keys() {
            check_name("profile", name, self.context.findings);
        }
    }

    /// Looks for problems in what no case uses; those that depend on its use are not found.
    fn check_unused(&self) {
        let Context { findings, document, .. } = self.context;
        findings.start_pass(None);
        let used = self.used.borrow();
        for Deferred(node) in self.servers.values().filter(|entry| !used.contains(&entry.0)) {
            if let Ok(options) = self.context.decode::<ServerOptions>(*node, &self.scope) {
                if let Some(host) = &options.host {
                    self.find_host(host);
                }
                validate::check_server_options(&options, findings);
            }
        }
        for (name, Deferred(node)) in self.profiles.iter().filter(|(_, e)| !used.contains(&e.0)) {
            if let Ok(options) = self.context.decode::<ClientOptions>(*node, &self.scope) {
                if let Some(profile) = &options.r#use {
                    self.find_profile(profile, &[*node]);
                }
                if let Some(host) = &options.host {
                    self.find_host(host);
                }
                let mut draft = DraftFlow::new(name, document.span(*node), options);
                draft.note_refused(|_| true, false);
                validate::check_client(&draft, &self.hosts, findings);
            }
        }
    }

    /// Whether a part of the document is there but was reported as something else than a mapping.
    pub(super) fn is_refused(&self, section: &str) -> bool {
        let document = self.context.document;
        document.entry(document.root(), section).is_some_and(|entry| {
            !matches!(document.node(entry.value).kind, NodeKind::Mapping(_))
                && !document.is_null(entry.value)
        })
    }

    /// The host of this name; none for an unknown one, which is reported.
    pub(super) fn find_host(&self, name: &Spanned<String>) -> Option<&Host> {
        let host = self.hosts.get(name.as_str());
        if host.is_none()
            && !self.refused_hosts.contains(name.as_str())
            && !self.is_refused("hosts")
        {
            let names = self.hosts.keys().map(String::as_str);
            let help = did_you_mean(name, names.clone()).unwrap_or_else(|| {
                format!("the hosts are: {}", names.collect::<Vec<_>>().join(", "))
            });
            self.context.findings.add(
                Diagnostic::error(
                    "unknown-host",
                    name.span,
                    format!("there is no host {}", quoted(name)),
                )
                .help(help),
            );
        }
        host
    }

    /// The host of an entry that names none: the first local one.
    pub(super) fn default_host(&self) -> Option<&str> {
        let mut hosts = self.hosts.iter();
        hosts.find(|(_, host)| matches!(host, Host::Local { .. })).map(|(name, _)| name.as_str())
    }
}
