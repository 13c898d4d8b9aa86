//! Flows with known figures.

use indexmap::IndexMap;
use linerate_schema::assertion::Assertion;
use linerate_schema::results::{
    AssertionResult, Bin, DatagramCounts, Distribution, Endpoint, FlowFailure, FlowFailureKind,
    FlowResult, FlowReverse, IntervalMeasurement, Measurement, ReceivedMarks, ReceiverSource,
    Severity, SourceLocation, StreamResult, StreamReverse, TcpState, Verdict, WriteCounts,
};
use linerate_schema::scenario::{AssertionItem, Direction, Transport};
use linerate_schema::{Span, Spanned};

use crate::record::{MeasuredStream, sum_of_streams};
use crate::verdict::judge_assertion;

pub(super) fn item(text: &str) -> AssertionItem {
    let assertion = Assertion::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let span = Span { start: 100, end: 100 + text.len(), line: 7, column: 9 };
    AssertionItem {
        text: Spanned::new(text.to_owned(), span),
        assertion,
        severity: Severity::Error,
        because: None,
    }
}

pub(super) fn judge(text: &str, flows: &[FlowResult]) -> AssertionResult {
    judge_assertion(&item(text), "wan.yaml", flows)
}

/// The verdict and the message of several assertions, one paragraph each.
pub(super) fn told(flows: &[FlowResult], texts: &[&str]) -> String {
    let paragraphs: Vec<String> = texts
        .iter()
        .map(|text| {
            let result = judge(text, flows);
            format!("{text}\n  {}: {}\n", result.verdict, result.message)
        })
        .collect();
    paragraphs.join("\n")
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rates are whole bytes"
)]
fn at_rate(mbit_per_second: f64, seconds: f64) -> Measurement {
    let bytes = (mbit_per_second * 1e6 / 8.0 * seconds) as u64;
    Measurement {
        duration_seconds: seconds,
        transfer_bytes: bytes,
        throughput_bits_per_second: bytes as f64 * 8.0 / seconds,
        ..Measurement::default()
    }
}

/// Seconds of the run with this rate in each.
fn in_seconds(rates: &[f64]) -> Vec<IntervalMeasurement> {
    let interval = |(second, rate): (usize, &f64)| IntervalMeasurement {
        start_seconds: second as f64,
        end_seconds: second as f64 + 1.0,
        measurement: at_rate(*rate, 1.0),
    };
    rates.iter().enumerate().map(interval).collect()
}

fn over_all(intervals: &[IntervalMeasurement]) -> Measurement {
    let seconds: f64 = intervals.iter().map(|i| i.measurement.duration_seconds).sum();
    let bytes: u64 = intervals.iter().map(|i| i.measurement.transfer_bytes).sum();
    at_rate(bytes as f64 * 8.0 / seconds / 1e6, seconds)
}

/// A TCP stream whose receiver got these rates, one for each second, and whose sender wrote a tenth more.
pub(super) fn tcp_stream(number: u32, rates: &[f64]) -> StreamResult {
    let mut receiver_intervals = in_seconds(rates);
    for interval in &mut receiver_intervals {
        interval.measurement.reads = Some(50);
    }
    let mut sender_intervals = in_seconds(&rates.iter().map(|rate| rate * 1.1).collect::<Vec<_>>());
    let tcp = TcpState {
        rtt_seconds: 0.01 * f64::from(number),
        rtt_variation_seconds: 0.001,
        retransmits: u64::from(number),
        congestion_window_bytes: 100_000,
        mss_bytes: 1460 - number,
    };
    let writes = Some(WriteCounts { writes: 1000, errors: 0 });
    let mut sender = Measurement { tcp: Some(tcp), writes, ..over_all(&sender_intervals) };
    for interval in &mut sender_intervals {
        interval.measurement.tcp = Some(TcpState { retransmits: 1, ..tcp });
        interval.measurement.writes = Some(WriteCounts { writes: 100, errors: 0 });
    }
    sender.tcp = Some(TcpState { retransmits: rates.len() as u64, ..tcp });
    StreamResult {
        stream: number,
        client_address: None,
        server_address: None,
        connect_seconds: Some(0.001 * f64::from(number)),
        peer_version: None,
        sender: Some(sender),
        receiver: Some(Measurement { reads: Some(500), ..over_all(&receiver_intervals) }),
        failure: None,
        sender_intervals,
        receiver_intervals,
        reverse: None,
    }
}

