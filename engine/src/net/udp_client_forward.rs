//! A UDP client's stream that sends.

use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use socket2::Socket;

use super::client::emit;
use super::udp_client::ClientStream;
use super::udp_clock::{UdpClock, wire_time};
use super::udp_sending::{self, News, SenderLink};
use super::udp_socket::{self, ReadySocket};
use crate::error::EngineError;
use crate::event::{EventKind, Role, StreamStarted};
use crate::protocol::udp_report::read_report;
use crate::protocol::udp_sender::{Finish, SendFailure, SenderEnd, UdpSender, UdpSenderSettings};
use crate::sys::poll::{self, Readiness};
use crate::sys::receive_batch::ReceiveBatch;
use crate::sys::timer_slack;

/// A connected socket.
struct ClientLink<'a> {
    stream: &'a ClientStream<'a>,
    socket: &'a Socket,
    local: SocketAddr,
    finish: Finish,
    /// Why the other way of the stream failed, if it has one.
    other_way: Option<&'a OnceLock<EngineError>>,
    clock: &'a UdpClock,
    batch: ReceiveBatch,
}

pub(super) fn run(stream: &ClientStream<'_>) {
    match udp_socket::client(stream.config, stream.addresses) {
        Ok(ready) => {
            stream.note_all(&ready.remarks);
            send(stream, &ready, Finish::AwaitReport, None);
        }
        Err(error) => stream.fail(error),
    }
}

/// Sends the stream's data to its end, or until `other_way` has an error that leaves no use for it.
pub(super) fn send(
    stream: &ClientStream<'_>,
    ready: &ReadySocket,
    finish: Finish,
    other_way: Option<&OnceLock<EngineError>>,
) {
    timer_slack::minimize();
    let clock = UdpClock::start();
    let mut link = ClientLink {
        stream,
        socket: &ready.socket,
        local: ready.local,
        finish,
        other_way,
        clock: &clock,
        batch: ReceiveBatch::default(),
    };
    let mut sender = UdpSender::new(UdpSenderSettings {
        stream: stream.id(),
        amount: stream.config.amount,
        rate: stream.config.rate,
        length: stream.config.length.bytes(),
        header_length: stream.request.header_length(),
        finish,
        interval: stream.config.interval,
    });
    let mut datagram = stream.request.datagram(wire_time());
    let end = udp_sending::run(
        &mut sender,
        &mut datagram,
        &mut link,
        &clock,
        (stream.sink, stream.cancel),
    );
    if matches!(end, SenderEnd::Failed(_)) && finish == Finish::AwaitReport {
        // A server that ended first may have reported before its port refused the rest.
        link.receive(&mut sender);
    }
    tell_end(stream, &sender, end);
}

fn tell_end(stream: &ClientStream<'_>, sender: &UdpSender, end: SenderEnd) {
    let totals = sender.totals();
    if let Some(remark) = sender.shortfall() {
        stream.note(remark);
    }
    let read = sender.received_report().map(|report| {
        read_report(report, stream.id(), &sender.sent_flow(), stream.config.trip_times)
    });
    if let Some(Ok(read)) = &read {
        let totals = read.totals.clone();
        emit(stream.sink, EventKind::ServerReport { stream: stream.id(), totals });
    }
    let failure = match (end, read) {
        (SenderEnd::Failed(error), _) => Some(error),
        (SenderEnd::Reported(_), Some(Err(error))) => Some(error),
        (SenderEnd::Reported(_), Some(Ok(read))) => read.failure,
        (SenderEnd::Acknowledged, _) => {
            stream.note(
                "the server saw the end of the flow, but did not report what it received".into(),
            );
            None
        }
        (SenderEnd::Finished | SenderEnd::Reported(_), _) => None,
    };
    match failure {
        Some(error) => stream.fail_as(Role::Sender, error, sender.has_sent().then_some(totals)),
        None => emit(stream.sink, EventKind::StreamEnded(totals)),
    }
}

impl ClientLink<'_> {
    /// Hands in what has arrived.
    fn receive(&mut self, sender: &mut UdpSender) {
        let now = self.clock.now();
        match self.batch.receive(self.socket.as_fd()) {
            Ok(0) => udp_socket::forget_errors(self.socket, &mut self.batch),
            Ok(_) => {
                for received in self.batch.iter() {
                    sender.handle_answer(received.bytes, now);
                }
            }
            Err(error) => match udp_socket::rejection(&error) {
                Some(rejection) => sender.record_rejection(rejection, now),
                // Nothing can be read; the sender asks again until its time is over.
                None => thread::sleep(UdpSender::FIN_PERIOD),
            },
        }
    }
}

impl SenderLink for ClientLink<'_> {
    fn send(&mut self, datagram: &[u8]) -> Result<(), SendFailure> {
        match self.socket.send(datagram) {
            Ok(_) => Ok(()),
            Err(error) => Err(udp_socket::send_failure(&error, datagram.len())),
        }
    }

    fn started(&mut self) {
        emit(
            self.stream.sink,
            EventKind::StreamStarted(StreamStarted {
                stream: self.stream.id(),
                role: Role::Sender,
                local: udp_socket::canonical(self.local),
                peer: self.stream.addresses.server,
                connect_time: None,
                tcp: None,
                peer_version: None,
            }),
        );
    }

    fn wait(&mut self, sender: &mut UdpSender, time: Duration) {
        // Without a report to come, what arrives is for somebody else.
        if sender.is_sending() || self.finish == Finish::Announce {
            thread::sleep(time);
            return;
        }
        match poll::wait(self.socket.as_fd(), Readiness::Readable, time) {
            Ok(true) => self.receive(sender),
            Ok(false) => {}
            Err(_) => thread::sleep(time),
        }
    }

    fn take_news(&mut self) -> Option<News> {
        self.other_way.and_then(OnceLock::get).cloned().map(News::OtherWayFailed)
    }
}
