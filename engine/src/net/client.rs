use std::sync::Arc;

use super::{clock, tcp_client, udp_client};
use crate::cancel::Cancel;
use crate::config::{ClientConfig, ClientTransport};
use crate::event::{Event, EventKind};

/// Takes the events of one end; called from several threads.
pub type EventSink = Arc<dyn Fn(Event) + Send + Sync>;

/// Sends an event with the present time.
pub(super) fn emit(sink: &EventSink, kind: EventKind) {
    sink(Event { at: clock::wall(), kind });
}

/// Runs a client to its end: connects every stream, moves the data, reports through `sink`.
///
/// Blocks until every stream has ended; bounded by the amount, the connect timeout, and the limits of
/// `protocol` (TCP: [`tcp_limits`](crate::protocol::tcp_limits)) for a silent peer. Every stream ends with exactly one `StreamEnded` or `StreamFailed`.
pub fn run_client(config: &ClientConfig, sink: &EventSink, cancel: &Cancel) {
    match &config.transport {
        ClientTransport::Tcp(options) => tcp_client::run(config, options, sink, cancel),
        ClientTransport::Udp => udp_client::run(config, sink, cancel),
    }
}
