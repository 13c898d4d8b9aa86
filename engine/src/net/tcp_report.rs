//! The first and the last event of a TCP stream.

use std::time::{Duration, Instant};

use super::client::{EventSink, emit, emit_of};
use super::tcp_connection::TcpConnection;
use super::tcp_meter::Meter;
use crate::error::EngineError;
use crate::event::{EventKind, Role, StreamId, StreamStarted, Totals};

/// What the first event says beside the connection.
pub(super) struct Start {
    pub(super) stream: StreamId,
    pub(super) role: Role,
    pub(super) connect_time: Option<Duration>,
    pub(super) peer_version: Option<String>,
}

/// Reports that a stream has started, and gives the meter for it, whose clock starts at `clock_start`.
pub(super) fn started<'a>(
    sink: &'a EventSink,
    connection: &'a TcpConnection,
    start: Start,
    clock_start: Instant,
    interval: Option<Duration>,
) -> Meter<'a> {
    let Start { stream, role, connect_time, peer_version } = start;
    let tcp = connection.sample();
    let (local, peer) = (connection.local(), connection.peer());
    let event = StreamStarted { stream, role, local, peer, connect_time, tcp, peer_version };
    emit_of(sink, clock_start, EventKind::StreamStarted(event));
    Meter::new(connection, sink, (stream, role), (clock_start, tcp), interval)
}

/// Reports how a stream ended.
pub(super) fn ended(sink: &EventSink, totals: Totals, result: Result<(), EngineError>) {
    let stream = totals.stream;
    let kind = match result {
        Ok(()) => EventKind::StreamEnded(totals),
        Err(error) => {
            EventKind::StreamFailed { stream, role: Some(totals.role), error, totals: Some(totals) }
        }
    };
    emit(sink, kind);
}

/// Reports that a stream failed before it started.
pub(super) fn never_started(sink: &EventSink, stream: StreamId, error: EngineError) {
    emit(sink, EventKind::StreamFailed { stream, role: None, error, totals: None });
}

/// Reports a remark about a stream.
pub(super) fn note(sink: &EventSink, stream: StreamId, text: String) {
    emit(sink, EventKind::Note { stream: Some(stream), text });
}
