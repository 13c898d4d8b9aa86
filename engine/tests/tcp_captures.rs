//! The requests and answers of the engine against those that were recorded from iperf.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod captures;

use std::num::NonZeroU16;
use std::time::Duration;

use captures::{Capture, bytes};
use linerate_engine::config::{
    self, Addressing, Amount, ClientConfig, ClientTransport, Direction, Length, Rate,
    SocketOptions, TcpClientOptions, TcpSocketOptions,
};
use linerate_engine::protocol::tcp_answer::{acknowledgement, check_key, reply_header};
use linerate_engine::protocol::tcp_burst::BurstReader;
use linerate_engine::protocol::tcp_request::ClientRequest;
use linerate_engine::protocol::tcp_service::{Service, Work};
use linerate_engine::protocol::tcp_stamps::Stamps;
use linerate_engine::wire::WireTime;
use linerate_engine::wire::tcp::{Acknowledgement, FirstWord, KeyPolicy, PermitKey, TestHeader};

/// Clients of iperf 2.2.1 whose options the engine has.
const REQUESTS: [&str; 19] = [
    "tcp-enhanced",
    "tcp-num",
    "tcp-parallel",
    "tcp-permit-key",
    "tcp-permit-key-trip-times-reverse",
    "tcp-plain",
    "tcp-rate-64bit",
    "tcp-reverse",
    "tcp-reverse-num",
    "tcp-reverse-parallel",
    "tcp-reverse-rate",
    "tcp-tcp-cca",
    "tcp-tcp-cca-permit-key",
    "tcp-tcp-cca-reverse",
    "tcp-time-fraction",
    "tcp-tos",
    "tcp-trip-times",
    "tcp-trip-times-num",
    "tcp-trip-times-reverse",
];

/// The configuration that iperf's arguments ask for.
fn configuration(arguments: &str) -> (ClientConfig, TcpClientOptions) {
    let mut options = TcpClientOptions {
        connect_timeout: Duration::from_secs(1),
        tcp: TcpSocketOptions::default(),
        permit_key: None,
    };
    let mut config = ClientConfig {
        server: "127.0.0.1:5001".parse().unwrap(),
        bind: None,
        transport: ClientTransport::Tcp(options.clone()),
        direction: Direction::Forward,
        amount: Amount::Time(Duration::from_secs(10)),
        rate: Rate::Unlimited,
        length: Length::Default(131_072),
        parallel: NonZeroU16::MIN,
        interval: None,
        socket: SocketOptions::default(),
        trip_times: false,
        addressing: Addressing::default(),
    };
    let mut words = arguments.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "-e" => {}
            "-c" => drop(words.next()),
            "-R" => config.direction = Direction::Reverse,
            "--trip-times" => config.trip_times = true,
            "-t" => config.amount = Amount::Time(Duration::from_secs_f64(number(words.next()))),
            "-n" => config.amount = Amount::Bytes(count(words.next())),
            "-b" => config.rate = Rate::BitsPerSecond(count(words.next())),
            "-l" => config.length = Length::Chosen(count(words.next()).try_into().unwrap()),
            "-P" => config.parallel = words.next().unwrap().parse().unwrap(),
            "-S" => {
                assert_eq!(words.next(), Some("af41"));
                config.socket.tos = Some(0x88);
            }
            "-Z" | "--tcp-cca" => options.tcp.congestion = words.next().map(str::to_owned),
            other => {
                let key = other.strip_prefix("--permit-key=").unwrap();
                options.permit_key = Some(config::PermitKey(key.into()));
            }
        }
    }
    (config, options)
}

fn number(word: Option<&str>) -> f64 {
    word.unwrap().parse().unwrap()
}

fn count(word: Option<&str>) -> u64 {
    let word = word.unwrap();
    let (digits, factor) = match word.as_bytes().last() {
        Some(b'k') => (&word[..word.len() - 1], 1_000),
        Some(b'm') => (&word[..word.len() - 1], 1_000_000),
        Some(b'g') => (&word[..word.len() - 1], 1_000_000_000),
        Some(b'K') => (&word[..word.len() - 1], 1_024),
        _ => (word, 1),
    };
    digits.parse::<u64>().unwrap() * factor
}

/// Without what differs from run to run: the build class, the barrier wait, and a start time, which iperf sends also where
/// it means nothing.
fn masked(mut request: Vec<u8>, header_length: usize) -> Vec<u8> {
    request[43] = 0;
    request[34] &= 0xbf;
    request[60..64].fill(0);
    if header_length >= 80 {
        request[64..72].fill(0);
    }
    request
}

#[test]
fn requests_are_those_of_iperf() {
    for name in REQUESTS {
        let capture = captures::load(name);
        let (config, options) = configuration(capture.content["client_args"].as_str().unwrap());
        let request = ClientRequest::new(&config, &options).unwrap();
        let start = WireTime { seconds: 1, microseconds: 2 };
        let ours = request.encode(start, Duration::ZERO).unwrap();
        let theirs = bytes(&capture.content["client_to_server_hex"]);
        let length = ours.header_length;
        // The length word of a permit key may lie in the masked barrier wait of a short header only by accident.
        assert_eq!(
            masked(ours.bytes.clone(), length),
            masked(theirs[..ours.bytes.len()].to_vec(), length),
            "{name}"
        );
        // The barrier wait is behind 60 bytes in every header of this generation.
        assert!(length >= 64, "{name}");
    }
}

