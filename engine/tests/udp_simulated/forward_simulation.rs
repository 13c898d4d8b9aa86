//! A flow from a client to a server: the sending and the receiving side exchange real datagrams over a path that delays,
//! loses, repeats and reorders them as a seed says.

use std::time::Duration;

use linerate_engine::config::UdpServerOptions;
use linerate_engine::event::{Interval, StreamId, Totals};
use linerate_engine::protocol::udp_client_request::UdpClientRequest;
use linerate_engine::protocol::udp_flow::{FlowAction, UdpFlow};
use linerate_engine::protocol::udp_receiver::{FlowDatagram, ReceiverEnd};
use linerate_engine::protocol::udp_report::SentFlow;
use linerate_engine::protocol::udp_request::UdpRequest;
use linerate_engine::protocol::udp_sender::{SenderAction, SenderEnd, UdpSender};
use linerate_engine::stats::Marks;
use linerate_engine::wire::WireTime;
use linerate_engine::wire::udp::{DatagramPrefix, FinAnswer, SequenceWidth};

use crate::network::{EPOCH, LIMIT, Network, Path, Target, Truth};

/// Both ends of a flow after its end.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) sender_end: SenderEnd,
    pub(crate) sender: Totals,
    pub(crate) sent_flow: SentFlow,
    pub(crate) sender_intervals: Vec<Interval>,
    pub(crate) receiver: Option<Received>,
    pub(crate) receiver_intervals: Vec<Interval>,
    pub(crate) truth: Truth,
    pub(crate) fins_sent: u64,
    pub(crate) answers: Vec<Vec<u8>>,
    pub(crate) ended_at: Duration,
}

#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) end: ReceiverEnd,
    pub(crate) totals: Totals,
    pub(crate) remarks: Vec<String>,
}

/// One flow from a client to a server.
pub(crate) struct Simulation {
    network: Network,
    now: Duration,
    sender: UdpSender,
    datagram: Vec<u8>,
    flow: Option<UdpFlow>,
    width: SequenceWidth,
    interval: Option<Duration>,
    idle_timeout: Duration,
    /// The sender falls silent for ever at this time.
    pub(crate) sender_vanishes_at: Option<Duration>,
    /// The FIN is repeated as iperf does it: the next number, and the time of the first.
    pub(crate) numbers_fins: bool,
    outcome: Outcome,
    end: Option<SenderEnd>,
    first_fin: Option<WireTime>,
}

impl Simulation {
    pub(crate) fn new(
        sender: UdpSender,
        request: &UdpClientRequest,
        interval: Option<Duration>,
        path: Path,
        seed: u64,
    ) -> Self {
        let network = Network::new(path, seed);
        let outcome = Outcome {
            sender_end: SenderEnd::Finished,
            sender: sender.totals(),
            sent_flow: SentFlow::default(),
            sender_intervals: Vec::new(),
            receiver: None,
            receiver_intervals: Vec::new(),
            truth: Truth::default(),
            fins_sent: 0,
            answers: Vec::new(),
            ended_at: Duration::ZERO,
        };
        Self {
            network,
            // No component may rely on a clock that starts at zero.
            now: Duration::from_secs(77),
            sender,
            datagram: request.datagram(WireTime::from_since_epoch(EPOCH)),
            flow: None,
            width: SequenceWidth::Bits64,
            interval,
            idle_timeout: Duration::from_secs(20),
            sender_vanishes_at: None,
            numbers_fins: false,
            outcome,
            end: None,
            first_fin: None,
        }
    }

    /// Runs until nothing can happen any more.
    pub(crate) fn run(mut self) -> Outcome {
        loop {
            let sender_wakes = self.poll_sender();
            self.poll_flow();
            let arrival = self.network.next_arrival();
            let over = self.flow.as_ref().is_some_and(|flow| flow.is_over(self.now));
            let flow_wakes = self.flow.as_ref().filter(|_| !over).map(UdpFlow::deadline);
            let Some(next) = [sender_wakes, arrival, flow_wakes].into_iter().flatten().min() else {
                break;
            };
            assert!(
                next >= self.now && next < LIMIT,
                "time goes on and ends: {next:?} after {:?}",
                self.now
            );
            self.now = next;
            while let Some(flying) = self.network.take(self.now) {
                match flying.target {
                    Target::Receiver => self.deliver(&flying.datagram),
                    Target::Sender => self.sender.handle_answer(&flying.datagram, self.now),
                }
                self.poll_flow();
            }
        }
        self.outcome.sender = self.sender.totals();
        self.outcome.sent_flow = self.sender.sent_flow();
        self.outcome.sender_end = self.end.unwrap_or(SenderEnd::Finished);
        self.outcome
    }

