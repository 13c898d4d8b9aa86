//! The flows of a UDP server, told apart by the addresses of their ends.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use super::client::emit;
use super::udp_drops::{self, DropCounter};
use super::udp_server::ServerContext;
use super::udp_server_sender::SendingFlow;
use super::udp_socket;
use crate::error::EngineError;
use crate::event::{EventKind, Role, StreamId, StreamStarted};
use crate::protocol::udp_flow::{Belonging, FlowAction, UdpFlow};
use crate::protocol::udp_receiver::{FlowDatagram, ReceiverEnd};
use crate::protocol::udp_request::{Task, UdpRequest};
use crate::stats::Marks;
use crate::sys::datagram_route::DatagramRoute;
use crate::sys::receive_batch::Received;
use crate::wire::udp::{DatagramPrefix, SequenceWidth};

/// Flows at the same time, ended ones that still answer included. Each takes 16 KiB, with trip-times up to 600 KiB more.
const MOST_FLOWS: usize = 4096;
/// Flows at the same time for which this end sends: each has a thread.
const MOST_SENDERS: usize = 512;

/// Time between two rounds through all flows. Intervals end by the times of datagrams, not by when they are looked at.
const SHORTEST_ROUND: Duration = Duration::from_millis(1);

/// All flows of a server.
pub(super) struct Flows {
    context: ServerContext,
    flows: BTreeMap<FlowKey, Flow>,
    senders: usize,
    next_deadline: Duration,
    told_full: bool,
}

/// Both ends of a flow; the port of this one is always the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FlowKey {
    peer: SocketAddr,
    local: Option<IpAddr>,
}

enum Flow {
    Received(Box<ReceivedFlow>),
    Sent(SendingFlow),
}

struct ReceivedFlow {
    flow: UdpFlow,
    stream: StreamId,
    width: SequenceWidth,
    route: DatagramRoute,
    drops: DropCounter,
    /// What this end sends at the same time.
    sending: Option<SendingFlow>,
}

/// What became of a datagram.
enum Handled {
    Done,
    StartsFlow,
}

impl Flows {
    pub(super) fn new(context: ServerContext) -> Self {
        Self {
            context,
            flows: BTreeMap::new(),
            senders: 0,
            next_deadline: Duration::MAX,
            told_full: false,
        }
    }

    /// Takes a datagram that arrived at `at`.
    pub(super) fn handle_datagram(
        &mut self,
        received: &Received<'_>,
        at: Duration,
        time_of_day: Duration,
    ) {
        let Some(peer) = received.peer else {
            return;
        };
        let key = FlowKey { peer, local: received.local };
        let handled = match self.flows.get_mut(&key) {
            Some(Flow::Received(flow)) => {
                flow.handle_datagram(&self.context, received, at, time_of_day)
            }
            Some(Flow::Sent(flow)) if flow.is_repeated_request(at) => Handled::Done,
            Some(Flow::Sent(_)) | None => Handled::StartsFlow,
        };
        if let Handled::StartsFlow = handled
            && let Some(request) =
                UdpRequest::of_first_datagram(received.bytes, self.default_length())
        {
            self.forget(key);
            self.start(key, &request, received, at, time_of_day);
        }
        if let Some(Flow::Received(flow)) = self.flows.get(&key) {
            self.next_deadline = self.next_deadline.min(flow.flow.deadline());
        }
    }

    /// The network rejected a datagram to `peer`.
    pub(super) fn handle_rejection(&mut self, peer: SocketAddr, error_number: i32) {
        // Which of this end's addresses it was sent from is not told. A client that is gone needs no report.
        for (_, flow) in self.flows.iter().filter(|(key, _)| key.peer == peer) {
            if let Some(sending) = flow.sending() {
                sending.reject(error_number);
            }
        }
    }

