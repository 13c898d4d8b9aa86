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

        let mut options = own;
        let mut next = options.r#use.clone().or_else(|| base.r#use.clone());
        let mut profiles = Vec::new();
        while let Some(name) = next {
            let Some(Deferred(node)) = self.find_profile(&name, &profiles) else {
                is_complete = false;
                break;
            };
            profiles.push(node);
            let profile: ClientOptions = context.decode(node, scope).unwrap_or_default();
            next = profile.r#use.clone();
            options = client_over(options, profile);
        }
        // A `use` that is there without a name was reported as wrong.
        let names_profile = |node: &NodeId| context.document.entry(*node, "use").is_some();
        is_complete &= !profiles.is_empty() || !sources.iter().any(names_profile);
        self.used.borrow_mut().extend(&profiles);
        sources.extend(profiles);
        let options = client_over(options, base);
        let mut draft = DraftFlow::new(name, span, options);
        // A key that is there without a value was reported as wrong.
        let has_key =
            |key: &str| sources.iter().any(|source| context.document.entry(*source, key).is_some());
        let is_misspelt = sources.iter().any(|node| context.document.has_misspelt(*node, "server"));
        draft.note_refused(|key| has_key(key) || (key == "server" && is_misspelt), is_complete);
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

    /// The profile of this name; none for an unknown one, or one that is in use already, which is reported.
    pub(super) fn find_profile(&self, name: &Spanned<String>, used: &[NodeId]) -> Option<Deferred> {
        let profile = self.profiles.get(name.as_str()).copied();
        if profile.is_some_and(|Deferred(node)| used.contains(&node)) {
            let message = format!("the profile {} uses itself", quoted(name));
            self.context.findings.add(
                Diagnostic::error("profile-cycle", name.span, message).help("remove this `use`"),
            );
            return None;
        }
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