/// The header of a recorded client and the key behind it, unless it sent neither.
fn recorded_header(capture: &Capture) -> Option<(TestHeader, Option<Vec<u8>>)> {
    let sent = bytes(&capture.content["client_to_server_hex"]);
    let word = sent.get(..4)?.try_into().unwrap();
    let FirstWord::Header { length } = FirstWord::classify(word, KeyPolicy::Open) else {
        return None;
    };
    let header = TestHeader::decode(&sent).unwrap();
    let key = header.key_length.map(|key| sent[length..length + usize::from(key)].to_vec());
    Some((header, key))
}

fn server_key(capture: &Capture) -> Option<PermitKey> {
    let arguments = capture.content["server_args"].as_str().unwrap();
    let key = arguments.split_whitespace().find_map(|word| word.strip_prefix("--permit-key="))?;
    // iperf cuts a longer key.
    Some(PermitKey::new(&key.as_bytes()[..key.len().min(PermitKey::MAX_LENGTH)]).unwrap())
}

#[test]
fn every_recorded_client_gets_the_answer_that_iperf_gave() {
    let (mut answered, mut unanswered, mut refused, mut unserved) = (0, 0, 0, Vec::new());
    for capture in captures::all("tcp-") {
        let compatibility = capture.name == "tcp-compat-server";
        let Some((header, key)) = recorded_header(&capture).filter(|_| !compatibility) else {
            continue;
        };
        let answer = bytes(&capture.content["server_to_client_hex"]);
        if check_key(server_key(&capture).as_ref(), key.as_deref()).is_err() {
            assert!(answer.is_empty(), "{}", capture.name);
            refused += 1;
            continue;
        }
        let start = header.start.map_or(WireTime::default(), |start| start.time);
        let length = Length::Default(131_072);
        let Ok(service) = Service::of_header(&header, start.since_epoch(), length) else {
            unserved.push(capture.name);
            continue;
        };
        let Some(ours) = acknowledgement(&header, service.stamps(), start, start) else {
            assert!(Acknowledgement::decode(&answer).is_err(), "{}", capture.name);
            unanswered += 1;
            continue;
        };
        let theirs = Acknowledgement::decode(&answer).unwrap();
        let ours = Acknowledgement::decode(&ours).unwrap();
        assert_eq!(
            ours.times.map(|times| times.sent),
            theirs.times.map(|times| times.sent),
            "{}",
            capture.name
        );
        answered += 1;
    }
    assert_eq!((answered, unanswered, refused), (47, 14, 3));
    insta::assert_snapshot!(unserved.join("\n"));
}

#[test]
fn a_server_that_is_asked_for_trip_times_begins_as_iperf_does() {
    for name in ["tcp-trip-times-reverse", "tcp-v218-trip-times-reverse"] {
        let capture = captures::load(name);
        let (request, _) = recorded_header(&capture).unwrap();
        let theirs = bytes(&capture.content["server_to_client_hex"]);
        let start = TestHeader::decode(&theirs).unwrap().start.unwrap().time;
        let ours = reply_header(&request, start).unwrap();
        let no_version = |header: &[u8]| {
            let mut header = TestHeader::decode(header).unwrap();
            header.extension.as_mut().unwrap().version = Default::default();
            header.extent = Default::default();
            header
        };
        assert_eq!(no_version(&ours), no_version(&theirs), "{name}");
    }
}

/// Where the bursts of a recorded stream begin, if its bursts are stamped.
fn first_burst(stream: &[u8]) -> Option<usize> {
    let FirstWord::Header { length } =
        FirstWord::classify(stream.get(..4)?.try_into().unwrap(), KeyPolicy::Open)
    else {
        return None;
    };
    let header = TestHeader::decode(stream).ok()?;
    let service =
        Service::of_header(&header, header.start?.time.since_epoch(), Length::Default(1)).ok()?;
    let stamped = matches!(service.work, Work::Receive { stamps: Stamps::Present, .. });
    stamped.then(|| length + header.key_length.map_or(0, usize::from))
}

#[test]
fn the_first_burst_of_every_recorded_stream_with_trip_times_is_found() {
    let mut found = Vec::new();
    for capture in captures::all("tcp-") {
        for direction in ["client_to_server_hex", "server_to_client_hex"] {
            let stream = bytes(&capture.content[direction]);
            let Some(begin) = first_burst(&stream) else { continue };
            let mut reader = BurstReader::new();
            let mut ignore = |_| {};
            reader.take(&stream[begin..stream.len().min(begin + 92)], 0, &mut ignore);
            assert!(!reader.is_out_of_step(), "{} {direction}", capture.name);
            found.push(format!("{} {direction}: {:?}", capture.name, reader.wanted()));
        }
    }
    insta::assert_snapshot!(found.join("\n"));
}