    /// All datagrams that arrived before `now` were handed in.
    pub(super) fn advance(&mut self, now: Duration) {
        if now < self.next_deadline {
            return;
        }
        let Self { context, flows, senders, next_deadline, .. } = self;
        *next_deadline = Duration::MAX;
        flows.retain(|_, flow| {
            match flow {
                Flow::Received(flow) => flow.advance(context, now),
                Flow::Sent(flow) => flow.join_if_finished(),
            }
            let over = flow.is_over(now);
            if over {
                *senders -= usize::from(flow.sending().is_some());
            } else {
                *next_deadline = (*next_deadline).min(flow.deadline(now));
            }
            !over
        });
        *next_deadline = (*next_deadline).max(now + SHORTEST_ROUND);
    }

    /// When [`Self::advance`] has something to do.
    pub(super) fn next_deadline(&self) -> Duration {
        self.next_deadline
    }

    /// Ends all flows.
    pub(super) fn stop(mut self) {
        let now = self.context.clock.now();
        for flow in self.flows.values_mut() {
            match flow {
                Flow::Received(flow) => flow.stop(&self.context, EngineError::Cancelled, now),
                Flow::Sent(flow) => flow.join(),
            }
        }
    }

    fn start(
        &mut self,
        key: FlowKey,
        request: &UdpRequest,
        received: &Received<'_>,
        at: Duration,
        time_of_day: Duration,
    ) {
        let Some(stream) = self.admit(request) else { return };
        let drops = DropCounter::of(&self.context.socket);
        self.tell_start(key, request, stream);
        let sending = request.task.order().map(|order| {
            self.senders += 1;
            let chosen = self.context.config.socket.tos.is_some();
            let tos = Some(order.tos).filter(|tos| !chosen && *tos != 0);
            let route = DatagramRoute::new(key.peer, key.local, tos);
            SendingFlow::start(&self.context, stream, order, route, at)
        });
        let flow = match (&request.task, sending) {
            (Task::Send(_), Some(sending)) => Flow::Sent(sending),
            (_, sending) => {
                let (options, interval) = (&self.context.options, self.context.config.interval);
                let mut flow = ReceivedFlow {
                    flow: UdpFlow::new(request, stream, interval, options, (at, time_of_day)),
                    stream,
                    width: request.width,
                    route: DatagramRoute::new(key.peer, key.local, None),
                    drops,
                    sending,
                };
                flow.handle_datagram(&self.context, received, at, time_of_day);
                Flow::Received(Box::new(flow))
            }
        };
        self.next_deadline = self.next_deadline.min(flow.deadline(at));
        self.flows.insert(key, flow);
    }

    fn tell_start(&self, key: FlowKey, request: &UdpRequest, stream: StreamId) {
        let roles = [
            request.task.receives().then_some(Role::Receiver),
            request.task.order().map(|_| Role::Sender),
        ];
        for role in roles.into_iter().flatten() {
            let started = StreamStarted {
                stream,
                role,
                local: udp_socket::canonical(SocketAddr::new(
                    key.local.unwrap_or(self.context.local.ip()),
                    self.context.local.port(),
                )),
                peer: udp_socket::canonical(key.peer),
                connect_time: None,
                tcp: None,
                peer_version: request.version.map(|version| version.to_string()),
            };
            emit(&self.context.sink, EventKind::StreamStarted(started));
        }
        if let Some(mode) = request.unserved {
            let text = format!("the client asks for a mode that is not served yet, {mode}");
            emit(&self.context.sink, EventKind::Note { stream: Some(stream), text });
        }
    }

    /// The number of a new flow; `None` when there is no room for it, which is told once.
    fn admit(&mut self, request: &UdpRequest) -> Option<StreamId> {
        let full = self.flows.len() >= MOST_FLOWS
            || (request.task.order().is_some() && self.senders >= MOST_SENDERS);
        let stream = if full { None } else { self.context.numbers.next() };
        if stream.is_none() && !self.told_full {
            self.told_full = true;
            let text = format!(
                "more than {MOST_FLOWS} flows, or {MOST_SENDERS} to send, at the same time: new ones are ignored until others have ended"
            );
            emit(&self.context.sink, EventKind::Note { stream: None, text });
        }
        stream
    }

