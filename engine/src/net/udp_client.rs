//! A UDP client: one thread and one socket for each stream.

use std::thread;
use std::time::Duration;

use super::client::{EventSink, emit};
use super::{socket, udp_client_duplex, udp_client_forward, udp_client_reverse};
use crate::cancel::Cancel;
use crate::config::{ClientConfig, Direction};
use crate::error::EngineError;
use crate::event::{EventKind, Role, StreamId, Totals};
use crate::protocol::stream_addresses::StreamAddresses;
use crate::protocol::udp_client_request::UdpClientRequest;

/// Streams start this far apart: an iperf server that takes up a flow gives the first datagram of the next one to it.
const STREAM_SPACING: Duration = Duration::from_millis(2);
/// But none starts later than this.
const LONGEST_STAGGER: Duration = Duration::from_millis(100);

/// One stream of a client, and where it tells what happens.
pub(super) struct ClientStream<'a> {
    pub(super) config: &'a ClientConfig,
    pub(super) request: UdpClientRequest,
    pub(super) addresses: StreamAddresses,
    /// From 0.
    pub(super) index: u16,
    pub(super) sink: &'a EventSink,
    pub(super) cancel: &'a Cancel,
}

/// Runs every stream of a UDP client on a thread of its own.
pub(super) fn run(config: &ClientConfig, sink: &EventSink, cancel: &Cancel) {
    let request = UdpClientRequest::new(config);
    thread::scope(|scope| {
        for index in 0..config.parallel.get() {
            let addresses = socket::stream_addresses(config, index);
            let (request, addresses) = match (&request, addresses) {
                (Ok(request), Ok(addresses)) => {
                    (request.clone().at_port(addresses.server.port()), addresses)
                }
                (Err(error), _) => {
                    fail(sink, stream_id(index), error.clone());
                    continue;
                }
                (_, Err(error)) => {
                    fail(sink, stream_id(index), error);
                    continue;
                }
            };
            let stream = ClientStream { config, request, addresses, index, sink, cancel };
            let spawned = thread::Builder::new()
                .name(format!("udp client {}", index + 1))
                .spawn_scoped(scope, move || {
                    thread::sleep((STREAM_SPACING * index.into()).min(LONGEST_STAGGER));
                    match config.direction {
                        Direction::Forward => udp_client_forward::run(&stream),
                        Direction::Reverse => udp_client_reverse::run(&stream),
                        Direction::FullDuplex => udp_client_duplex::run(&stream),
                    }
                });
            if let Err(error) = spawned {
                fail(sink, stream_id(index), EngineError::system("start a thread", &error));
            }
        }
    });
}

impl ClientStream<'_> {
    pub(super) fn id(&self) -> StreamId {
        stream_id(self.index)
    }

    pub(super) fn note(&self, text: String) {
        emit(self.sink, EventKind::Note { stream: Some(self.id()), text });
    }

    pub(super) fn note_all(&self, texts: &[String]) {
        texts.iter().for_each(|text| self.note(text.clone()));
    }

    /// The stream failed as a whole, before anything was measured.
    pub(super) fn fail(&self, error: EngineError) {
        fail(self.sink, self.id(), error);
    }

    /// One role of the stream failed.
    pub(super) fn fail_as(&self, role: Role, error: EngineError, totals: Option<Totals>) {
        let stream = self.id();
        emit(self.sink, EventKind::StreamFailed { stream, role: Some(role), error, totals });
    }
}

fn stream_id(index: u16) -> StreamId {
    StreamId(u32::from(index) + 1)
}

fn fail(sink: &EventSink, stream: StreamId, error: EngineError) {
    emit(sink, EventKind::StreamFailed { stream, role: None, error, totals: None });
}
