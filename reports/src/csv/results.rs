use linerate_schema::results::{CaseResult, FlowResult, RunResult};

use super::column::{Column, Table, real, text, whole};
use super::identity::IDENTITY;
use super::row::{Row, percentile};
use crate::flow_figures::loss_ratio;
use crate::{RenderError, Report};

/// `results.csv`: what was measured over whole streams and flows.
///
/// One row for each flow, with its sum over the streams, followed by one row for each of its streams, and the same again
/// for the way back of a flow that sends both ways; a case without flows has one row, so that every case of the run can be found. Read by people with a spreadsheet or a data frame.
/// Sum over the rows with `row` = `flow` *or* those with `row` = `stream`, never over both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultsCsv;

impl Report for ResultsCsv {
    fn render(&self, run: &RunResult) -> Result<Vec<u8>, RenderError> {
        RESULT_COLUMNS.write(run.cases.iter().flat_map(|case| rows_of_case(run, case)))
    }
}

fn rows_of_case<'a>(run: &'a RunResult, case: &'a CaseResult) -> Vec<Row<'a>> {
    let whole_case = Row { run, case, flow: None, way: None, stream: None, interval: None };
    if case.flows.is_empty() {
        return vec![whole_case];
    }
    case.flows.iter().flat_map(|flow| rows_of_flow(whole_case, flow)).collect()
}

fn rows_of_flow<'a>(case: Row<'a>, flow: &'a FlowResult) -> impl Iterator<Item = Row<'a>> {
    case.ways_of(flow).flat_map(|sum| {
        let streams = flow.streams.iter().map(move |stream| Row { stream: Some(stream), ..sum });
        std::iter::once(sum).chain(streams)
    })
}

/// The columns of `results.csv`.
pub const RESULT_COLUMNS: Table = Table::new(&[IDENTITY, OUTCOME, ENDS, SENDER, RECEIVER, LATENCY]);

const OUTCOME: &[Column] = &[
    Column::new(
        "row",
        "What the row is about: `flow` (sum of its streams), `stream`, or `case` (has no flows).",
        |row| row.kind().to_owned(),
    ),
    Column::new("case_verdict", "`pass`, `fail`, `error`, `inconclusive` or `skipped`.", |row| {
        row.case.verdict.to_string()
    }),
    Column::new(
        "flow_verdict",
        "`pass` when the flow ran to its end and moved data; as `case_verdict` on a case's row.",
        |row| row.verdict().to_string(),
    ),
    Column::new(
        "failure_kind",
        "Class of the failure, such as `peer-vanished`; empty without one.",
        |row| text(row.failure().map(|failure| failure.kind.as_str())),
    ),
    Column::new("failure", "What went wrong, or why the case did not run.", |row| {
        text(row.message())
    }),
    Column::new(
        "started_at",
        "Start of the case, RFC 3339, UTC; empty when it did not run.",
        |row| text(row.case.started_at.as_deref()),
    ),
];

const ENDS: &[Column] = &[
    Column::new("client_host", "Host of the end that connected.", |row| {
        text(row.flow.map(|flow| flow.client.host.as_str()))
    }),
    Column::new("server_host", "Host of the end that listened.", |row| {
        text(row.flow.map(|flow| flow.server.host.as_str()))
    }),
    Column::new("server", "Name of the server; empty when it was written in place.", |row| {
        text(row.flow.and_then(|flow| flow.server.server.as_deref()))
    }),
    Column::new(
        "client_address",
        "The client's address; with its port on a stream's row.",
        |row| {
            text(match row.stream_way() {
                Some(stream) => stream.client_address,
                None => row.flow.and_then(|flow| flow.client.address.as_deref()),
            })
        },
    ),
    Column::new(
        "server_address",
        "The server's address; with its port on a stream's row.",
        |row| {
            text(match row.stream_way() {
                Some(stream) => stream.server_address,
                None => row.flow.and_then(|flow| flow.server.address.as_deref()),
            })
        },
    ),
    Column::new("server_port", "The server's port.", |row| {
        whole(row.flow.and_then(|flow| flow.server.port).map(u64::from))
    }),
    Column::new("peer_version", "Version that the peer announced; streams only.", |row| {
        text(row.stream.and_then(|stream| stream.peer_version.as_deref()))
    }),
    Column::new("connect_seconds", "Time that connecting took; TCP streams only.", |row| {
        real(row.stream.and_then(|stream| stream.connect_seconds))
    }),
];

