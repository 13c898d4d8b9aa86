use std::net::IpAddr;

use indexmap::IndexMap;

use super::DraftFlow;
use super::address::{bind_address, parse_bind};
use crate::Span;
use crate::diagnostic::{Diagnostic, Findings, quoted};
use crate::scenario::Host;

/// Reports addresses of a flow that are of different families, and `bind` values that are no addresses.
pub(super) fn check_family(flow: &DraftFlow, hosts: &IndexMap<String, Host>, findings: &Findings) {
    let options = &flow.options;
    let own = options
        .bind
        .as_ref()
        .and_then(|bind| Some((bind_address(bind, findings)?.address?, bind.span)));
    let Some(server) = flow.server.as_ref().filter(|_| !flow.is_unsure_of("ipv6")) else { return };
    let switch = options.ipv6.as_ref().or(server.options.ipv6.as_ref());
    let bound = server.options.bind.as_ref();
    let bound = bound.and_then(|bind| Some((parse_bind(bind)?.address?, bind.span)));
    let target = hosts.get(&server.host).and_then(address);

    // What is settled first wins; the others must agree with it.
    let mut family: Option<(bool, Span, String)> = None;
    let stated = [
        target.map(|(address, span)| {
            (address.is_ipv6(), span, format!("the host's address {address}"))
        }),
        bound.map(|(address, span)| {
            (address.is_ipv6(), span, format!("the server's bind {address}"))
        }),
        switch.map(|ipv6| (ipv6.value, ipv6.span, format!("`ipv6: {}`", ipv6.value))),
        own.map(|(address, span)| {
            (address.is_ipv6(), span, format!("the client's bind {address}"))
        }),
    ];
    for (is_ipv6, span, what) in stated.into_iter().flatten() {
        match &family {
            None => family = Some((is_ipv6, span, what)),
            Some((settled, first, other)) if *settled != is_ipv6 => findings.add(
                Diagnostic::error(
                    "address-family",
                    span,
                    format!("{what} does not go with {other}: one is IPv4, the other IPv6"),
                )
                .related(*first, "the other one")
                .help("use one address family for both ends"),
            ),
            Some(_) => {}
        }
    }
    // Without address the flow goes over the loopback address of IPv4.
    if family
        .as_ref()
        .is_some_and(|(is_ipv6, span, _)| *is_ipv6 && Some(*span) == own.map(|own| own.1))
        && !has_name(hosts.get(&server.host))
        && let Some(bind) = &options.bind
    {
        findings.add(
            Diagnostic::error(
                "address-family",
                bind.span,
                format!("the client binds to {}, but the flow goes over IPv4", quoted(bind)),
            )
            .help("add `ipv6: true`, or an IPv6 `address` to the server's host"),
        );
    }
}

/// The host's address, if it is not a name.
fn address(host: &Host) -> Option<(IpAddr, Span)> {
    let (Host::Local { address: Some(address) } | Host::External { address }) = host else {
        return None;
    };
    let literal = address.split('%').next().unwrap_or_default();
    Some((literal.parse().ok()?, address.span))
}

/// Whether the host is reached by a DNS name, whose family is not known here.
fn has_name(host: Option<&Host>) -> bool {
    host.is_some_and(|host| host.address().is_some() && address(host).is_none())
}
