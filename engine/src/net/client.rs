use std::sync::Arc;
use std::time::Instant;

use super::{clock, tcp_client, udp_client};
use crate::cancel::Cancel;
use crate::config::{ClientConfig, ClientTransport};
use crate::event::{Event, EventKind};
use crate::sys::open_files;

/// Takes the events of one end; called from several threads.
pub type EventSink = Arc<dyn Fn(Event) + Send + Sync>;

/// Sends an event with the present time.
pub(super) fn emit(sink: &EventSink, kind: EventKind) {
    sink(Event { at: clock::wall(), kind });
}

/// Sends an event about the moment `at` of the monotonic clock.
pub(super) fn emit_of(sink: &EventSink, at: Instant, kind: EventKind) {
    let ago = clock::monotonic().saturating_duration_since(at);
    sink(Event { at: clock::wall().saturating_sub(ago), kind });
}

/// Runs a client to its end: connects every stream, moves the data, reports through `sink`.
///
/// Blocks until every stream has ended; bounded by the amount, the connect timeout, and the limits of
/// `protocol` (TCP: [`tcp_limits`](crate::protocol::tcp_limits)) for a silent peer. Every stream ends with exactly one `StreamEnded` or `StreamFailed`.
pub fn run_client(config: &ClientConfig, sink: &EventSink, cancel: &Cancel) {
    open_files::raise_limit();
    match &config.transport {
        ClientTransport::Tcp(options) => tcp_client::run(config, options, sink, cancel),
        ClientTransport::Udp => udp_client::run(config, sink, cancel),
    }
}
