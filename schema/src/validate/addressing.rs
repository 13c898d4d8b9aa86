use indexmap::IndexMap;

use super::DraftFlow;
use super::address::parse_bind;
use crate::Spanned;
use crate::diagnostic::{Diagnostic, Findings};
use crate::scenario::{BindAddress, Host, IncrementOptions, PortChoice, PortRange};

/// Reports ports and addresses of streams that do not fit each other or the server.
pub(super) fn check_addressing(
    flow: &DraftFlow,
    hosts: &IndexMap<String, Host>,
    findings: &Findings,
) {
    check_port_range(flow, findings);
    let Some(increment) = &flow.options.increment else { return };
    check_sources(flow, increment, findings);
    let is_ours = flow
        .server
        .as_ref()
        .and_then(|server| hosts.get(&server.host))
        .is_some_and(|host| !matches!(host, Host::External { .. }));
    if is_ours {
        check_destinations(flow, increment, findings);
    }
}

/// The ports that a flow uses, one for each stream: its own, else its server's.
fn ports(flow: &DraftFlow) -> Option<Spanned<PortRange>> {
    let of_server = || match flow.server.as_ref()?.options.port.as_ref()? {
        Spanned { value: PortChoice::Fixed(ports), span } => Some(Spanned::new(*ports, *span)),
        Spanned { value: PortChoice::Auto, .. } => None,
    };
    flow.options.port.clone().or_else(of_server)
}

/// A range has one stream for each port.
fn check_port_range(flow: &DraftFlow, findings: &Findings) {
    let Some(ports) = ports(flow).filter(|ports| ports.count().get() > 1) else { return };
    let Some(parallel) = &flow.options.parallel else { return };
    let count = ports.count().get();
    if parallel.value != count {
        let message = format!("{} streams do not go with {count} ports", parallel.value);
        findings.add(
            Diagnostic::error("conflicting-options", parallel.span, message)
                .related(ports.span, format!("one stream for each of the ports {}", ports.value))
                .help(format!(
                    "remove `parallel`, or give the client one `port` of {}",
                    ports.value
                )),
        );
    }
}

fn check_sources(flow: &DraftFlow, increment: &IncrementOptions, findings: &Findings) {
    let bind = flow.options.bind.as_ref();
    // What is no address was reported as such.
    if bind.is_some_and(|bind| parse_bind(bind).is_none()) {
        return;
    }
    let bind = bind.and_then(|bind| parse_bind(bind));
    let address = |bind: &BindAddress| bind.address.filter(|address| !address.is_unspecified());
    if let Some(wanted) = wanted(increment.source_address.as_ref())
        && bind.as_ref().and_then(address).is_none()
    {
        findings.add(
            Diagnostic::error(
                "missing-key",
                wanted.span,
                "there is no local address to count up from",
            )
            .help("add the first one, such as `bind: 192.0.2.1`"),
        );
    }
    if let Some(wanted) = wanted(increment.source_port.as_ref())
        && bind.as_ref().and_then(|bind| bind.port).is_none()
    {
        findings.add(
            Diagnostic::error(
                "missing-key",
                wanted.span,
                "there is no local port to count up from",
            )
            .help("add the first one, such as `bind: 0.0.0.0:6001`"),
        );
    }
}

/// A server that is started for the test has to listen where the streams go.
fn check_destinations(flow: &DraftFlow, increment: &IncrementOptions, findings: &Findings) {
    let Some(server) = &flow.server else { return };
    let bound = server.options.bind.as_ref();
    let address = bound.and_then(|bind| parse_bind(bind)).and_then(|bind| bind.address);
    if let (Some(wanted), Some(bound)) = (wanted(increment.destination_address.as_ref()), bound)
        && address.is_some_and(|address| !address.is_unspecified())
    {
        findings.add(
            Diagnostic::error(
                "conflicting-options",
                wanted.span,
                "the server listens at one address only",
            )
            .related(bound.span, "bound here")
            .help("remove the server's `bind`, so that it listens at all addresses of its host"),
        );
    }
    let streams = flow.options.parallel.as_ref().map_or(1, |parallel| parallel.value);
    let listens_at = match server.options.port.as_ref().map(|port| port.value) {
        Some(PortChoice::Fixed(ports)) => ports.count().get(),
        _ => flow.options.port.as_ref().map_or(1, |ports| ports.count().get()),
    };
    if let Some(wanted) = wanted(increment.destination_port.as_ref())
        && listens_at < streams
    {
        let message = format!(
            "{streams} streams go to as many ports, and the server listens at {listens_at}"
        );
        findings.add(
            Diagnostic::error("conflicting-options", wanted.span, message)
                .help("give the server a range of ports, such as `port: 5001-5004`"),
        );
    }
}

fn wanted(option: Option<&Spanned<bool>>) -> Option<&Spanned<bool>> {
    option.filter(|option| option.value)
}
