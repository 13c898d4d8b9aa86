use std::time::Duration;

use linerate_engine::event::StreamId;
use linerate_reports::quantity;
use linerate_schema::results::{
    Endpoint, FlowFailure, FlowFailureKind, FlowResult, FlowReverse, IntervalMeasurement,
    Measurement, ReceiverSource, SourceLocation, StreamResult, StreamReverse, Verdict,
};
use linerate_schema::scenario::{Direction, Way};

use super::case_record::{FlowRecord, ServerRecord};
use super::conclusion::{StreamEnds, WayEnds};
use super::end_record::{RoleRecord, StreamRecord};
use super::flow_context::FlowContext;
use super::measure::{interval_measurements, measurement};
use super::pairing::Pairing;
use super::sum::{MeasuredStream, sum_of_streams};
use crate::engine_config::{client_options_in_effect, iperf_client_command, iperf_server_command};
use crate::plan::PlannedCase;

/// What is known of a flow at its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowEnds<'a> {
    pub(super) flow: &'a FlowRecord,
    /// The server that it used and who is who there; absent for an external server.
    pub(super) server: Option<(&'a ServerRecord, &'a Pairing)>,
}

/// The result of the flow at `position` of `case`.
pub(super) fn flow_result(
    case: &PlannedCase,
    position: usize,
    ends: FlowEnds<'_>,
    file: &str,
) -> FlowResult {
    let planned = &case.flows[position];
    let written = &case.case.flows[position];
    let context = FlowContext::new(planned, ends.flow.config.clone());
    let streams = ends.streams(position, &context);
    let failure = ends.flow.failure.clone().or_else(|| flow_failure(&streams, &context));
    let (main, reverse) = main_and_reverse(context.direction);
    let (sender, receiver) = ends.sums(position, main);
    let reverse_sums = reverse.map(|way| (way, ends.sums(position, way)));
    let config = ends.flow.config.as_ref();
    FlowResult {
        name: planned.name.clone(),
        client: Endpoint {
            host: planned.host.clone(),
            server: None,
            address: ends.client_address(),
            port: None,
        },
        server: ends.server_endpoint(case, position),
        transport: planned.transport,
        direction: planned.direction,
        options: config.map_or_else(
            || planned.options.clone(),
            |config| client_options_in_effect(&written.options, config),
        ),
        iperf_client_command: config.map_or_else(
            || planned.iperf_client_command.clone(),
            |config| iperf_client_command(config, &planned.target.address),
        ),
        iperf_server_command: ends.server_command(),
        verdict: if failure.is_none() { Verdict::Pass } else { Verdict::Error },
        failure,
        sender,
        receiver,
        receiver_source: ends.receiver_source(position, main),
        reverse: reverse_sums.map(|(way, (sender, receiver))| FlowReverse {
            sender,
            receiver,
            receiver_source: ends.receiver_source(position, way),
        }),
        notes: ends.notes(position),
        streams,
        location: SourceLocation {
            file: file.to_owned(),
            line: written.span.line.max(1),
            column: written.span.column.max(1),
        },
    }
}

/// The failure of the flow as a whole: a stream's, or that of streams that never came to be.
fn flow_failure(streams: &[StreamResult], context: &FlowContext) -> Option<FlowFailure> {
    let failures: Vec<_> =
        streams.iter().filter_map(|s| Some((s.stream, s.failure.as_ref()?))).collect();
    let wanted = usize::from(context.streams);
    match failures.as_slice() {
        [] if streams.len() < wanted => Some(FlowFailure {
            kind: FlowFailureKind::System,
            message: format!(
                "only {} of {wanted} streams ran: look for a limit on processes or open files, or use fewer streams",
                streams.len()
            ),
        }),
        [] => None,
        [(_, failure)] if wanted == 1 => Some((*failure).clone()),
        [(stream, failure)] => Some(FlowFailure {
            kind: failure.kind,
            message: format!("stream {stream} of {wanted}: {}", failure.message),
        }),
        [(_, first), ..] => {
            // What the system refuses to some streams explains what becomes of the others.
            let is_system = |failure: &&FlowFailure| failure.kind == FlowFailureKind::System;
            let all = failures.iter().map(|(_, failure)| *failure);
            let cause = all.clone().find(is_system).unwrap_or(first);
            let alike = all.filter(|failure| failure.kind == cause.kind).count();
            let others = match failures.len() - alike {
                0 => String::new(),
                others => format!(" (and {others} for other reasons)"),
            };
            Some(FlowFailure {
                kind: cause.kind,
                message: format!("{alike} of {wanted} streams: {}{others}", cause.message),
            })
        }
    }
}

