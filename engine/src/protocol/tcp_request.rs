//! What a TCP client asks of a server: the test header that it sends.

use std::time::Duration;

use crate::config::{Amount, ClientConfig, Direction, Length, Rate, TcpClientOptions};
use crate::error::EngineError;
use crate::wire::tcp::{BurstHeader, CongestionControl, PermitKey, TestHeader};
use crate::wire::{self, BaseFlags, Extension, LowerFlags, Start, Threads, UpperFlags, WireTime};

/// A barrier wait below this is not told, as in iperf.
const SHORTEST_BARRIER_WAIT: Duration = Duration::from_micros(100);

/// The request of one client, the same for all of its streams but for the times in it.
#[derive(Debug, Clone)]
pub struct ClientRequest {
    header: TestHeader,
    key: Option<PermitKey>,
}

/// A request as it goes over the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedRequest {
    /// The header, and the permit key right behind it. To be sent in one call.
    pub bytes: Vec<u8>,
    /// Bytes of the header alone: these count as data at both ends, a key does not.
    pub header_length: usize,
}

impl ClientRequest {
    /// Makes the request for a configuration.
    ///
    /// # Errors
    /// When the configuration says something that the protocol cannot express, or that TCP cannot do.
    pub fn new(config: &ClientConfig, options: &TcpClientOptions) -> Result<Self, EngineError> {
        check(config)?;
        let mut header = TestHeader::request();
        header.base.threads = Threads::of_streams(config.parallel.get().into());
        header.base.port = config.server.port().into();
        header.base.buffer_length = match config.length {
            Length::Default(_) => 0,
            Length::Chosen(bytes) => {
                u32::try_from(bytes).map_err(|_| impossible("a length above 4 GiB does not fit"))?
            }
        };
        header.base.amount = match config.amount {
            Amount::Time(time) => wire::Amount::from_time(time),
            Amount::Bytes(bytes) => wire::Amount::from_bytes(bytes),
        };
        header.extension = Some(extension(config));
        if config.direction == Direction::Reverse {
            header.base.flags = header.base.flags | BaseFlags::VERSION2;
        }
        if let Some(name) = &options.tcp.congestion {
            let name =
                CongestionControl::new(name).map_err(|error| impossible(&error.to_string()))?;
            header = header.with_congestion_control(name);
        }
        let key = match &options.permit_key {
            Some(key) => Some(permit_key(&key.0)?),
            None => None,
        };
        if let Some(key) = &key {
            header = header.with_permit_key(key);
        }
        Ok(Self { header, key })
    }

    /// The same request for a stream to another port of the server.
    #[must_use]
    pub fn at_port(&self, port: u16) -> Self {
        let mut request = self.clone();
        request.header.base.port = port.into();
        request
    }

    /// Whether a permit key is shown to the server.
    #[must_use]
    pub fn shows_key(&self) -> bool {
        self.key.is_some()
    }

    /// The request of a stream that starts now, at `start`, after it waited for its siblings.
    ///
    /// # Errors
    /// When it would be longer than a header can be.
    pub fn encode(
        &self,
        start: WireTime,
        barrier_wait: Duration,
    ) -> Result<EncodedRequest, EngineError> {
        let mut header = self.header.clone();
        if header.upper().contains(UpperFlags::TRIP_TIMES) {
            header.start = Some(Start { time: start, fq_rate_bytes_per_second: 0 });
        }
        if let Some(extension) =
            header.extension.as_mut().filter(|_| barrier_wait >= SHORTEST_BARRIER_WAIT)
        {
            extension.lower = extension.lower | LowerFlags::BARRIER_TIME;
            extension.barrier_wait_microseconds =
                u32::try_from(barrier_wait.as_micros()).unwrap_or(u32::MAX);
        }
        let mut bytes = Vec::new();
        header.encode_into(&mut bytes).map_err(|error| impossible(&error.to_string()))?;
        let header_length = bytes.len();
        if let Some(key) = &self.key {
            bytes.extend_from_slice(key.as_bytes());
        }
        Ok(EncodedRequest { bytes, header_length })
    }
}

/// A permit key of a configuration, if it can be sent.
///
/// # Errors
/// When it is shorter or longer than iperf takes.
pub fn permit_key(key: &str) -> Result<PermitKey, EngineError> {
    PermitKey::new(key.as_bytes()).map_err(|error| EngineError::System {
        operation: "use the permit key".into(),
        reason: error.to_string(),
    })
}

