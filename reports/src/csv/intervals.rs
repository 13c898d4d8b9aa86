use linerate_schema::results::{FlowResult, RunResult};

use super::column::{Column, Table, real, whole};
use super::identity::IDENTITY;
use super::row::{End, Row, percentile};
use crate::flow_figures::loss_ratio;
use crate::{RenderError, Report};

/// `intervals.csv`: what was measured over time, for plots.
///
/// One row for each interval of each end of each stream; a flow without `interval` has none. There is no row for the
/// sum of a flow, because the intervals of two streams do not start together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntervalsCsv;

impl Report for IntervalsCsv {
    fn render(&self, run: &RunResult) -> Result<Vec<u8>, RenderError> {
        let rows = run.cases.iter().flat_map(|case| {
            let whole_case = Row { run, case, flow: None, way: None, stream: None, interval: None };
            case.flows.iter().flat_map(move |flow| rows_of_flow(whole_case, flow))
        });
        INTERVAL_COLUMNS.write(rows)
    }
}

fn rows_of_flow<'a>(case: Row<'a>, flow: &'a FlowResult) -> impl Iterator<Item = Row<'a>> {
    case.ways_of(flow).flat_map(|way| {
        let streams = flow.streams.iter().map(move |stream| Row { stream: Some(stream), ..way });
        streams.flat_map(rows_of_stream)
    })
}

fn rows_of_stream(row: Row<'_>) -> impl Iterator<Item = Row<'_>> {
    let (sender, receiver) = match row.stream_way() {
        Some(stream) => (stream.sender_intervals, stream.receiver_intervals),
        None => (&[][..], &[][..]),
    };
    let sender = sender.iter().map(|interval| (End::Sender, interval));
    let receiver = receiver.iter().map(|interval| (End::Receiver, interval));
    sender.chain(receiver).map(move |interval| Row { interval: Some(interval), ..row })
}

/// The columns of `intervals.csv`.
pub const INTERVAL_COLUMNS: Table = Table::new(&[IDENTITY, SPAN, MEASURED]);

const SPAN: &[Column] = &[
    Column::new("end", "Which end measured: `sender` or `receiver`.", |row| {
        match row.interval {
            Some((End::Sender, _)) => "sender",
            Some((End::Receiver, _)) => "receiver",
            None => "",
        }
        .to_owned()
    }),
    Column::new("start_seconds", "Start of the interval, from the start of the stream.", |row| {
        real(row.interval.map(|(_, interval)| interval.start_seconds))
    }),
    Column::new("end_seconds", "End of the interval, from the start of the stream.", |row| {
        real(row.interval.map(|(_, interval)| interval.end_seconds))
    }),
];

const MEASURED: &[Column] = &[
    Column::new("transfer_bytes", "Payload bytes written or received in the interval.", |row| {
        whole(row.interval().map(|m| m.transfer_bytes))
    }),
    Column::new("throughput_bits_per_second", "Rate over the interval.", |row| {
        real(row.interval().map(|m| m.throughput_bits_per_second))
    }),
    Column::new(
        "datagrams_sent",
        "Datagrams sent, counted by a sender and inferred by a receiver; UDP only.",
        |row| whole(row.interval().and_then(|m| m.datagrams).map(|datagrams| datagrams.sent)),
    ),
    Column::new(
        "datagrams_received",
        "Distinct datagrams that arrived; UDP receiver only.",
        |row| {
            whole(row.interval().and_then(|m| m.datagrams).and_then(|datagrams| datagrams.received))
        },
    ),
    Column::new("datagrams_lost", "Datagrams sent that never arrived; UDP receiver only.", |row| {
        whole(row.interval().and_then(|m| m.datagrams).and_then(|datagrams| datagrams.lost))
    }),
    Column::new("loss_ratio", "Lost / sent, from 0 to 1; UDP receiver only.", |row| {
        real(row.interval().and_then(|m| m.datagrams).and_then(loss_ratio))
    }),
    Column::new(
        "datagrams_out_of_order",
        "Datagrams that arrived after a later one; UDP receiver only.",
        |row| {
            whole(
                row.interval()
                    .and_then(|m| m.datagrams)
                    .and_then(|datagrams| datagrams.out_of_order),
            )
        },
    ),
    Column::new(
        "datagrams_duplicates",
        "Datagrams that arrived again; UDP receiver only.",
        |row| {
            whole(
                row.interval().and_then(|m| m.datagrams).and_then(|datagrams| datagrams.duplicates),
            )
        },
    ),
    Column::new(
        "jitter_seconds",
        "Interarrival jitter (RFC 3550) at the end of the interval; UDP receiver only.",
        |row| real(row.interval().and_then(|m| m.jitter_seconds)),
    ),
    Column::new(
        "latency_samples",
        "Number of one-way latency samples; receiver with `trip-times` only.",
        |row| whole(row.interval_latency().map(|latency| latency.samples)),
    ),
    Column::new("latency_mean_seconds", "Mean one-way latency.", |row| {
        real(row.interval_latency().map(|latency| latency.mean_seconds))
    }),
    Column::new("latency_min_seconds", "Smallest one-way latency.", |row| {
        real(row.interval_latency().map(|latency| latency.min_seconds))
    }),
    Column::new("latency_p95_seconds", "95th percentile; empty below 20 samples.", |row| {
        real(percentile(row.interval_latency(), 95.0))
    }),
    Column::new("latency_max_seconds", "Largest one-way latency.", |row| {
        real(row.interval_latency().map(|latency| latency.max_seconds))
    }),
    Column::new("tcp_retransmits", "Segments retransmitted in the interval; TCP only.", |row| {
        whole(row.interval().and_then(|m| m.tcp).map(|tcp| tcp.retransmits))
    }),
    Column::new(
        "tcp_rtt_seconds",
        "Smoothed round-trip time at the end of the interval; TCP only.",
        |row| real(row.interval().and_then(|m| m.tcp).map(|tcp| tcp.rtt_seconds)),
    ),
    Column::new(
        "tcp_congestion_window_bytes",
        "Congestion window at the end of the interval; TCP only.",
        |row| whole(row.interval().and_then(|m| m.tcp).map(|tcp| tcp.congestion_window_bytes)),
    ),
    Column::new("writes", "Completed write calls; sender only.", |row| {
        whole(row.interval().and_then(|m| m.writes).map(|writes| writes.writes))
    }),
    Column::new(
        "write_errors",
        "Write calls that the system refused or that timed out; sender only.",
        |row| whole(row.interval().and_then(|m| m.writes).map(|writes| writes.errors)),
    ),
    Column::new("reads", "Read calls that returned data; receiver only.", |row| {
        whole(row.interval().and_then(|m| m.reads))
    }),
];
