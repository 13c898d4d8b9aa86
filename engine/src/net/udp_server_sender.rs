//! A flow for which a UDP server sends.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use socket2::Socket;

use super::client::{EventSink, emit};
use super::udp_clock::wire_time;
use super::udp_sending::{self, News, SenderLink};
use super::udp_server::ServerContext;
use super::udp_socket;
use crate::error::EngineError;
use crate::event::{EventKind, Role, StreamId};
use crate::protocol::udp_request::SendOrder;
use crate::protocol::udp_reverse::UdpReverse;
use crate::protocol::udp_sender::{Finish, SendFailure, SenderEnd, UdpSender, UdpSenderSettings};
use crate::sys::datagram_route::DatagramRoute;
use crate::sys::timer_slack;

/// A sender needs little stack, and there may be many.
const STACK_BYTES: usize = 256 * 1024;
/// Attempts for a datagram when errors of other flows' datagrams come back instead.
const ATTEMPTS: u32 = 4;

/// A flow that a thread sends.
pub(super) struct SendingFlow {
    thread: Option<JoinHandle<()>>,
    /// The error number of a datagram of this flow that the network rejected, else 0.
    rejected: Arc<AtomicI32>,
    asked_at: Duration,
}

struct ServerLink {
    socket: Arc<Socket>,
    route: DatagramRoute,
    rejected: Arc<AtomicI32>,
}

impl SendingFlow {
    /// How often to look whether the thread has ended.
    pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(200);

    /// Starts to send what the client asked for at `asked_at`.
    pub(super) fn start(
        context: &ServerContext,
        stream: StreamId,
        order: &SendOrder,
        route: DatagramRoute,
        asked_at: Duration,
    ) -> Self {
        let rejected = Arc::new(AtomicI32::new(0));
        let link = ServerLink {
            socket: Arc::clone(&context.socket),
            route,
            rejected: Arc::clone(&rejected),
        };
        let sender = UdpSender::new(UdpSenderSettings {
            stream,
            amount: order.amount,
            rate: order.rate,
            length: order.length,
            header_length: order.header_length(),
            finish: Finish::Announce,
            interval: context.config.interval,
        });
        let order = order.clone();
        let (clock, sink, cancel) =
            (context.clock, Arc::clone(&context.sink), context.cancel.clone());
        let spawned = thread::Builder::new()
            .name(format!("udp sender {}", stream.0))
            .stack_size(STACK_BYTES)
            .spawn(move || {
                timer_slack::minimize();
                let mut datagram = order.datagram(wire_time());
                let (mut sender, mut link) = (sender, link);
                let end = udp_sending::run(
                    &mut sender,
                    &mut datagram,
                    &mut link,
                    &clock,
                    (&sink, &cancel),
                );
                tell_end(&sink, stream, &sender, end);
            });
        let thread = match spawned {
            Ok(thread) => Some(thread),
            Err(error) => {
                let error = EngineError::system("start a thread", &error);
                let role = Some(Role::Sender);
                emit(&context.sink, EventKind::StreamFailed { stream, role, error, totals: None });
                None
            }
        };
        Self { thread, rejected, asked_at }
    }

    /// The network rejected a datagram of this flow.
    pub(super) fn reject(&self, error_number: i32) {
        self.rejected.store(error_number, Ordering::Relaxed);
    }

    /// Whether a datagram of the client that arrives at `at` is only its request again: a client asks until data comes,
    /// for one second.
    pub(super) fn is_repeated_request(&self, at: Duration) -> bool {
        self.is_sending() || at < self.asked_at + UdpReverse::ASK_FOR
    }

    pub(super) fn is_over(&self, now: Duration) -> bool {
        self.thread.is_none() && now >= self.asked_at + UdpReverse::ASK_FOR
    }

    pub(super) fn join_if_finished(&mut self) {
        if !self.is_sending() {
            self.join();
        }
    }

    /// Ends the flow before its time, as if its client had gone.
    pub(super) fn stop(&mut self) {
        self.reject(libc::ECONNREFUSED);
        self.join();
    }

    pub(super) fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed by the runtime; there is nothing to add here.
            let _ = thread.join();
        }
    }

    /// Whether the thread still runs.
    pub(super) fn is_sending(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }
}

impl SenderLink for ServerLink {
    fn send(&mut self, datagram: &[u8]) -> Result<(), SendFailure> {
        let mut attempt = 1;
        loop {
            let Err(error) = self.route.send(&self.socket, datagram) else {
                return Ok(());
            };
            // The socket returns rejections of any flow's datagrams. Those of this flow come by the receiving thread.
            if attempt == ATTEMPTS || udp_socket::rejection(&error).is_none() {
                return Err(udp_socket::send_failure(&error, datagram.len()));
            }
            attempt += 1;
        }
    }

    fn started(&mut self) {}

    fn wait(&mut self, _sender: &mut UdpSender, time: Duration) {
        thread::sleep(time);
    }

    fn take_news(&mut self) -> Option<News> {
        match self.rejected.swap(0, Ordering::Relaxed) {
            0 => None,
            number => udp_socket::rejection(&io::Error::from_raw_os_error(number)),
        }
        .map(News::Rejection)
    }
}

fn tell_end(sink: &EventSink, stream: StreamId, sender: &UdpSender, end: SenderEnd) {
    if let Some(text) = sender.shortfall() {
        emit(sink, EventKind::Note { stream: Some(stream), text });
    }
    let totals = sender.totals();
    emit(
        sink,
        match end {
            SenderEnd::Failed(error) => {
                let role = Some(Role::Sender);
                EventKind::StreamFailed { stream, role, error, totals: Some(totals) }
            }
            SenderEnd::Finished | SenderEnd::Reported(_) | SenderEnd::Acknowledged => {
                EventKind::StreamEnded(totals)
            }
        },
    );
}