fn extension(config: &ClientConfig) -> Extension {
    let mut upper = UpperFlags::default();
    if config.trip_times {
        upper = upper | UpperFlags::TRIP_TIMES;
    }
    if config.direction == Direction::Reverse {
        upper = upper | UpperFlags::REVERSE;
    }
    Extension {
        upper,
        // The kernel keeps the two ECN bits of a TCP connection to itself, so they are not asked for.
        tos: u16::from(config.socket.tos.unwrap_or(0) & 0xfc),
        rate: match config.rate {
            Rate::BitsPerSecond(rate) => wire::Rate::from_bits_per_second(rate),
            Rate::Unlimited | Rate::PacketsPerSecond(_) => wire::Rate::default(),
        },
        ..Extension::of_this_version()
    }
}

fn check(config: &ClientConfig) -> Result<(), EngineError> {
    let length = config.length.bytes();
    if config.direction == Direction::FullDuplex {
        return Err(impossible("TCP sends one way at a time; use UDP, or one client for each way"));
    }
    if matches!(config.rate, Rate::PacketsPerSecond(_)) {
        return Err(impossible("TCP has no rate in packets per second; give it in bit/s"));
    }
    if length == 0 {
        return Err(impossible("a write needs at least one byte"));
    }
    if config.trip_times && length < BurstHeader::LENGTH {
        return Err(impossible(&format!(
            "trip times need a length of at least {} bytes",
            BurstHeader::LENGTH
        )));
    }
    match (config.amount, config.direction) {
        (Amount::Bytes(0), _) => {
            Err(impossible("an amount of no bytes cannot be told to the server"))
        }
        (Amount::Bytes(bytes), Direction::Reverse) if i32::try_from(bytes).is_err() => {
            Err(impossible(
                "a server can be asked for at most 2147483647 bytes per stream; ask for a time, or for more streams",
            ))
        }
        _ => Ok(()),
    }
}