    fn poll_sender(&mut self) -> Option<Duration> {
        if self.end.is_some() || self.sender_vanishes_at.is_some_and(|at| self.now >= at) {
            return None;
        }
        loop {
            match self.sender.poll(self.now) {
                SenderAction::Wait(until) => {
                    return Some(until.max(self.now + Duration::from_nanos(1)));
                }
                SenderAction::Report(interval) => self.outcome.sender_intervals.push(*interval),
                SenderAction::End(end) => {
                    self.outcome.ended_at = self.now;
                    self.end = Some(end);
                    return None;
                }
                SenderAction::Send(outgoing) => {
                    for index in 0..outgoing.count {
                        let sequence = outgoing.sequence + i64::try_from(index).expect("few");
                        self.send(sequence, outgoing.length);
                    }
                    self.sender.record_sent(&outgoing, outgoing.count, self.now);
                }
            }
        }
    }

    fn send(&mut self, sequence: i64, length: usize) {
        let now = WireTime::from_since_epoch(EPOCH + self.now);
        let mut prefix = DatagramPrefix { sequence, sent: now };
        if prefix.is_fin() {
            if self.numbers_fins {
                prefix.sequence -= i64::try_from(self.outcome.fins_sent).expect("few");
                prefix.sent = *self.first_fin.get_or_insert(now);
            }
            self.outcome.fins_sent += 1;
            if self.outcome.fins_sent <= self.network.path.lost_fins.into() {
                return;
            }
        } else {
            self.outcome.truth.sent += 1;
        }
        let datagram = &mut self.datagram[..length];
        prefix.encode_over(datagram);
        self.network.send(self.now, Target::Receiver, datagram);
    }

    fn deliver(&mut self, datagram: &[u8]) {
        let time_of_day = self.receiver_time_of_day();
        if self.flow.is_none() {
            let Some(request) = UdpRequest::of_first_datagram(datagram, 1470) else {
                return;
            };
            self.width = request.width;
            let options = UdpServerOptions { idle_timeout: self.idle_timeout };
            let start = (self.now, time_of_day);
            self.flow = Some(UdpFlow::new(&request, StreamId(1), self.interval, &options, start));
        }
        let prefix =
            DatagramPrefix::decode(datagram, self.width).expect("the sender knows the format");
        let Some(flow) = self.flow.as_mut() else {
            return;
        };
        if !prefix.is_fin() && !flow.has_ended() {
            self.outcome.truth.deliver(prefix.sequence, datagram.len());
        }
        flow.handle_datagram(&FlowDatagram {
            prefix,
            length: datagram.len(),
            at: self.now,
            time_of_day,
            marks: Marks { tos: None, ttl: Some(64) },
        });
    }

    fn receiver_time_of_day(&self) -> Duration {
        let offset = self.network.path.clock_offset_milliseconds;
        let size = Duration::from_millis(offset.unsigned_abs());
        let time_of_day = EPOCH + self.now;
        if offset < 0 { time_of_day - size } else { time_of_day + size }
    }

    fn poll_flow(&mut self) {
        let Some(flow) = self.flow.as_mut() else {
            return;
        };
        flow.advance(self.now);
        while let Some(action) = flow.next_action(self.now) {
            match action {
                FlowAction::Interval(interval) => self.outcome.receiver_intervals.push(*interval),
                FlowAction::Answer(report) => {
                    if self.outcome.answers.len() >= self.network.path.lost_answers as usize {
                        self.network.send(self.now, Target::Sender, &report);
                    }
                    self.outcome.answers.push(report);
                }
                FlowAction::End { end, totals, remarks } => {
                    assert!(self.outcome.receiver.is_none(), "a flow ends once");
                    self.outcome.receiver = Some(Received { end, totals: *totals, remarks });
                }
            }
        }
    }
}

/// The report in an answer.
pub(crate) fn report_in(answer: &[u8]) -> linerate_engine::wire::udp::FinReport {
    match FinAnswer::classify(answer) {
        FinAnswer::Report(report) => report,
        other => panic!("no report: {other:?}"),
    }
}
