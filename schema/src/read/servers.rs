use super::merge::server_over;
use super::reader::Reader;
use crate::decode::Deferred;
use crate::diagnostic::{Diagnostic, quoted};
use crate::scenario::{FlowServer, Host, PortChoice, ServerOptions, ServerReference};
use crate::suggest::did_you_mean;
use crate::template::Scope;
use crate::{Span, Spanned};

impl Reader<'_, '_> {
    /// The server that a client refers to, its host known; none when something about it was reported.
    pub(super) fn resolve_server(
        &self,
        reference: &Spanned<ServerReference>,
        scope: &Scope,
    ) -> Option<FlowServer> {
        let (name, own) = match &reference.value {
            ServerReference::InPlace(options) => (None, options.as_ref().clone()),
            ServerReference::Named(name) => {
                let node = self.find_server(name, reference.span)?;
                self.used.borrow_mut().insert(node.0);
                (Some(name.clone()), self.context.decode::<ServerOptions>(node.0, scope).ok()?)
            }
        };
        let base = match self.defaults.server {
            Some(Deferred(node)) => self.context.decode(node, scope).unwrap_or_default(),
            None => ServerOptions::default(),
        };
        let host = match own.host.as_ref().or(base.host.as_ref()) {
            Some(host) => {
                self.find_host(host)?;
                host.value.clone()
            }
            None => self.default_host()?.to_owned(),
        };
        // What a server of ours does by default means nothing to somebody else's.
        let base = match self.hosts.get(&host) {
            Some(Host::External { .. }) => ServerOptions {
                port: base.port.filter(|port| port.value != PortChoice::Auto),
                transport: base.transport,
                ipv6: base.ipv6,
                ..ServerOptions::default()
            },
            _ => base,
        };
        Some(FlowServer { name, host, options: server_over(own, base) })
    }

    fn find_server(&self, name: &str, span: Span) -> Option<Deferred> {
        let server = self.servers.get(name).copied();
        if server.is_none() && !self.is_refused("servers") {
            let names = self.servers.keys().map(|name| name.as_str());
            let help = did_you_mean(name, names.clone()).unwrap_or_else(|| {
                match names.collect::<Vec<_>>().as_slice() {
                    [] => format!("add it under `servers`: `{name}: {{}}`"),
                    names => format!("the servers are: {}", names.join(", ")),
                }
            });
            self.context.findings.add(
                Diagnostic::error(
                    "unknown-server",
                    span,
                    format!("there is no server {}", quoted(name)),
                )
                .help(help),
            );
        }
        server
    }
}
