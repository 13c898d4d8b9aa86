use std::net::{IpAddr, SocketAddr};

/// Longest name of a network interface on Linux.
const LONGEST_DEVICE: usize = 15;

/// What `bind` says: an address, a port, an interface, in any combination that has an address or an interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindAddress {
    /// The address; absent for an interface alone.
    pub address: Option<IpAddr>,
    /// The port; absent when the system chooses.
    pub port: Option<u16>,
    /// Name of a network interface; of an IPv6 address the zone.
    pub device: Option<String>,
}

impl BindAddress {
    /// Reads `192.0.2.1`, `192.0.2.1:6001`, `2001:db8::1`, `[2001:db8::1]:6001`, each with `%eth0` at its end or, in brackets,
    /// behind the address; or `%eth0` alone. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (place, device) = match text.split_once('%') {
            None => (text.to_owned(), None),
            Some((before, rest)) => match rest.split_once(']') {
                // `[fe80::1%eth0]:6001`
                Some((device, after)) => (format!("{before}]{after}"), Some(device)),
                None => (before.to_owned(), Some(rest)),
            },
        };
        if device.is_some_and(|device| !is_device(device)) {
            return None;
        }
        let device = device.map(str::to_owned);
        if place.is_empty() {
            return device.map(|device| Self { address: None, port: None, device: Some(device) });
        }
        let bare = place.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Ok(address) = bare.unwrap_or(&place).parse::<IpAddr>() {
            return Some(Self { address: Some(address), port: None, device });
        }
        let with_port: SocketAddr = place.parse().ok()?;
        let port = Some(with_port.port()).filter(|port| *port != 0);
        Some(Self { address: Some(with_port.ip()), port, device })
    }
}

/// Whether this can name a network interface.
fn is_device(text: &str) -> bool {
    (1..=LONGEST_DEVICE).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'/' | b':' | b'%' | b'['))
        && !matches!(text, "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(Option<String>, Option<u16>, Option<String>)> {
        let bind = BindAddress::parse(text)?;
        Some((bind.address.map(|address| address.to_string()), bind.port, bind.device))
    }

    #[test]
    fn addresses_ports_and_interfaces_are_told_apart() {
        let table = [
            ("192.0.2.1", Some("192.0.2.1"), None, None),
            ("192.0.2.1:6001", Some("192.0.2.1"), Some(6001), None),
            ("0.0.0.0:6001", Some("0.0.0.0"), Some(6001), None),
            ("2001:db8::1", Some("2001:db8::1"), None, None),
            ("[2001:db8::1]", Some("2001:db8::1"), None, None),
            ("[2001:db8::1]:6001", Some("2001:db8::1"), Some(6001), None),
            ("192.0.2.1%eth1", Some("192.0.2.1"), None, Some("eth1")),
            ("192.0.2.1:6001%eth1.100", Some("192.0.2.1"), Some(6001), Some("eth1.100")),
            ("fe80::1%eth0", Some("fe80::1"), None, Some("eth0")),
            ("[fe80::1%eth0]", Some("fe80::1"), None, Some("eth0")),
            ("[fe80::1%eth0]:6001", Some("fe80::1"), Some(6001), Some("eth0")),
            ("[fe80::1]:6001%eth0", Some("fe80::1"), Some(6001), Some("eth0")),
            ("%eth1", None, None, Some("eth1")),
            ("192.0.2.1:0", Some("192.0.2.1"), None, None),
        ];
        for (text, address, port, device) in table {
            let expected = (address.map(str::to_owned), port, device.map(str::to_owned));
            assert_eq!(read(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "%",
            "eth0",
            "192.0.2.1%",
            "192.0.2.1%eth/0",
            "192.0.2.1%a-name-of-16-chars",
            "192.0.2.1%eth0%eth1",
            "192.0.2.1:99999",
            "300.1.1.1",
            ":6001",
            "[fe80::1%eth0",
            "%eth 0",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
