use std::net::{IpAddr, SocketAddr};

use crate::Spanned;
use crate::diagnostic::{Diagnostic, Findings, quoted};
use crate::scenario::BindAddress;

/// Reports the address of a host that is neither an IP address nor a DNS name.
pub(crate) fn check_host_address(address: &Spanned<String>, findings: &Findings) {
    let help = if address.parse::<SocketAddr>().is_ok()
        || (address.matches(':').count() == 1 && address.rsplit(':').next().is_some_and(is_number))
    {
        "give the port with the server: `server: { host: …, port: 5001 }`"
    } else if address.starts_with('[') {
        "write an IPv6 address without brackets"
    } else if address.parse::<IpAddr>().is_ok() || is_scoped(address) || is_dns_name(address) {
        return;
    } else {
        "write an IP address such as `192.0.2.9` or `2001:db8::9`, or a DNS name"
    };
    findings.add(
        Diagnostic::error(
            "invalid-address",
            address.span,
            format!("{} is not an address", quoted(address)),
        )
        .help(help),
    );
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `fe80::1%eth0`
fn is_scoped(text: &str) -> bool {
    text.split_once('%').is_some_and(|(address, zone)| {
        matches!(address.parse(), Ok(IpAddr::V6(_)))
            && !zone.is_empty()
            && zone.bytes().all(|b| b.is_ascii_graphic())
    })
}

/// Labels of letters, digits and inner `-` or `_`, the last one not a number: that would be a mistyped IP address.
fn is_dns_name(text: &str) -> bool {
    let name = text.strip_suffix('.').unwrap_or(text);
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= 253
        && name.split('.').all(is_label)
        && !name.rsplit('.').next().is_some_and(is_number)
}

/// What a `bind` says; none when it is no address, which is reported.
pub(super) fn bind_address(bind: &Spanned<String>, findings: &Findings) -> Option<BindAddress> {
    let address = parse_bind(bind);
    if address.is_none() {
        findings.add(
            Diagnostic::error(
                "invalid-address",
                bind.span,
                format!("{} is not an address to bind to", quoted(bind)),
            )
            .help("write an IP address of the host, with a port or an interface if needed: `192.0.2.1`, `192.0.2.1:6001`, `[2001:db8::1]:6001`, `192.0.2.1%eth1`, `%eth1`"),
        );
    }
    address
}

/// What a `bind` says; none when it is no address.
pub(super) fn parse_bind(text: &str) -> Option<BindAddress> {
    BindAddress::parse(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    fn is_accepted(text: &str) -> bool {
        let findings = Findings::default();
        let span = Span { line: 1, ..Span::default() };
        check_host_address(&Spanned::new(text.to_owned(), span), &findings);
        findings.count() == 0
    }

    #[test]
    fn addresses_and_names_are_told_from_mistakes() {
        for good in
            ["192.0.2.9", "2001:db8::9", "::1", "fe80::1%eth0", "localhost", "wan-1.example.com."]
        {
            assert!(is_accepted(good), "{good}");
        }
        for bad in [
            "",
            "192.0.2",
            "192.0.2.256",
            "192.0.2.9:5001",
            "wan:5001",
            "[::1]",
            "[::1]:5001",
            "a b",
            "-a.example",
            "a..b",
            "fe80::1%",
            "2001:db8:::9",
            "http://wan",
        ] {
            assert!(!is_accepted(bad), "{bad}");
        }
    }
}