const SENDER: &[Column] = &[
    Column::new(
        "sender_duration_seconds",
        "Length of the sender's measurement; the longest of several streams.",
        |row| real(row.sender().map(|sender| sender.duration_seconds)),
    ),
    Column::new("sender_transfer_bytes", "Payload bytes written by the sender.", |row| {
        whole(row.sender().map(|sender| sender.transfer_bytes))
    }),
    Column::new(
        "sender_throughput_bits_per_second",
        "Rate at which the sender wrote; not what arrived.",
        |row| real(row.sender().map(|sender| sender.throughput_bits_per_second)),
    ),
    Column::new("sender_datagrams_sent", "Datagrams counted by the sender; UDP only.", |row| {
        whole(row.sender().and_then(|sender| sender.datagrams).map(|datagrams| datagrams.sent))
    }),
    Column::new("sender_writes", "Completed write calls.", |row| {
        whole(row.sender().and_then(|sender| sender.writes).map(|writes| writes.writes))
    }),
    Column::new(
        "sender_write_errors",
        "Write calls that the system refused or that timed out.",
        |row| whole(row.sender().and_then(|sender| sender.writes).map(|writes| writes.errors)),
    ),
    Column::new("sender_tcp_retransmits", "Segments retransmitted; TCP only.", |row| {
        whole(row.sender().and_then(|sender| sender.tcp).map(|tcp| tcp.retransmits))
    }),
    Column::new(
        "sender_tcp_rtt_seconds",
        "Smoothed round-trip time at the end; the mean of several streams.",
        |row| real(row.sender().and_then(|sender| sender.tcp).map(|tcp| tcp.rtt_seconds)),
    ),
    Column::new(
        "sender_tcp_rtt_variation_seconds",
        "Mean deviation of the round-trip time.",
        |row| real(row.sender().and_then(|sender| sender.tcp).map(|tcp| tcp.rtt_variation_seconds)),
    ),
    Column::new(
        "sender_tcp_congestion_window_bytes",
        "Congestion window at the end; the sum of several streams.",
        |row| {
            whole(row.sender().and_then(|sender| sender.tcp).map(|tcp| tcp.congestion_window_bytes))
        },
    ),
    Column::new(
        "sender_tcp_mss_bytes",
        "Maximum segment size; the smallest of several streams.",
        |row| whole(row.sender().and_then(|sender| sender.tcp).map(|tcp| u64::from(tcp.mss_bytes))),
    ),
];

const RECEIVER: &[Column] = &[
    Column::new(
        "receiver_source",
        "`measured` by a receiver of ours, or `server-report` of an external server; empty when nothing is known of the receiver.",
        |row| {
            let source = row.flow_way().and_then(|way| way.receiver_source);
            text(source.filter(|_| row.receiver().is_some()).map(|source| source.as_str()))
        },
    ),
    Column::new(
        "receiver_duration_seconds",
        "Length of the receiver's measurement; the longest of several streams.",
        |row| real(row.receiver().map(|receiver| receiver.duration_seconds)),
    ),
    Column::new("receiver_transfer_bytes", "Payload bytes that arrived.", |row| {
        whole(row.receiver().map(|receiver| receiver.transfer_bytes))
    }),
    Column::new(
        "receiver_throughput_bits_per_second",
        "Rate at which data arrived; the sum of several streams.",
        |row| real(row.receiver().map(|receiver| receiver.throughput_bits_per_second)),
    ),
    Column::new("receiver_reads", "Read calls that returned data.", |row| {
        whole(row.receiver().and_then(|receiver| receiver.reads))
    }),
    Column::new(
        "receiver_datagrams_sent",
        "Datagrams that the sender must have sent, by their sequence numbers; UDP only.",
        |row| whole(row.received_datagrams().map(|datagrams| datagrams.sent)),
    ),
    Column::new("receiver_datagrams_received", "Distinct datagrams that arrived.", |row| {
        whole(row.received_datagrams().and_then(|datagrams| datagrams.received))
    }),
    Column::new("receiver_datagrams_lost", "Datagrams sent that never arrived.", |row| {
        whole(row.received_datagrams().and_then(|datagrams| datagrams.lost))
    }),
    Column::new("receiver_loss_ratio", "Lost / sent, from 0 to 1.", |row| {
        real(row.received_datagrams().and_then(loss_ratio))
    }),
    Column::new(
        "receiver_datagrams_out_of_order",
        "Datagrams that arrived after a later one.",
        |row| whole(row.received_datagrams().and_then(|datagrams| datagrams.out_of_order)),
    ),
    Column::new("receiver_datagrams_duplicates", "Datagrams that arrived again.", |row| {
        whole(row.received_datagrams().and_then(|datagrams| datagrams.duplicates))
    }),
    Column::new(
        "receiver_jitter_seconds",
        "Interarrival jitter (RFC 3550) at the end; the worst of several streams; UDP only.",
        |row| real(row.receiver().and_then(|receiver| receiver.jitter_seconds)),
    ),
];

const LATENCY: &[Column] = &[
    Column::new(
        "receiver_latency_samples",
        "Number of one-way latency samples; needs `trip-times`.",
        |row| whole(row.received_latency().map(|latency| latency.samples)),
    ),
    Column::new("receiver_latency_mean_seconds", "Mean one-way latency.", |row| {
        real(row.received_latency().map(|latency| latency.mean_seconds))
    }),
    Column::new(
        "receiver_latency_min_seconds",
        "Smallest one-way latency; negative when the clocks disagree.",
        |row| real(row.received_latency().map(|latency| latency.min_seconds)),
    ),
    Column::new("receiver_latency_p50_seconds", "Median; empty below 2 samples.", |row| {
        real(percentile(row.received_latency(), 50.0))
    }),
    Column::new(
        "receiver_latency_p95_seconds",
        "95th percentile; empty below 20 samples.",
        |row| real(percentile(row.received_latency(), 95.0)),
    ),
    Column::new(
        "receiver_latency_p99_seconds",
        "99th percentile; empty below 100 samples.",
        |row| real(percentile(row.received_latency(), 99.0)),
    ),
    Column::new(
        "receiver_latency_p99_9_seconds",
        "99.9th percentile; empty below 1000 samples.",
        |row| real(percentile(row.received_latency(), 99.9)),
    ),
    Column::new("receiver_latency_max_seconds", "Largest one-way latency.", |row| {
        real(row.received_latency().map(|latency| latency.max_seconds))
    }),
    Column::new(
        "receiver_latency_stdev_seconds",
        "Sample standard deviation; empty below 2 samples.",
        |row| {
            let latency = row.received_latency().filter(|latency| latency.samples > 1);
            real(latency.map(|latency| latency.stdev_seconds))
        },
    ),
];