/// A UDP stream of 10 s at 10 Mbit/s with so many of 1000 datagrams lost, the last in the order of seconds first, and
/// latencies of 1 ms, 2 ms … one for each received datagram.
pub(super) fn udp_stream(number: u32, lost: u64) -> StreamResult {
    let mut stream = tcp_stream(number, &[10.0; 10]);
    let counts = |sent: u64, lost: u64| DatagramCounts {
        sent,
        received: Some(sent - lost),
        lost: Some(lost),
        out_of_order: Some(2),
        duplicates: Some(0),
        ..DatagramCounts::default()
    };
    let mut left = lost;
    for interval in &mut stream.receiver_intervals {
        let here = left.min(100);
        left -= here;
        interval.measurement.datagrams = Some(counts(100, here));
        interval.measurement.jitter_seconds = Some(0.001 * f64::from(number));
        interval.measurement.latency = Some(latencies(100 - here));
        interval.measurement.received = (here < 100).then(|| marked(100 - here));
    }
    let receiver = stream.receiver.as_mut().unwrap();
    receiver.datagrams = Some(counts(1000, lost));
    receiver.jitter_seconds = Some(0.002 * f64::from(number));
    receiver.latency = Some(latencies(1000 - lost));
    receiver.received = (lost < 1000).then(|| marked(1000 - lost));
    let sender = stream.sender.as_mut().unwrap();
    sender.tcp = None;
    sender.datagrams = Some(DatagramCounts { sent: 1000, ..DatagramCounts::default() });
    stream.connect_seconds = None;
    stream
}

/// So many datagrams with `ef`, ECT(0) and a time to live of 63.
fn marked(datagrams: u64) -> ReceivedMarks {
    ReceivedMarks::from_counts(&[(0xba, datagrams)], &[(63, datagrams)])
}

/// Samples of 1, 2, … `samples` ms.
pub(super) fn latencies(samples: u64) -> Distribution {
    let n = samples as f64;
    Distribution {
        samples,
        negative: 0,
        mean_seconds: (n + 1.0) / 2.0 / 1e3,
        min_seconds: 0.001,
        max_seconds: n / 1e3,
        stdev_seconds: ((n * n + n) / 12.0).sqrt() / 1e3,
        bins: (1..=samples).map(|ms| Bin { upper_nanoseconds: ms * 1_000_000, count: 1 }).collect(),
    }
}

pub(super) fn flow(name: &str, transport: Transport, streams: Vec<StreamResult>) -> FlowResult {
    let end = |server: Option<&str>| Endpoint {
        host: "local".to_owned(),
        server: server.map(str::to_owned),
        address: Some("127.0.0.1".to_owned()),
        port: server.map(|_| 5001),
    };
    let options = [("interval", "1 s"), ("trip-times", "true")];
    let sum = |side: fn(&StreamResult) -> Option<&Measurement>| {
        let measured = |measurement| MeasuredStream { clock_start: None, measurement };
        sum_of_streams(&streams.iter().filter_map(side).map(measured).collect::<Vec<_>>())
    };
    FlowResult {
        name: name.to_owned(),
        client: end(None),
        server: end(Some("sink")),
        transport,
        direction: Direction::Forward,
        options: options
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into_iter()
            .collect::<IndexMap<_, _>>(),
        iperf_client_command: "iperf -c 127.0.0.1".to_owned(),
        iperf_server_command: Some("iperf -s".to_owned()),
        verdict: Verdict::Pass,
        failure: None,
        sender: sum(|stream| stream.sender.as_ref()),
        receiver: sum(|stream| stream.receiver.as_ref()),
        receiver_source: Some(ReceiverSource::Measured),
        reverse: None,
        streams,
        notes: Vec::new(),
        location: SourceLocation { file: "wan.yaml".to_owned(), line: 3, column: 5 },
    }
}

/// One TCP stream with these rates, one for each second.
pub(super) fn tcp(name: &str, rates: &[f64]) -> FlowResult {
    flow(name, Transport::Tcp, vec![tcp_stream(1, rates)])
}

/// UDP streams with so many datagrams of 1000 lost.
pub(super) fn udp(name: &str, lost: &[u64]) -> FlowResult {
    let streams = (1..).zip(lost).map(|(number, lost)| udp_stream(number, *lost)).collect();
    flow(name, Transport::Udp, streams)
}

pub(super) fn failed(flow: FlowResult) -> FlowResult {
    let failure = FlowFailure {
        kind: FlowFailureKind::PeerVanished,
        message: "the server closed the connection after 3 s: look at its log".to_owned(),
    };
    FlowResult { verdict: Verdict::Error, failure: Some(failure), ..flow }
}

/// An external TCP server: nothing is known of the receiver.
pub(super) fn external(mut flow: FlowResult, address: &str) -> FlowResult {
    flow.receiver = None;
    flow.receiver_source = None;
    flow.iperf_server_command = None;
    flow.server.host = "legacy".to_owned();
    flow.server.address = Some(address.to_owned());
    for stream in &mut flow.streams {
        stream.receiver = None;
        stream.receiver_intervals.clear();
    }
    flow
}

/// One stream that sends both ways, with so many datagrams of 1000 lost on each.
pub(super) fn both_ways(name: &str, lost: u64, lost_back: u64) -> FlowResult {
    let (mut flow, back) = (udp(name, &[lost]), udp_stream(1, lost_back));
    flow.direction = Direction::FullDuplex;
    flow.reverse = Some(FlowReverse {
        sender: back.sender.clone(),
        receiver: back.receiver.clone(),
        receiver_source: Some(ReceiverSource::Measured),
    });
    flow.streams[0].reverse = Some(StreamReverse {
        sender: back.sender,
        receiver: back.receiver,
        sender_intervals: back.sender_intervals,
        receiver_intervals: back.receiver_intervals,
    });
    flow
}
