//! What a UDP client asks of a server: the header that its datagrams repeat.

use crate::config::{Amount, ClientConfig, Direction, Length, Rate};
use crate::error::EngineError;
use crate::wire::payload::fill_digits;
use crate::wire::udp::{DatagramPrefix, TestHeader};
use crate::wire::{self, BaseFlags, Extension, Start, Threads, UpperFlags, WireTime};

/// Largest payload of a datagram over IPv4; IPv6 would take 20 bytes more.
pub const LONGEST_DATAGRAM: usize = 65_507;

/// What a reverse client asks for when it sets no limit. A server takes no rate for 1 Mbit/s, and this one for none.
pub const UNLIMITED_BITS_PER_SECOND: u64 = 1_000_000_000_000;

/// The request of a client, the same for all of its streams but for the start time.
#[derive(Debug, Clone)]
pub struct UdpClientRequest {
    header: TestHeader,
    length: usize,
}

impl UdpClientRequest {
    /// Makes the request for a configuration.
    ///
    /// # Errors
    /// When the configuration says something that the protocol cannot express.
    pub fn new(config: &ClientConfig) -> Result<Self, EngineError> {
        check(config)?;
        let mut header = TestHeader::request();
        header.base.threads = Threads::of_streams(config.parallel.get().into());
        header.base.port = config.server.port().into();
        header.base.buffer_length = match config.length {
            Length::Default(_) => 0,
            // Checked to be in range.
            Length::Chosen(bytes) => u32::try_from(bytes).unwrap_or(0),
        };
        header.base.amount = match config.amount {
            Amount::Time(time) => wire::Amount::from_time(time),
            Amount::Bytes(bytes) => wire::Amount::from_bytes(bytes),
        };
        if config.direction.has_reverse() {
            header.base.flags = header.base.flags | BaseFlags::VERSION2;
        }
        header.extension = Some(extension(config));
        header.start = config.trip_times.then(Start::default);
        Ok(Self { header: header.with_derived_words(), length: config.length.bytes() })
    }

    /// The same request for a stream to another port of the server.
    #[must_use]
    pub fn at_port(mut self, port: u16) -> Self {
        self.header.base.port = port.into();
        self
    }

    /// Bytes that the first datagram has at least, so that it holds the whole header however short the others are.
    #[must_use]
    pub fn header_length(&self) -> usize {
        self.header.first_datagram_length(0)
    }

    /// A datagram with header and payload, for a stream that starts at `start`. It is as long as
    /// the longest; shorter ones are its first bytes. The prefix is to be written over it.
    #[must_use]
    pub fn datagram(&self, start: WireTime) -> Vec<u8> {
        let mut header = self.header;
        if let Some(part) = &mut header.start {
            part.time = start;
        }
        let mut datagram = vec![0; self.header.first_datagram_length(self.length)];
        fill_digits(&mut datagram);
        header.encode_over(&mut datagram);
        datagram
    }
}

fn extension(config: &ClientConfig) -> Extension {
    let mut upper = UpperFlags::default();
    if config.trip_times {
        upper = upper | UpperFlags::TRIP_TIMES;
    }
    upper = match config.direction {
        Direction::Forward => upper,
        Direction::Reverse => upper | UpperFlags::REVERSE,
        Direction::FullDuplex => upper | UpperFlags::FULL_DUPLEX | UpperFlags::NO_UDP_FIN,
    };
    let rate = wire::Rate::from_bits_per_second(offered_rate(config));
    let tos = config.socket.tos.unwrap_or(0).into();
    Extension { upper, tos, rate, ..Extension::of_this_version() }
}

/// The rate field. A client that sends tells packets per second as they are; a server that shall send them knows only
/// bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the rate is checked to be finite and positive, and float to integer casts saturate"
)]
fn offered_rate(config: &ClientConfig) -> u64 {
    match (config.rate, config.direction.has_reverse()) {
        (Rate::BitsPerSecond(rate), _) => rate,
        (Rate::Unlimited, false) => 0,
        (Rate::Unlimited, true) => UNLIMITED_BITS_PER_SECOND,
        (Rate::PacketsPerSecond(rate), false) => rate as u64,
        (Rate::PacketsPerSecond(rate), true) => {
            (rate * 8.0 * config.length.bytes() as f64).round() as u64
        }
    }
}

