use std::fmt;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::plan::AddressFamily;

/// Why a name has no address. `Display` says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolveError {
    /// The system's resolver knows no address.
    Unknown {
        /// The name.
        name: String,
        /// The resolver's words.
        reason: String,
    },
    /// It has only addresses of the other family.
    WrongFamily {
        /// The name.
        name: String,
    },
    /// The resolver did not answer in time.
    Timeout {
        /// The name.
        name: String,
        /// How long it had.
        after: Duration,
    },
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, reason } => write!(
                f,
                "no address for {name:?} ({reason}): check the spelling and the name server, or write an IP address"
            ),
            Self::WrongFamily { name } => write!(
                f,
                "{name:?} has no IPv6 address: remove ipv6, or write the IPv6 address of the host"
            ),
            Self::Timeout { name, after } => write!(
                f,
                "no answer about {name:?} from the name server within {:.0} s: check it, or write an IP address",
                after.as_secs_f64()
            ),
        }
    }
}

impl std::error::Error for ResolveError {}

/// The address of a host by its IP address or its name, with `port`.
///
/// A name goes to the system's resolver, for at most `timeout`. With [`AddressFamily::Ipv6`] only IPv6 will do; otherwise
/// IPv4 is taken if there is any, as iperf does.
///
/// # Errors
/// When the name has no address of a usable family, or the resolver takes too long.
pub fn resolve(
    name: &str,
    port: u16,
    family: AddressFamily,
    timeout: Duration,
) -> Result<SocketAddr, ResolveError> {
    let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    // The zone is a name on the client's host, which may be another one.
    let literal = bare.split_once('%').map_or(bare, |(address, _)| address);
    if let Ok(address) = literal.parse::<IpAddr>() {
        return choose(name, &[SocketAddr::new(address, port)], family);
    }
    let (answer, answers) = mpsc::channel();
    let question = (bare.to_owned(), port);
    let unknown = |reason: String| ResolveError::Unknown { name: name.to_owned(), reason };
    thread::Builder::new()
        .name("resolver".to_owned())
        .spawn(move || {
            // The asker may be gone by then; nobody needs the answer any more.
            let _ = answer.send(question.to_socket_addrs().map(Vec::from_iter));
        })
        .map_err(|error| unknown(error.to_string()))?;
    match answers.recv_timeout(timeout) {
        Ok(Ok(addresses)) => choose(name, &addresses, family),
        Ok(Err(error)) => Err(unknown(error.to_string())),
        Err(RecvTimeoutError::Timeout) => {
            Err(ResolveError::Timeout { name: name.to_owned(), after: timeout })
        }
        Err(RecvTimeoutError::Disconnected) => Err(unknown("the resolver failed".to_owned())),
    }
}

/// The interface in an address such as `fe80::1%eth0`.
#[must_use]
pub fn zone(name: &str) -> Option<String> {
    let (address, zone) = name.split_once('%')?;
    address.parse::<IpAddr>().ok().map(|_| zone.to_owned())
}

fn choose(
    name: &str,
    addresses: &[SocketAddr],
    family: AddressFamily,
) -> Result<SocketAddr, ResolveError> {
    let ipv6 = addresses.iter().find(|address| address.is_ipv6());
    let ipv4 = addresses.iter().find(|address| address.is_ipv4());
    let chosen = match family {
        AddressFamily::Ipv6 if ipv6.is_none() && ipv4.is_some() => {
            return Err(ResolveError::WrongFamily { name: name.to_owned() });
        }
        AddressFamily::Ipv6 => ipv6,
        AddressFamily::Ipv4 => ipv4.or(ipv6),
    };
    chosen.copied().ok_or_else(|| ResolveError::Unknown {
        name: name.to_owned(),
        reason: "the resolver gave none".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    #[test]
    fn literals_need_no_resolver() {
        let resolved =
            |text, family| resolve(text, 5001, family, Duration::ZERO).map(|a| a.to_string());
        assert_eq!(resolved("192.0.2.1", AddressFamily::Ipv4), Ok("192.0.2.1:5001".to_owned()));
        assert_eq!(
            resolved("2001:db8::1", AddressFamily::Ipv6),
            Ok("[2001:db8::1]:5001".to_owned())
        );
        assert_eq!(resolved("[::1]", AddressFamily::Ipv6), Ok("[::1]:5001".to_owned()));
        assert_eq!(resolved("fe80::1%eth7", AddressFamily::Ipv6), Ok("[fe80::1]:5001".to_owned()));
        assert_eq!(zone("fe80::1%eth7"), Some("eth7".to_owned()));
        assert_eq!((zone("fe80::1"), zone("50%off")), (None, None));
        assert!(resolved("192.0.2.1", AddressFamily::Ipv6).is_err());
    }

    #[test]
    fn a_name_of_this_machine_resolves() {
        let address = resolve("localhost", 7, AddressFamily::Ipv4, PATIENCE).expect("localhost");
        assert!(address.ip().is_loopback());
        assert_eq!(address.port(), 7);
    }

    #[test]
    fn a_name_that_cannot_exist_says_what_to_do() {
        // A label of more than 63 characters is refused without asking anybody.
        let name = "x".repeat(64);
        let error = resolve(&name, 7, AddressFamily::Ipv4, PATIENCE).expect_err("no such name");
        assert!(error.to_string().contains("check the spelling"), "{error}");
    }

    #[test]
    fn the_family_decides_among_the_addresses_of_a_name() {
        let both = ["[2001:db8::1]:7".parse().unwrap(), "192.0.2.1:7".parse().unwrap()];
        let chosen = |addresses: &[SocketAddr], family| choose("name", addresses, family);
        assert_eq!(chosen(&both, AddressFamily::Ipv4), Ok(both[1]));
        assert_eq!(chosen(&both, AddressFamily::Ipv6), Ok(both[0]));
        assert_eq!(chosen(&both[..1], AddressFamily::Ipv4), Ok(both[0]));
        assert!(chosen(&both[1..], AddressFamily::Ipv6).is_err());
        assert!(chosen(&[], AddressFamily::Ipv4).is_err());
    }
}