    /// Makes room for another flow of the same client address.
    fn forget(&mut self, key: FlowKey) {
        let now = self.context.clock.now();
        match self.flows.remove(&key) {
            Some(Flow::Received(mut flow)) => {
                let reason = "another flow began from its port".into();
                self.senders -= usize::from(flow.sending.is_some());
                flow.stop(&self.context, EngineError::PeerVanished { reason }, now);
            }
            Some(Flow::Sent(mut flow)) => {
                self.senders -= 1;
                flow.join();
            }
            None => {}
        }
    }

    fn default_length(&self) -> usize {
        self.context.config.length.bytes()
    }
}

impl Flow {
    fn deadline(&self, now: Duration) -> Duration {
        match self {
            Self::Received(flow) => match &flow.sending {
                Some(_) => flow.flow.deadline().min(now + SendingFlow::LOOK_AGAIN),
                None => flow.flow.deadline(),
            },
            Self::Sent(_) => now + SendingFlow::LOOK_AGAIN,
        }
    }

    fn is_over(&self, now: Duration) -> bool {
        match self {
            Self::Received(flow) => {
                flow.flow.is_over(now)
                    && !flow.sending.as_ref().is_some_and(SendingFlow::is_sending)
            }
            Self::Sent(flow) => flow.is_over(now),
        }
    }

    /// The part of the flow that this end sends.
    fn sending(&self) -> Option<&SendingFlow> {
        match self {
            Self::Received(flow) => flow.sending.as_ref(),
            Self::Sent(flow) => Some(flow),
        }
    }
}

impl ReceivedFlow {
    fn handle_datagram(
        &mut self,
        context: &ServerContext,
        received: &Received<'_>,
        at: Duration,
        time_of_day: Duration,
    ) -> Handled {
        let Ok(prefix) = DatagramPrefix::decode(received.bytes, self.width) else {
            return Handled::Done;
        };
        let marks = Marks { tos: received.tos, ttl: received.ttl };
        let datagram = FlowDatagram { prefix, length: received.length, at, time_of_day, marks };
        match self.flow.handle_datagram(&datagram) {
            Belonging::ThisFlow => {
                self.act(context, at);
                Handled::Done
            }
            Belonging::NewFlow => Handled::StartsFlow,
        }
    }

    fn advance(&mut self, context: &ServerContext, now: Duration) {
        self.flow.advance(now);
        self.act(context, now);
    }

    fn stop(&mut self, context: &ServerContext, error: EngineError, now: Duration) {
        self.flow.stop(error);
        self.act(context, now);
        if let Some(mut sending) = self.sending.take() {
            sending.stop();
        }
    }

    fn act(&mut self, context: &ServerContext, now: Duration) {
        while let Some(action) = self.flow.next_action(now) {
            match action {
                FlowAction::Interval(interval) => {
                    emit(&context.sink, EventKind::Interval(*interval))
                }
                FlowAction::Answer(report) => self.answer(context, &report),
                FlowAction::End { end, totals, remarks } => {
                    let dropped = self.drops.since(&context.socket);
                    let totals = udp_drops::with_drops(*totals, dropped);
                    for text in remarks.into_iter().chain(udp_drops::remark(dropped)) {
                        emit(&context.sink, EventKind::Note { stream: Some(self.stream), text });
                    }
                    let stream = self.stream;
                    emit(
                        &context.sink,
                        match end {
                            ReceiverEnd::Finished => EventKind::StreamEnded(totals),
                            ReceiverEnd::Failed(error) => {
                                let role = Some(Role::Receiver);
                                let totals = Some(totals);
                                EventKind::StreamFailed { stream, role, error, totals }
                            }
                        },
                    );
                }
            }
        }
    }

    /// Sends the report. When the error of another flow's datagram comes back instead, a second attempt is made; when
    /// that fails, too, the client asks again.
    fn answer(&self, context: &ServerContext, report: &[u8]) {
        if self.route.send(&context.socket, report).is_err() {
            let _ = self.route.send(&context.socket, report);
        }
    }
}