fn impossible(reason: &str) -> EngineError {
    EngineError::System { operation: "ask the server for this test".into(), reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;
    use crate::config::{self, ClientTransport, SocketOptions, TcpSocketOptions};

    fn config() -> ClientConfig {
        ClientConfig {
            server: "127.0.0.1:5001".parse().unwrap(),
            bind: None,
            transport: ClientTransport::Tcp(options()),
            direction: Direction::Forward,
            amount: Amount::Time(Duration::from_secs(1)),
            rate: Rate::Unlimited,
            length: Length::Default(131_072),
            parallel: NonZeroU16::MIN,
            interval: None,
            socket: SocketOptions::default(),
            trip_times: false,
            addressing: config::Addressing::default(),
        }
    }

    fn options() -> TcpClientOptions {
        TcpClientOptions {
            connect_timeout: Duration::from_secs(5),
            tcp: TcpSocketOptions::default(),
            permit_key: None,
        }
    }

    fn encoded(config: &ClientConfig, options: &TcpClientOptions) -> EncodedRequest {
        let start = WireTime { seconds: 0x6b0d_e3f6, microseconds: 0xc5e3 };
        ClientRequest::new(config, options).unwrap().encode(start, Duration::ZERO).unwrap()
    }

    /// Words as in the captures of the protocol page.
    fn hex(bytes: &[u8]) -> String {
        let words: Vec<String> = bytes
            .chunks(4)
            .map(|word| word.iter().map(|byte| format!("{byte:02x}")).collect())
            .collect();
        words.join(" ")
    }

    fn refusal(config: &ClientConfig) -> String {
        ClientRequest::new(config, &options()).unwrap_err().to_string()
    }

    // The expected bytes are those of iperf 2.2.1 (section 7 of the protocol page) but for the build class in the second
    // version word, which says "release" here.

    #[test]
    fn a_plain_test_has_the_header_of_iperf() {
        assert_eq!(
            hex(&encoded(&config(), &options()).bytes),
            "40010080 00000001 00001389 00000000 00000000 ffffff9c 00000000 00000000 \
             00000000 00020002 00010003 00000000 00000000 00000000 00000000 00000000"
        );
    }

    #[test]
    fn reverse_with_rate_and_length_tells_the_server_what_to_send() {
        let config = ClientConfig {
            direction: Direction::Reverse,
            rate: Rate::BitsPerSecond(20_000_000),
            length: Length::Chosen(10_000),
            parallel: NonZeroU16::new(3).unwrap(),
            socket: SocketOptions { tos: Some(0xbb), ..SocketOptions::default() },
            ..config()
        };
        assert_eq!(
            hex(&encoded(&config, &options()).bytes),
            "44010080 00000003 00001389 00002710 00000000 ffffff9c 00000000 00000000 \
             04000000 00020002 00010003 000000b8 01312d00 00000000 00000000 00000000"
        );
    }

    #[test]
    fn trip_times_add_the_start_of_the_clock() {
        let config =
            ClientConfig { trip_times: true, amount: Amount::Bytes(1_000_000), ..config() };
        assert_eq!(
            hex(&encoded(&config, &options()).bytes),
            "400100a0 00000001 00001389 00000000 00000000 000f4240 00000000 00000000 \
             00100000 00020002 00010003 00000000 00000000 00000000 00000000 00000000 \
             6b0de3f6 0000c5e3 00000000 00000000"
        );
    }

    #[test]
    fn a_permit_key_follows_the_header_and_does_not_count_in_its_length() {
        let options = TcpClientOptions {
            permit_key: Some(config::PermitKey("ABCDEFGH".into())),
            ..options()
        };
        let request = encoded(&config(), &options);
        assert_eq!(
            hex(&request.bytes),
            "50010084 00000001 00001389 00000000 00000000 ffffff9c 00000000 00000000 \
             00000000 00020002 00010003 00000000 00000000 00000000 00000000 00000000 \
             00084142 43444546 4748"
        );
        assert_eq!(request.header_length, 66);
    }

    #[test]
    fn a_congestion_control_is_named_behind_the_fixed_layout() {
        let tcp =
            TcpSocketOptions { congestion: Some("cubic".into()), ..TcpSocketOptions::default() };
        let bytes = encoded(&config(), &TcpClientOptions { tcp, ..options() }).bytes;
        assert_eq!(hex(&bytes[..4]), "400100ee");
        assert_eq!(hex(&bytes[32..36]), "00008000");
        assert_eq!(&bytes[112..], b"\x00\x05cubic");
    }

    #[test]
    fn a_barrier_wait_is_told_from_a_tenth_of_a_millisecond_on() {
        let request = ClientRequest::new(&config(), &options()).unwrap();
        let header = |wait| {
            let encoded = request.encode(WireTime::default(), Duration::from_micros(wait)).unwrap();
            TestHeader::decode(&encoded.bytes).unwrap().extension.unwrap()
        };
        assert_eq!(
            (header(99).lower, header(99).barrier_wait_microseconds),
            (LowerFlags::default(), 0)
        );
        assert_eq!(
            (header(100).lower, header(100).barrier_wait_microseconds),
            (LowerFlags::BARRIER_TIME, 100)
        );
    }

    #[test]
    fn what_the_protocol_cannot_express_is_refused_with_a_way_out() {
        let base = config();
        let pps = ClientConfig { rate: Rate::PacketsPerSecond(10.0), ..base.clone() };
        assert!(refusal(&pps).ends_with("give it in bit/s"));
        let short = ClientConfig { trip_times: true, length: Length::Chosen(91), ..base.clone() };
        assert!(refusal(&short).ends_with("at least 92 bytes"));
        let empty = ClientConfig { amount: Amount::Bytes(0), ..base.clone() };
        assert!(refusal(&empty).contains("no bytes"));
        let huge = ClientConfig {
            amount: Amount::Bytes(1 << 31),
            direction: Direction::Reverse,
            ..base.clone()
        };
        assert!(refusal(&huge).contains("2147483647"));
        let forward = ClientConfig { amount: Amount::Bytes(1 << 31), ..base };
        assert!(ClientRequest::new(&forward, &options()).is_ok());
    }

    #[test]
    fn a_key_of_a_wrong_length_is_refused_without_showing_it() {
        let options =
            TcpClientOptions { permit_key: Some(config::PermitKey("abc".into())), ..options() };
        let error = ClientRequest::new(&config(), &options).unwrap_err().to_string();
        assert_eq!(
            error,
            "failed to use the permit key: permit key is 3 bytes long, at least 4 are needed"
        );
    }
}
