//! A UDP server: one socket and one thread that receives; a thread for each flow that it sends.

use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use socket2::Socket;

use super::client::{EventSink, emit};
use super::server::{Reporting, StreamNumbers};
use super::udp_clock::UdpClock;
use super::udp_server_flows::Flows;
use super::udp_socket::{self, ReadySocket};
use crate::cancel::Cancel;
use crate::config::{ServerConfig, UdpServerOptions};
use crate::error::EngineError;
use crate::event::EventKind;
use crate::sys::poll::{self, Readiness};
use crate::sys::receive_batch::ReceiveBatch;

/// Longest wait between two looks at cancellation: short, as a next server at the same port waits for this one to stop.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// What every part of a UDP server needs.
pub(super) struct ServerContext {
    pub(super) config: ServerConfig,
    pub(super) options: UdpServerOptions,
    pub(super) socket: Arc<Socket>,
    pub(super) local: SocketAddr,
    pub(super) clock: UdpClock,
    pub(super) sink: EventSink,
    pub(super) cancel: Cancel,
    pub(super) numbers: StreamNumbers,
}

/// Binds one socket and serves all flows from it: one thread receives and tells the flows apart by their address, so
/// that no datagram of a new flow is lost or lands in another one.
pub(super) fn start(
    config: ServerConfig,
    options: UdpServerOptions,
    Reporting { sink, cancel, numbers }: Reporting,
) -> Result<(SocketAddr, JoinHandle<()>), EngineError> {
    let ReadySocket { socket, local, remarks } = udp_socket::server(&config)?;
    for text in remarks {
        emit(&sink, EventKind::Note { stream: None, text });
    }
    let socket = Arc::new(socket);
    let clock = UdpClock::start();
    let context = ServerContext { config, options, socket, local, clock, sink, cancel, numbers };
    let thread = thread::Builder::new()
        .name("udp server".into())
        .spawn(move || serve(context))
        .map_err(|error| EngineError::system("start a thread", &error))?;
    Ok((local, thread))
}

fn serve(context: ServerContext) {
    let socket = Arc::clone(&context.socket);
    let cancel = context.cancel.clone();
    let clock = context.clock;
    let mut flows = Flows::new(context);
    let mut batch = ReceiveBatch::default();
    while !cancel.is_cancelled() {
        let before = clock.now();
        let received = batch.receive(socket.as_fd());
        let time = clock.receive_time();
        let mut last = before;
        for datagram in batch.iter() {
            let (at, time_of_day) = time.of_arrival(datagram.at);
            last = at;
            flows.handle_datagram(&datagram, at, time_of_day);
        }
        // Only until here it is known that nothing is missing.
        flows.advance(if batch.is_full() { last } else { before });
        if !matches!(received, Ok(count) if count > 0) {
            reject(&mut flows, &mut batch, &socket);
        }
        if !batch.is_full() {
            let time = flows.next_deadline().saturating_sub(before).min(LONGEST_WAIT);
            if poll::wait(socket.as_fd(), Readiness::Readable, time).is_err() {
                thread::sleep(LONGEST_WAIT);
            }
        }
    }
    flows.stop();
}

/// Tells the flows which of their datagrams the network rejected.
fn reject(flows: &mut Flows, batch: &mut ReceiveBatch, socket: &Socket) {
    if batch.receive_errors(socket.as_fd()).is_err() {
        return;
    }
    for rejected in batch.iter() {
        if let (Some(peer), Some(number)) = (rejected.peer, rejected.error_number) {
            flows.handle_rejection(peer, number);
        }
    }
}