impl<'a> FlowEnds<'a> {
    /// Both ends of every stream that the client told about.
    fn stream_ends(self, flow: usize) -> impl Iterator<Item = (StreamId, StreamEnds<'a>)> {
        self.flow.client.streams.iter().map(move |(id, client)| {
            let server =
                self.server.and_then(|(server, pairing)| server.counterpart(pairing, flow, *id));
            let by_address =
                self.server.is_some_and(|(_, pairing)| pairing.by_address.contains(&(flow, *id)));
            (*id, StreamEnds { client, server, by_address })
        })
    }

    fn streams(self, flow: usize, context: &FlowContext) -> Vec<StreamResult> {
        let each = self.stream_ends(flow);
        each.map(|(id, ends)| self.stream_result(id, ends, context)).collect()
    }

    /// What the senders and the receivers of all streams measured together of the data that goes this way. The clock of a
    /// receiver that only reports counts as started with that of its sender.
    fn sums(self, flow: usize, way: Way) -> (Option<Measurement>, Option<Measurement>) {
        let (mut senders, mut receivers) = (Vec::new(), Vec::new());
        for (_, ends) in self.stream_ends(flow) {
            let ends = ends.way(way);
            let start = |end: Option<&RoleRecord>| end.and_then(|end| end.clock_start);
            let at_sender = start(ends.sender());
            let at_receiver = start(ends.receiver()).or(at_sender);
            senders.extend(ends.sent().map(|totals| (at_sender, measurement(totals))));
            receivers.extend(ends.received().map(|(totals, _)| (at_receiver, measurement(totals))));
        }
        let sum = |streams: Vec<(Option<Duration>, Measurement)>| {
            let measured = streams.iter().map(|(clock_start, measurement)| MeasuredStream {
                clock_start: *clock_start,
                measurement,
            });
            sum_of_streams(&measured.collect::<Vec<_>>())
        };
        (sum(senders), sum(receivers))
    }

    fn stream_result(
        self,
        id: StreamId,
        ends: StreamEnds<'_>,
        context: &FlowContext,
    ) -> StreamResult {
        let started = ends.client.started.as_ref();
        let (main, reverse) = main_and_reverse(context.direction);
        let main = ends.way(main);
        // A stream of a flow that was stopped from here carries that reason, whatever its ends saw of it.
        let unfinished = !ends.client_ended_regularly(context.direction);
        let stopped = self.flow.failure.clone().filter(|_| unfinished);
        StreamResult {
            stream: id.0,
            client_address: ends.client.local().map(|address| address.to_string()),
            server_address: ends.client.peer().map(|address| address.to_string()),
            connect_seconds: started
                .and_then(|started| started.connect_time)
                .map(|time| time.as_secs_f64()),
            peer_version: started.and_then(|started| started.peer_version.clone()),
            sender: main.sent().map(measurement),
            receiver: main.received().map(|(totals, _)| measurement(totals)),
            failure: stopped.or_else(|| ends.failure(context)),
            sender_intervals: intervals(main.sender()),
            receiver_intervals: intervals(main.receiver()),
            reverse: reverse.map(|way| stream_reverse(ends.way(way))),
        }
    }

