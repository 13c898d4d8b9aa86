//! A UDP client's stream that receives what the server sends.

use std::os::fd::AsFd;
use std::thread;
use std::time::Duration;

use super::client::emit;
use super::udp_client::ClientStream;
use super::udp_clock::{UdpClock, wire_time};
use super::udp_drops::{self, DropCounter};
use super::udp_socket::{self, ReadySocket};
use crate::error::EngineError;
use crate::event::{EventKind, Role, StreamStarted};
use crate::protocol::udp_receiver::ReceiverEnd;
use crate::protocol::udp_reverse::{
    Asking, Reception, ReverseAction, UdpReverse, UdpReverseSettings,
};
use crate::protocol::udp_sender::SendFailure;
use crate::stats::Marks;
use crate::sys::poll::{self, Readiness};
use crate::sys::receive_batch::ReceiveBatch;
use crate::wire::udp::DatagramPrefix;

/// Longest wait between two looks at cancellation.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// Up to when it is known what arrived.
#[derive(Debug, Clone, Copy)]
struct Known {
    until: Duration,
    /// More may be waiting.
    more: bool,
}

struct ReverseStream<'a> {
    stream: &'a ClientStream<'a>,
    ready: &'a ReadySocket,
    reverse: UdpReverse,
    clock: UdpClock,
    batch: ReceiveBatch,
}

pub(super) fn run(stream: &ClientStream<'_>) {
    match udp_socket::client(stream.config, stream.addresses) {
        Ok(ready) => {
            stream.note_all(&ready.remarks);
            // The end was told as an event.
            let _ = receive(stream, &ready, Asking::Requests);
        }
        Err(error) => stream.fail(error),
    }
}

/// Receives the server's data to its end. Returns why it failed, if it did.
pub(super) fn receive(
    stream: &ClientStream<'_>,
    ready: &ReadySocket,
    asking: Asking,
) -> Result<(), EngineError> {
    let reverse = UdpReverse::new(UdpReverseSettings {
        stream: stream.id(),
        asking,
        amount: stream.config.amount,
        trip_times: stream.config.trip_times,
        interval: stream.config.interval,
    });
    let drops = DropCounter::of(&ready.socket);
    let mut reverse_stream = ReverseStream {
        stream,
        ready,
        reverse,
        clock: UdpClock::start(),
        batch: ReceiveBatch::default(),
    };
    let end = reverse_stream.run();
    let dropped = drops.since(&reverse_stream.ready.socket);
    if let Some(remark) = udp_drops::remark(dropped) {
        stream.note(remark);
    }
    tell_end(stream, &reverse_stream.reverse, end.clone(), dropped);
    match end {
        ReceiverEnd::Finished => Ok(()),
        ReceiverEnd::Failed(error) => Err(error),
    }
}

fn tell_end(
    stream: &ClientStream<'_>,
    reverse: &UdpReverse,
    end: ReceiverEnd,
    dropped: Option<u64>,
) {
    for remark in reverse.remarks() {
        stream.note(remark);
    }
    let totals = reverse.totals().map(|totals| udp_drops::with_drops(totals, dropped));
    match (end, totals) {
        (ReceiverEnd::Finished, Some(totals)) => emit(stream.sink, EventKind::StreamEnded(totals)),
        (ReceiverEnd::Failed(error), totals) => stream.fail_as(Role::Receiver, error, totals),
        // A flow without data does not finish; this keeps the promise of one end for each stream.
        (ReceiverEnd::Finished, None) => {
            stream.fail_as(Role::Receiver, EngineError::NoData { after: Duration::ZERO }, None)
        }
    }
}

impl ReverseStream<'_> {
    fn run(&mut self) -> ReceiverEnd {
        loop {
            if self.stream.cancel.is_cancelled() {
                self.reverse.stop(EngineError::Cancelled);
            }
            let known = self.receive();
            if let Some(end) = self.act(known) {
                return end;
            }
        }
    }

    /// Does what is due, as far as what arrived is known; returns how the flow ended, once it has.
    fn act(&mut self, known: Known) -> Option<ReceiverEnd> {
        loop {
            match self.reverse.poll(known.until) {
                ReverseAction::Ask => self.ask(known.until),
                ReverseAction::Report(interval) => {
                    emit(self.stream.sink, EventKind::Interval(*interval));
                }
                ReverseAction::End(end) => return Some(end),
                ReverseAction::Wait(until) => {
                    let time = until.saturating_sub(known.until).min(LONGEST_WAIT);
                    if !known.more
                        && poll::wait(self.ready.socket.as_fd(), Readiness::Readable, time).is_err()
                    {
                        thread::sleep(time);
                    }
                    return None;
                }
            }
        }
    }

    fn ask(&mut self, now: Duration) {
        let mut datagram = self.stream.request.datagram(wire_time());
        DatagramPrefix { sequence: 1, sent: wire_time() }.encode_over(&mut datagram);
        match self.ready.socket.send(&datagram) {
            Ok(_) => self.reverse.record_request(now),
            Err(error) => match udp_socket::send_failure(&error, datagram.len()) {
                SendFailure::Rejected(rejection) => self.reverse.record_rejection(rejection, now),
                SendFailure::Busy => self.reverse.record_request(now),
                SendFailure::Fatal(error) => self.reverse.stop(error),
            },
        }
    }

    /// Hands in what has arrived.
    fn receive(&mut self) -> Known {
        let before = self.clock.now();
        let received = self.batch.receive(self.ready.socket.as_fd());
        let time = self.clock.receive_time();
        match received {
            Ok(0) => udp_socket::forget_errors(&self.ready.socket, &mut self.batch),
            Ok(_) => {}
            Err(error) => match udp_socket::rejection(&error) {
                Some(rejection) => self.reverse.record_rejection(rejection, before),
                None => self.reverse.stop(EngineError::system("receive", &error)),
            },
        }
        let mut last = before;
        for datagram in self.batch.iter() {
            let (at, time_of_day) = time.of_arrival(datagram.at);
            last = at;
            let marks = Marks { tos: datagram.tos, ttl: datagram.ttl };
            let reception = self.reverse.handle_datagram(
                datagram.bytes,
                datagram.length,
                (at, time_of_day),
                marks,
            );
            if reception == Reception::First {
                let started = StreamStarted {
                    stream: self.stream.id(),
                    role: Role::Receiver,
                    local: udp_socket::canonical(self.ready.local),
                    peer: self.stream.addresses.server,
                    connect_time: None,
                    tcp: None,
                    peer_version: None,
                };
                emit(self.stream.sink, EventKind::StreamStarted(started));
            }
        }
        let more = self.batch.is_full();
        Known { until: if more { last } else { before }, more }
    }
}
