use indexmap::IndexMap;

use super::DraftFlow;
use super::address::bind_address;
use super::client::{
    LONGEST_WRITE, check_bytes, check_congestion, check_interval, check_window, tcp_only_option,
};
use super::range::check_range;
use crate::Spanned;
use crate::diagnostic::{Diagnostic, Findings};
use crate::scenario::{BindAddress, Host, ServerOptions, Transport};

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
