//! A TCP client: one thread for each of its streams.

use std::thread;
use std::time::{Duration, Instant};

use socket2::Type;

use super::client::EventSink;
use super::tcp_barrier::ConnectBarrier;
use super::tcp_connection::TcpConnection;
use super::tcp_report::{Start, ended, never_started, note, started};
use super::{clock, socket, tcp_forward, tcp_options, tcp_reverse, tcp_sender};
use crate::cancel::Cancel;
use crate::config::{ClientConfig, Direction, TcpClientOptions};
use crate::error::EngineError;
use crate::event::{Role, StreamId};
use crate::protocol::stream_addresses::StreamAddresses;
use crate::protocol::tcp_end::KeyShown;
use crate::protocol::tcp_limits;
use crate::protocol::tcp_request::ClientRequest;
use crate::wire::WireTime;

/// What all streams of a client share.
pub(super) struct Client<'a> {
    pub(super) config: &'a ClientConfig,
    pub(super) options: &'a TcpClientOptions,
    pub(super) request: &'a ClientRequest,
    pub(super) sink: &'a EventSink,
    pub(super) cancel: &'a Cancel,
    barrier: &'a ConnectBarrier,
}

/// A stream that is connected and has sent its request.
pub(super) struct Requested {
    pub(super) stream: StreamId,
    pub(super) connection: TcpConnection,
    /// When the request was sent: the start of the stream's clock.
    pub(super) start: Instant,
    /// The same moment of the wall clock, as the request tells it.
    pub(super) told_start: WireTime,
    /// Bytes of the request that count as data.
    pub(super) header_length: usize,
}

/// Runs a TCP client to its end.
pub(super) fn run(
    config: &ClientConfig,
    options: &TcpClientOptions,
    sink: &EventSink,
    cancel: &Cancel,
) {
    let streams = 1..=u32::from(config.parallel.get());
    let request = match ClientRequest::new(config, options) {
        Ok(request) => request,
        Err(error) => {
            streams.for_each(|number| never_started(sink, StreamId(number), error.clone()));
            return;
        }
    };
    let barrier = ConnectBarrier::new(config.parallel.get().into());
    let client = Client { config, options, request: &request, sink, cancel, barrier: &barrier };
    thread::scope(|scope| {
        for number in streams {
            let stream = StreamId(number);
            let client = &client;
            let thread = thread::Builder::new().name(format!("tcp-client-{number}"));
            if let Err(error) = thread.spawn_scoped(scope, move || client.run_stream(stream)) {
                barrier.arrive();
                never_started(
                    sink,
                    stream,
                    EngineError::system("start a thread for the stream", &error),
                );
            }
        }
    });
}

impl Client<'_> {
    fn run_stream(&self, stream: StreamId) {
        let payload = match self.config.direction {
            Direction::Forward => tcp_sender::payload(self.config.length.bytes()),
            Direction::Reverse | Direction::FullDuplex => Vec::new(),
        };
        let begun = clock::monotonic();
        let connected = self.connect(stream);
        let connect_time = clock::monotonic().saturating_duration_since(begun);
        self.barrier.arrive();
        let requested = connected.and_then(|connection| self.send_request(stream, connection));
        match requested {
            Ok(requested) => self.run_requested(&requested, connect_time, payload),
            Err(error) => never_started(self.sink, stream, error),
        }
    }

    fn run_requested(&self, requested: &Requested, connect_time: Duration, payload: Vec<u8>) {
        let role = match self.config.direction {
            Direction::Forward => Role::Sender,
            // The request refuses full duplex.
            Direction::Reverse | Direction::FullDuplex => Role::Receiver,
        };
        let start = Start {
            stream: requested.stream,
            role,
            connect_time: Some(connect_time),
            peer_version: None,
        };
        let meter =
            started(self.sink, &requested.connection, start, requested.start, self.config.interval);
        let (totals, result) = match self.config.direction {
            Direction::Forward => tcp_forward::run(self, requested, meter, payload),
            Direction::Reverse | Direction::FullDuplex => tcp_reverse::run(self, requested, meter),
        };
        ended(self.sink, totals, result);
    }

    pub(super) fn key_shown(&self) -> KeyShown {
        if self.request.shows_key() { KeyShown::Yes } else { KeyShown::No }
    }

    fn connect(&self, stream: StreamId) -> Result<TcpConnection, EngineError> {
        let index = u16::try_from(stream.0 - 1).unwrap_or(u16::MAX);
        let StreamAddresses { server, bind } = socket::stream_addresses(self.config, index)?;
        let socket = socket::create(server, Type::STREAM)?;
        if let Some(text) = socket::apply(&socket, &self.config.socket)? {
            note(self.sink, stream, text);
        }
        tcp_options::apply(&socket, &self.options.tcp)?;
        if let Some(address) = bind {
            socket::bind(&socket, address)?;
        }
        TcpConnection::connect(socket, server, self.options.connect_timeout, self.cancel)
    }

    /// Waits for the siblings, then sends the request in one call.
    fn send_request(
        &self,
        stream: StreamId,
        connection: TcpConnection,
    ) -> Result<Requested, EngineError> {
        let waited = self.barrier.wait(tcp_limits::barrier_wait(self.config.amount), self.cancel);
        if self.cancel.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let told_start = WireTime::from_since_epoch(clock::wall());
        let request = self.request.at_port(connection.peer().port()).encode(told_start, waited)?;
        connection.write_message("test header", &request.bytes, self.cancel)?;
        let start = clock::monotonic();
        Ok(Requested {
            stream,
            connection,
            start,
            told_start,
            header_length: request.header_length,
        })
    }
}
