use super::merge::client_over;
use super::reader::Reader;
use crate::Spanned;
use crate::decode::Deferred;
use crate::diagnostic::{Diagnostic, quoted};
use crate::document::NodeId;
use crate::scenario::ClientOptions;
use crate::suggest::did_you_mean;
use crate::template::Scope;
use crate::validate::DraftFlow;

impl Reader<'_, '_> {
    /// A client entry with its profile, the defaults and its server.
    pub(super) fn read_client(&self, name: &str, entry: NodeId, scope: &Scope) -> DraftFlow {
        let context = self.context;
        let span = context.document.span(entry);
        let own = context.decode::<ClientOptions>(entry, scope);
        let mut is_complete = own.is_ok();
        let own = own.unwrap_or_default();
        let defaults = self.defaults.client.map(|Deferred(node)| node);
        let base = defaults.and_then(|node| context.decode::<ClientOptions>(node, scope).ok());
        let base = base.unwrap_or_default();
        let mut sources = vec![entry];
        sources.extend(defaults);

        let profile = match own.r#use.as_ref().or(base.r#use.as_ref()) {
            Some(name) => match self.find_profile(name) {
                Some(Deferred(node)) => {
                    self.used.borrow_mut().insert(node);
                    sources.push(node);
                    context.decode(node, scope).unwrap_or_default()
                }
                None => {
                    is_complete = false;
                    ClientOptions::default()
                }
            },
            None => ClientOptions::default(),
        };
        let options = client_over(own, client_over(profile, base));
        let mut draft = DraftFlow::new(name, span, options);
        // A key that is there without a value was reported as wrong.
        let has_key =
            |key: &str| sources.iter().any(|source| context.document.entry(*source, key).is_some());
        draft.note_refused(has_key, is_complete);
        self.place(&mut draft, scope);
        draft
    }

    /// Finds the client's host and its server.
    fn place(&self, draft: &mut DraftFlow, scope: &Scope) {
        draft.host = match &draft.options.host {
            Some(host) => self.find_host(host).map(|_| host.value.clone()),
            None if draft.is_unsure_of("host") => None,
            // That a scenario has no local host is reported once for all clients.
            None => self.default_host().map(str::to_owned),
        };
        match &draft.options.server {
            Some(reference) => {
                let before = self.context.findings.count();
                draft.server = self.resolve_server(reference, scope);
                draft.server_is_sound = self.context.findings.count() == before;
            }
            None if draft.is_unsure_of("server") => {}
            None => self.context.findings.add(
                Diagnostic::error(
                    "missing-key",
                    draft.span,
                    format!("the client {} has no `server`", quoted(&draft.name)),
                )
                .help("name one of `servers`, or write it in place: `server: { port: 5001 }`"),
            ),
        }
        draft.inherit_transport();
    }

    fn find_profile(&self, name: &Spanned<String>) -> Option<Deferred> {
        let profile = self.profiles.get(name.as_str()).copied();
        if profile.is_none() && !self.is_refused("profiles") {
            let names = self.profiles.keys().map(|name| name.as_str());
            let help = did_you_mean(name, names.clone()).unwrap_or_else(|| {
                match names.collect::<Vec<_>>().as_slice() {
                    [] => "the scenario has no `profiles`".to_owned(),
                    names => format!("the profiles are: {}", names.join(", ")),
                }
            });
            self.context.findings.add(
                Diagnostic::error(
                    "unknown-profile",
                    name.span,
                    format!("there is no profile {}", quoted(name)),
                )
                .help(help),
            );
        }
        profile
    }
}