fn check(config: &ClientConfig) -> Result<(), EngineError> {
    let length = config.length.bytes();
    if !(DatagramPrefix::LENGTH..=LONGEST_DATAGRAM).contains(&length) {
        return Err(impossible(&format!(
            "datagrams of {length} bytes cannot be sent; choose a length from {} to {LONGEST_DATAGRAM}",
            DatagramPrefix::LENGTH
        )));
    }
    if let Rate::PacketsPerSecond(rate) = config.rate
        && !(rate.is_finite() && rate > 0.0)
    {
        return Err(impossible("a rate in packets per second must be above zero"));
    }
    match (config.amount, config.direction.has_reverse()) {
        (Amount::Bytes(0), _) => Err(impossible("an amount of no bytes sends nothing")),
        (Amount::Bytes(bytes), true) if i32::try_from(bytes).is_err() => Err(impossible(
            "a server can be asked for at most 2147483647 bytes per stream; ask for a time, or for more streams",
        )),
        _ => Ok(()),
    }
}

fn impossible(reason: &str) -> EngineError {
    EngineError::System { operation: "prepare the UDP test".into(), reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;
    use std::time::Duration;

    use super::*;
    use crate::config::{Addressing, ClientTransport, SocketOptions};

    fn config() -> ClientConfig {
        ClientConfig {
            server: "127.0.0.1:6001".parse().unwrap(),
            bind: None,
            transport: ClientTransport::Udp,
            direction: Direction::Forward,
            amount: Amount::Time(Duration::from_secs(1)),
            rate: Rate::BitsPerSecond(1_048_576),
            length: Length::Default(1470),
            parallel: NonZeroU16::MIN,
            interval: None,
            socket: SocketOptions::default(),
            trip_times: false,
            addressing: Addressing::default(),
        }
    }

    fn words(config: &ClientConfig, end: usize) -> String {
        let request = UdpClientRequest::new(config).unwrap();
        let datagram =
            request.datagram(WireTime { seconds: 0x6b0d_de93, microseconds: 0x000b_dd19 });
        let word =
            |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        datagram[16..end].chunks(4).map(word).collect::<Vec<_>>().join(" ")
    }

    // Observed datagrams of iperf 2.2.1; its release candidate sets 1 where a release has 3.
    #[test]
    fn a_plain_request_is_that_of_iperf() {
        assert_eq!(
            words(&config(), 80),
            "480100a0 00000001 00001771 00000000 00000000 ffffff9c 00000000 00000000 \
             00000000 00020002 00010003 00000000 00100000 00000000 00000000 00000000"
        );
    }

    #[test]
    fn a_reverse_request_with_trip_times_is_that_of_iperf() {
        let config = ClientConfig { direction: Direction::Reverse, trip_times: true, ..config() };
        assert_eq!(
            words(&config, 128),
            "6c0100e0 00000001 00001771 00000000 00000000 ffffff9c 00000000 00000000 \
             04100000 00020002 00010003 00000000 00100000 00000000 00000000 00000000 \
             00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 \
             6b0dde93 000bdd19 00000000 00000000"
        );
    }

    #[test]
    fn a_full_duplex_request_is_that_of_iperf() {
        let config = ClientConfig { direction: Direction::FullDuplex, ..config() };
        assert_eq!(
            words(&config, 80),
            "6c0100a0 00000001 00001771 00000000 00000000 ffffff9c 00000000 00000000 \
             08080000 00020002 00010003 00000000 00100000 00000000 00000000 00000000"
        );
    }

    #[test]
    fn a_short_datagram_is_stretched_once_and_the_rest_is_digits() {
        let config = ClientConfig { length: Length::Chosen(16), ..config() };
        let request = UdpClientRequest::new(&config).unwrap();
        assert_eq!(
            (request.header_length(), request.datagram(WireTime::default()).len()),
            (80, 80)
        );
        let long =
            UdpClientRequest::new(&ClientConfig { length: Length::Chosen(200), ..config }).unwrap();
        assert_eq!(long.datagram(WireTime::default())[160..164], *b"0123");
    }

    #[test]
    fn packets_per_second_are_told_as_bits_to_a_server_that_sends_them() {
        let rate = Rate::PacketsPerSecond(100.0);
        assert_eq!(offered_rate(&ClientConfig { rate, ..config() }), 100);
        let reverse = ClientConfig { rate, direction: Direction::Reverse, ..config() };
        assert_eq!(offered_rate(&reverse), 1_176_000);
    }

    #[test]
    fn what_cannot_be_sent_is_refused_with_the_way_out() {
        let refused =
            |config: ClientConfig| UdpClientRequest::new(&config).unwrap_err().to_string();
        insta::assert_snapshot!(
            [
                refused(ClientConfig { length: Length::Chosen(15), ..config() }),
                refused(ClientConfig { length: Length::Chosen(65_508), ..config() }),
                refused(ClientConfig { rate: Rate::PacketsPerSecond(0.0), ..config() }),
                refused(ClientConfig { amount: Amount::Bytes(0), ..config() }),
                refused(ClientConfig {
                    amount: Amount::Bytes(1 << 31),
                    direction: Direction::Reverse,
                    ..config()
                }),
            ]
            .join("\n")
        );
    }
}
