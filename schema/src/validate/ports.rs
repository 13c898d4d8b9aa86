use indexmap::IndexMap;

use super::DraftFlow;
use super::address::parse_bind;
use crate::diagnostic::{Diagnostic, Findings};
use crate::scenario::{Host, PortChoice, Transport};
use crate::{Span, Spanned};

/// A server that a case starts on this machine at a fixed port.
struct Listener<'a> {
    port: u16,
    span: Span,
    transport: Transport,
    bind: Option<&'a Spanned<String>>,
    /// Flows that agree on this share a server.
    identity: Option<(&'a str, Option<&'a str>)>,
}

/// Reports servers of one case that would listen at the same port. All local hosts are this machine.
pub(crate) fn check_ports(
    flows: &[DraftFlow],
    hosts: &IndexMap<String, Host>,
    findings: &Findings,
) {
    let mut listeners: Vec<Listener<'_>> = Vec::new();
    for listener in flows.iter().filter_map(|flow| listener(flow, hosts)) {
        if listeners.iter().any(|other| other.is_shared_with(&listener)) {
            continue;
        }
        if let Some(other) = listeners.iter().find(|other| other.clashes_with(&listener)) {
            findings.add(
                Diagnostic::error(
                    "port-clash",
                    listener.span,
                    format!("two servers of this test listen at port {}", listener.port),
                )
                .related(other.span, "the other one")
                .help("give them different ports, `port: auto`, or one name under `servers`"),
            );
        }
        listeners.push(listener);
    }
}

fn listener<'a>(flow: &'a DraftFlow, hosts: &IndexMap<String, Host>) -> Option<Listener<'a>> {
    let server = flow.server.as_ref()?;
    let Some(Host::Local { .. }) = hosts.get(&server.host) else { return None };
    let (port, span) = match (&server.options.port, &flow.options.port) {
        (Some(Spanned { value: PortChoice::Fixed(port), span }), _) => (*port, *span),
        (_, Some(port)) => (port.value, port.span),
        _ => return None,
    };
    let key = flow.options.permit_key.as_ref().map(|key| key.as_str());
    Some(Listener {
        port,
        span,
        transport: flow.transport()?,
        bind: server.options.bind.as_ref(),
        identity: server.name.as_deref().map(|name| (name, key)),
    })
}

impl Listener<'_> {
    fn is_shared_with(&self, other: &Self) -> bool {
        self.identity.is_some()
            && (self.identity, self.port, self.transport)
                == (other.identity, other.port, other.transport)
    }

    fn clashes_with(&self, other: &Self) -> bool {
        let address = |listener: &Self| {
            listener.bind.and_then(|bind| parse_bind(bind)).filter(|bind| !bind.is_unspecified())
        };
        let is_apart = match (address(self), address(other)) {
            (Some(ours), Some(theirs)) => ours != theirs,
            _ => false,
        };
        (self.port, self.transport) == (other.port, other.transport) && !is_apart
    }
}