    /// Where the receivers' figures come from: measured, unless a server's report had to do.
    fn receiver_source(self, flow: usize, way: Way) -> Option<ReceiverSource> {
        let sources = self.stream_ends(flow).filter_map(|(_, ends)| ends.way(way).received());
        sources.map(|(_, source)| source).reduce(|a, b| match (a, b) {
            (ReceiverSource::Measured, ReceiverSource::Measured) => ReceiverSource::Measured,
            _ => ReceiverSource::ServerReport,
        })
    }

    fn client_address(self) -> Option<String> {
        let mut addresses = self.flow.client.streams.values().filter_map(StreamRecord::local);
        addresses.next().map(|address| address.ip().to_string())
    }

    fn server_endpoint(self, case: &PlannedCase, position: usize) -> Endpoint {
        let target = &case.flows[position].target;
        let used = self.flow.config.as_ref().map(|config| config.server);
        Endpoint {
            host: target.host.clone(),
            server: target.server.clone(),
            address: Some(
                used.map_or_else(|| target.address.clone(), |used| used.ip().to_string()),
            ),
            port: used.map(|used| used.port()).or(target.first_port()),
        }
    }

    /// The command for a server of ours, with the port that it got, or the one it should have got.
    fn server_command(self) -> Option<String> {
        let (server, _) = self.server?;
        let (config, address) = server.listening.as_ref()?;
        Some(iperf_server_command(config, address.port()))
    }

    fn notes(self, flow: usize) -> Vec<String> {
        let mut notes: Vec<String> = self.flow.client.notes.iter().map(stream_note).collect();
        if self.stream_ends(flow).any(|(_, ends)| ends.way(Way::Forward).only_lacks_report()) {
            notes.push(
                "the server's report got lost; the receiver's own figures are complete".to_owned(),
            );
        }
        if self.stream_ends(flow).any(|(_, ends)| ends.way(Way::Forward).report_is_cut()) {
            notes.push(
                "the server's buffer is shorter than the datagrams, so its transfer and throughput are too low: give it \
                 the same length (`-l`) as the client"
                    .to_owned(),
            );
        }
        let Some((server, pairing)) = self.server else { return notes };
        let of_flow = |id: &StreamId| {
            pairing.server_streams.iter().find(|(_, server)| *server == id).map(|((of, _), _)| *of)
        };
        for note in &server.end.notes {
            match &note.0 {
                Some(id) if of_flow(id) != Some(flow) => {}
                _ => notes.push(format!("server: {}", note.1)),
            }
        }
        if pairing.by_order == Some(flow) {
            notes.push(
                "both ends saw different addresses (address translation), so streams were paired by their order"
                    .to_owned(),
            );
        }
        if pairing.strangers > 0 {
            notes.push(format!(
                "the server also served {} of clients outside this case",
                quantity::count(pairing.strangers as u64, "stream")
            ));
        }
        notes.dedup();
        notes
    }
}

fn stream_note((stream, text): &(Option<StreamId>, String)) -> String {
    match stream {
        Some(StreamId(stream)) => format!("stream {stream}: {text}"),
        None => text.clone(),
    }
}

/// The way whose figures come first in results, and the way back of a flow that has one.
fn main_and_reverse(direction: Direction) -> (Way, Option<Way>) {
    match direction.only_way() {
        Some(only) => (only, None),
        None => (Way::Forward, Some(Way::Reverse)),
    }
}

fn stream_reverse(ends: WayEnds<'_>) -> StreamReverse {
    StreamReverse {
        sender: ends.sent().map(measurement),
        receiver: ends.received().map(|(totals, _)| measurement(totals)),
        sender_intervals: intervals(ends.sender()),
        receiver_intervals: intervals(ends.receiver()),
    }
}

fn intervals(end: Option<&RoleRecord>) -> Vec<IntervalMeasurement> {
    end.map(|end| interval_measurements(&end.intervals)).unwrap_or_default()
}
