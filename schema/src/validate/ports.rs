use indexmap::IndexMap;

use super::DraftFlow;
use super::address::parse_bind;
use crate::diagnostic::{Diagnostic, Findings};
use crate::scenario::{Host, PortChoice, PortRange, Transport};
use crate::{Span, Spanned};

/// A server that a case starts on this machine at a fixed port.
struct Listener<'a> {
    ports: PortRange,
    span: Span,
    transport: Transport,
    bind: Option<&'a Spanned<String>>,
    name: Option<&'a str>,
    key: Option<&'a Spanned<String>>,
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
            findings.add(clash(other, &listener));
        }
        listeners.push(listener);
    }
}

fn clash(other: &Listener<'_>, listener: &Listener<'_>) -> Diagnostic {
    let port = listener.ports.first().max(other.ports.first());
    if let Some(key) = listener.key
        && listener.name.is_some()
        && listener.name == other.name
    {
        let message = format!("the server at port {port} cannot have two permit keys");
        return Diagnostic::error("port-clash", key.span, message)
            .related(other.key.map_or(other.span, |key| key.span), "the other flow")
            .help("give both flows the same key, or use `port: auto`");
    }
    let message = format!("two servers of this test listen at port {port}");
    Diagnostic::error("port-clash", listener.span, message)
        .related(other.span, "the other one")
        .help("give them different ports, `port: auto`, or one name under `servers`")
}

fn listener<'a>(flow: &'a DraftFlow, hosts: &IndexMap<String, Host>) -> Option<Listener<'a>> {
    let server = flow.server.as_ref()?;
    let Some(Host::Local { .. }) = hosts.get(&server.host) else { return None };
    let (ports, span) = match (&server.options.port, &flow.options.port) {
        (Some(Spanned { value: PortChoice::Fixed(ports), span }), _) => (*ports, *span),
        (_, Some(ports)) => (ports.value, ports.span),
        _ => return None,
    };
    Some(Listener {
        ports,
        span,
        transport: flow.transport()?,
        bind: server.options.bind.as_ref(),
        name: server.name.as_deref(),
        key: flow.options.permit_key.as_ref(),
    })
}

impl Listener<'_> {
    /// Flows that name the same entry and ask for the same socket share a server.
    fn is_shared_with(&self, other: &Self) -> bool {
        self.name.is_some()
            && (self.name, self.key, self.ports, self.transport)
                == (other.name, other.key, other.ports, other.transport)
    }

    fn clashes_with(&self, other: &Self) -> bool {
        let address = |listener: &Self| {
            let bound = listener.bind.and_then(|bind| parse_bind(bind))?.address;
            bound.filter(|address| !address.is_unspecified())
        };
        let is_apart = match (address(self), address(other)) {
            (Some(ours), Some(theirs)) => ours != theirs,
            _ => false,
        };
        self.ports.overlaps(other.ports) && self.transport == other.transport && !is_apart
    }
}
