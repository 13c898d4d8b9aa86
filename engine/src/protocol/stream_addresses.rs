//! The addresses of each stream of a client, where they count up.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::config::ClientConfig;
use crate::error::EngineError;

/// Where a stream connects to, and from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamAddresses {
    /// Address and port of the server.
    pub server: SocketAddr,
    /// Local address; port 0 lets the system choose.
    pub bind: Option<SocketAddr>,
}

impl StreamAddresses {
    /// The addresses of stream `index` (from 0): those of the first one, with `index` added to what counts up. A fixed
    /// local port always does, since no two streams can have the same one.
    ///
    /// # Errors
    /// When addresses or ports end before.
    pub fn of(config: &ClientConfig, index: u16) -> Result<Self, EngineError> {
        let increment = config.addressing.increment;
        let steps = |wanted: bool| if wanted { index } else { 0 };
        let server = raised(
            config.server,
            (steps(increment.destination_address), steps(increment.destination_port)),
            ("reach", index),
        )?;
        let bind = config.bind.map(|first| {
            let ports = steps(first.port() != 0);
            raised(first, (steps(increment.source_address), ports), ("bind", index))
        });
        Ok(Self { server, bind: bind.transpose()? })
    }
}

fn raised(
    mut first: SocketAddr,
    (addresses, ports): (u16, u16),
    (verb, index): (&str, u16),
) -> Result<SocketAddr, EngineError> {
    let stream = u32::from(index) + 1;
    let ip = above(first.ip(), addresses).ok_or_else(|| EngineError::System {
        operation: format!("{verb} stream {stream} at an address {addresses} above {}", first.ip()),
        reason: "addresses end before; choose a lower one".into(),
    })?;
    let port = first.port().checked_add(ports).ok_or_else(|| EngineError::System {
        operation: format!("{verb} stream {stream} at a port {ports} above {}", first.port()),
        reason: "ports end at 65535; choose a lower one".into(),
    })?;
    // Keeps the scope of an IPv6 address.
    first.set_ip(ip);
    first.set_port(port);
    Ok(first)
}

fn above(ip: IpAddr, steps: u16) -> Option<IpAddr> {
    match ip {
        IpAddr::V4(ip) => {
            u32::from(ip).checked_add(steps.into()).map(|ip| Ipv4Addr::from(ip).into())
        }
        IpAddr::V6(ip) => {
            u128::from(ip).checked_add(steps.into()).map(|ip| Ipv6Addr::from(ip).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;
    use std::time::Duration;

    use super::*;
    use crate::config::{
        Addressing, Amount, ClientTransport, Direction, Increment, Length, Rate, SocketOptions,
    };

    fn config(server: &str, bind: Option<&str>, increment: Increment) -> ClientConfig {
        ClientConfig {
            server: server.parse().unwrap(),
            bind: bind.map(|bind| bind.parse().unwrap()),
            transport: ClientTransport::Udp,
            direction: Direction::Forward,
            amount: Amount::Time(Duration::from_secs(1)),
            rate: Rate::Unlimited,
            length: Length::Default(1470),
            parallel: NonZeroU16::MIN,
            interval: None,
            socket: SocketOptions::default(),
            trip_times: false,
            addressing: Addressing { increment, ..Addressing::default() },
        }
    }

    const ALL: Increment =
        Increment { destination_address: true, destination_port: true, source_address: true };

    fn shown(config: &ClientConfig, index: u16) -> String {
        match StreamAddresses::of(config, index) {
            Ok(StreamAddresses { server, bind: None }) => server.to_string(),
            Ok(StreamAddresses { server, bind: Some(bind) }) => format!("{server} from {bind}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn only_what_was_asked_for_counts_up_and_a_fixed_local_port() {
        let none = Increment::default();
        let plain = config("192.0.2.1:5001", Some("192.0.2.9:0"), none);
        assert_eq!(shown(&plain, 3), "192.0.2.1:5001 from 192.0.2.9:0");
        let fixed = config("192.0.2.1:5001", Some("192.0.2.9:6000"), none);
        assert_eq!(shown(&fixed, 3), "192.0.2.1:5001 from 192.0.2.9:6003");
        let all = config("192.0.2.255:5001", Some("192.0.2.9:6000"), ALL);
        assert_eq!(shown(&all, 0), "192.0.2.255:5001 from 192.0.2.9:6000");
        assert_eq!(shown(&all, 2), "192.0.3.1:5003 from 192.0.2.11:6002");
        let ipv6 = config("[fe80::ffff%3]:5001", None, ALL);
        assert_eq!(shown(&ipv6, 1), "[fe80::1:0%3]:5002");
        let ports = config(
            "192.0.2.1:5001",
            None,
            Increment { destination_port: true, ..Increment::default() },
        );
        assert_eq!(shown(&ports, 1), "192.0.2.1:5002");
    }

    #[test]
    fn the_last_address_and_port_are_not_passed() {
        let high_port = config("192.0.2.1:65535", None, ALL);
        assert_eq!(
            shown(&high_port, 1),
            "failed to reach stream 2 at a port 1 above 65535: ports end at 65535; choose a lower one"
        );
        let last = config("192.0.2.1:1", Some("255.255.255.255:0"), ALL);
        assert_eq!(
            shown(&last, 1),
            "failed to bind stream 2 at an address 1 above 255.255.255.255: addresses end before; choose a lower one"
        );
    }
}
