use std::net::IpAddr;

use indexmap::IndexMap;

use super::DraftFlow;
use super::address::{bind_address, parse_bind};
use super::client::{
    LONGEST_WRITE, check_bytes, check_congestion, check_interval, check_window, tcp_only_option,
};
use super::range::check_range;
use crate::Spanned;
use crate::diagnostic::{Diagnostic, Findings};
use crate::scenario::{BindAddress, Host, PortChoice, ServerOptions, Transport};

/// Reports what is wrong with the options of a flow's server.
pub(crate) fn check_server(flow: &DraftFlow, hosts: &IndexMap<String, Host>, findings: &Findings) {
    let Some(server) = &flow.server else { return };
    let options = &server.options;
    check_server_options(options, findings);
    if flow.transport() == Some(Transport::Udp) {
        let transport = options.transport.as_ref().or(flow.options.transport.as_ref());
        for (key, span) in [
            ("mss", options.mss.as_ref().map(|option| option.span)),
            ("congestion", options.congestion.as_ref().map(|option| option.span)),
        ] {
            if let Some(span) = span {
                findings.add(tcp_only_option(key, span, transport));
            }
        }
    }
    if let Some(Host::External { address }) = hosts.get(&server.host) {
        refuse_options(options, address, findings);
    } else {
        check_local_port(flow, findings);
        check_reach(flow, hosts, findings);
    }
}

/// A server of ours listens where it says, so a client cannot look for it elsewhere.
fn check_local_port(flow: &DraftFlow, findings: &Findings) {
    let server = flow.server.as_ref().and_then(|server| server.options.port.as_ref());
    let (Some(wanted), Some(Spanned { value: PortChoice::Fixed(port), span })) =
        (&flow.options.port, server)
    else {
        return;
    };
    let (first, last) = (wanted.value.first(), wanted.value.last());
    if first < port.first() || last > port.last() {
        let message = format!("the client connects to port {wanted}, its server listens at {port}");
        findings.add(
            Diagnostic::error("port-mismatch", wanted.span, message)
                .related(*span, "the server's port")
                .help("remove the client's `port`; it is for external servers"),
        );
    }
}

/// A server bound to one address is not reached at another.
fn check_reach(flow: &DraftFlow, hosts: &IndexMap<String, Host>, findings: &Findings) {
    let Some(server) = &flow.server else { return };
    let Some(Host::Local { address: Some(address) }) = hosts.get(&server.host) else { return };
    let Some(bind) = &server.options.bind else { return };
    let bound = parse_bind(bind).and_then(|bind| bind.address);
    let (Ok(target), Some(bound)) = (address.parse::<IpAddr>(), bound) else { return };
    let is_one_of_many = bound.is_unspecified() || bound.is_multicast();
    if bound != target && bound.is_ipv4() == target.is_ipv4() && !is_one_of_many {
        let message = format!("a server bound to {bound} is not reached at {target}");
        findings.add(
            Diagnostic::error("unreachable-server", bind.span, message)
                .related(address.span, "the host's address")
                .help("use the same address for both, or remove `bind`"),
        );
    }
}

/// Reports what is wrong with the options of a server, whoever uses it.
pub(crate) fn check_server_options(options: &ServerOptions, findings: &Findings) {
    check_range("mss", options.mss.as_ref(), 88..=65_495, findings);
    check_window(options.window.as_ref(), findings);
    check_bytes("length", options.length.as_ref(), 1..=LONGEST_WRITE, findings);
    check_congestion(options.congestion.as_ref(), findings);
    if let Some(interval) = &options.interval {
        check_interval(interval, findings);
    }
    if let Some(bind) = &options.bind
        && let Some(BindAddress { port: Some(port), .. }) = bind_address(bind, findings)
    {
        findings.add(
            Diagnostic::error("invalid-address", bind.span, "a server's `bind` has no port")
                .help(format!("write `port: {port}`, and `bind` without it")),
        );
    }
}

/// An external server was started by somebody else, with options of its own.
fn refuse_options(options: &ServerOptions, address: &Spanned<String>, findings: &Findings) {
    let refused = [
        ("length", options.length.as_ref().map(|option| option.span)),
        ("window", options.window.as_ref().map(|option| option.span)),
        ("mss", options.mss.as_ref().map(|option| option.span)),
        ("congestion", options.congestion.as_ref().map(|option| option.span)),
        ("tos", options.tos.as_ref().map(|option| option.span)),
        ("bind", options.bind.as_ref().map(|option| option.span)),
        ("interval", options.interval.as_ref().map(|option| option.span)),
    ];
    if let Some(Spanned { value: PortChoice::Auto, span }) = &options.port {
        findings.add(
            Diagnostic::error(
                "external-server",
                *span,
                "the port of an external server cannot be chosen here",
            )
            .related(address.span, "this host runs its own iperf server")
            .help("give the port that it listens at, such as `port: 5001`"),
        );
    }
    for (key, span) in refused {
        let Some(span) = span else { continue };
        findings.add(
            Diagnostic::error(
                "external-server",
                span,
                format!("`{key}` cannot be set on an external server"),
            )
            .related(address.span, "this host runs its own iperf server")
            .help("remove it; such a server takes only `host`, `port`, `transport` and `ipv6`"),
        );
    }
}
