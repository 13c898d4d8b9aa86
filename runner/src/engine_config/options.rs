//! Small readers of single options, shared by both ends.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::time::Duration;

use linerate_engine::config::{SocketOptions, TcpSocketOptions};
use linerate_schema::Spanned;
use linerate_schema::scenario::BindAddress;
use linerate_schema::units::{ByteCount, DiffServ, Seconds};

use super::ConfigError;

/// iperf's shortest interval.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(5);

/// The value of an option, if it was given.
pub(super) fn given<T: Copy>(option: Option<&Spanned<T>>) -> Option<T> {
    option.map(|option| option.value)
}

/// Refuses a value outside `range`.
pub(super) fn within<T: PartialOrd + Copy + std::fmt::Display>(
    option: &'static str,
    value: T,
    range: &RangeInclusive<T>,
) -> Result<T, ConfigError> {
    if range.contains(&value) {
        return Ok(value);
    }
    let possible = format!("{} to {}", range.start(), range.end());
    Err(ConfigError::OutOfRange { option, given: value.to_string(), possible })
}

/// The interval, at least 5 ms.
pub(super) fn interval(option: Option<&Spanned<Seconds>>) -> Result<Option<Duration>, ConfigError> {
    let Some(Seconds(interval)) = given(option) else { return Ok(None) };
    if interval < SHORTEST_INTERVAL {
        let given = format!("{interval:?}");
        let possible = "at least 5 ms".to_owned();
        return Err(ConfigError::OutOfRange { option: "interval", given, possible });
    }
    Ok(Some(interval))
}

/// A number of bytes as the platform counts them, within `range`.
pub(super) fn bytes(
    option: &'static str,
    count: ByteCount,
    range: &RangeInclusive<u64>,
) -> Result<usize, ConfigError> {
    let bytes = within(option, count.0, range)?;
    usize::try_from(bytes).map_err(|_| ConfigError::OutOfRange {
        option,
        given: bytes.to_string(),
        possible: format!("at most {}", usize::MAX),
    })
}

/// What a socket is bound to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Binding {
    /// The address, with port 0 where none is given.
    pub(super) address: Option<SocketAddr>,
    /// The network interface.
    pub(super) device: Option<String>,
}

impl Binding {
    pub(super) fn read(text: &str) -> Result<Self, ConfigError> {
        let Some(BindAddress { address, port, device }) = BindAddress::parse(text) else {
            return Err(ConfigError::NotAnAddress { option: "bind", given: text.to_owned() });
        };
        let port = port.unwrap_or(0);
        Ok(Self { address: address.map(|address| SocketAddr::new(address, port)), device })
    }
}

/// Options that any socket has.
pub(super) fn socket_options(
    window: Option<&Spanned<ByteCount>>,
    tos: Option<DiffServ>,
    ttl: Option<u8>,
) -> Result<SocketOptions, ConfigError> {
    let window = given(window).map(|count| bytes("window", count, &(1..=i32::MAX as u64)));
    let ttl = ttl.map(|ttl| within("ttl", ttl, &(1..=u8::MAX)));
    Ok(SocketOptions {
        window: window.transpose()?,
        tos: tos.map(|DiffServ(byte)| byte),
        ttl: ttl.transpose()?,
        device: None,
    })
}

/// Options of a TCP socket.
pub(super) fn tcp_socket_options(
    mss: Option<u16>,
    nodelay: bool,
    congestion: Option<&Spanned<String>>,
) -> Result<TcpSocketOptions, ConfigError> {
    let mss = mss.map(|mss| within("mss", mss, &(88..=65_495)));
    let congestion = congestion.map(|name| name.value.clone());
    Ok(TcpSocketOptions { mss: mss.transpose()?, nodelay, congestion })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binding_has_an_address_or_an_interface() {
        let read = |text: &str| {
            Binding::read(text).map(|Binding { address, device }| {
                (address.map(|address| address.to_string()), device)
            })
        };
        let table = [
            ("192.0.2.1", Some("192.0.2.1:0"), None),
            ("[2001:db8::1]:6001", Some("[2001:db8::1]:6001"), None),
            ("192.0.2.1:6001%eth1", Some("192.0.2.1:6001"), Some("eth1")),
            ("%eth1", None, Some("eth1")),
        ];
        for (text, address, device) in table {
            assert_eq!(read(text), Ok((address.map(str::to_owned), device.map(str::to_owned))));
        }
        assert!(read("eth0").is_err());
    }
}
