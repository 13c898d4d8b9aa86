//! A flow that a client asks a server for.

use std::time::Duration;

use linerate_engine::config::ClientConfig;
use linerate_engine::event::{StreamId, Totals};
use linerate_engine::protocol::udp_client_request::UdpClientRequest;
use linerate_engine::protocol::udp_receiver::ReceiverEnd;
use linerate_engine::protocol::udp_request::{Task, UdpRequest};
use linerate_engine::protocol::udp_reverse::{
    Asking, ReverseAction, UdpReverse, UdpReverseSettings,
};
use linerate_engine::protocol::udp_sender::{Finish, SenderAction, UdpSender, UdpSenderSettings};
use linerate_engine::stats::Marks;
use linerate_engine::wire::WireTime;
use linerate_engine::wire::udp::DatagramPrefix;

use crate::network::{EPOCH, LIMIT, Network, Path, Target, Truth};

/// Both ends after the end of the flow.
#[derive(Debug)]
pub(crate) struct ReverseOutcome {
    pub(crate) end: ReceiverEnd,
    pub(crate) totals: Option<Totals>,
    pub(crate) truth: Truth,
    pub(crate) requests: u32,
    pub(crate) requests_arrived: u32,
    pub(crate) ended_at: Duration,
}

struct ReverseSimulation<'a> {
    config: &'a ClientConfig,
    request: UdpClientRequest,
    network: Network,
    now: Duration,
    client: UdpReverse,
    sender: Option<(UdpSender, Vec<u8>)>,
    lost_requests: u32,
    fins: u32,
    outcome: ReverseOutcome,
}

/// Runs a flow; the first `lost_requests` requests do not arrive. The server's data goes over `path`.
pub(crate) fn simulate(
    config: &ClientConfig,
    path: Path,
    lost_requests: u32,
    seed: u64,
) -> ReverseOutcome {
    let client = UdpReverse::new(UdpReverseSettings {
        stream: StreamId(1),
        asking: Asking::Requests,
        amount: config.amount,
        trip_times: config.trip_times,
        interval: config.interval,
    });
    let outcome = ReverseOutcome {
        end: ReceiverEnd::Finished,
        totals: None,
        truth: Truth::default(),
        requests: 0,
        requests_arrived: 0,
        ended_at: Duration::ZERO,
    };
    ReverseSimulation {
        config,
        request: UdpClientRequest::new(config).expect("a valid configuration"),
        network: Network::new(path, seed),
        now: Duration::ZERO,
        client,
        sender: None,
        lost_requests,
        fins: 0,
        outcome,
    }
    .run()
}

impl ReverseSimulation<'_> {
    fn run(mut self) -> ReverseOutcome {
        loop {
            let sender_wakes = self.poll_sender();
            let client_wakes = match self.poll_client() {
                Ok(wakes) => wakes,
                Err(end) => {
                    self.outcome.end = end;
                    self.outcome.totals = self.client.totals();
                    self.outcome.ended_at = self.now;
                    return self.outcome;
                }
            };
            let arrival = self.network.next_arrival();
            let next = [sender_wakes, Some(client_wakes), arrival]
                .into_iter()
                .flatten()
                .min()
                .expect("a time");
            assert!(next >= self.now && next < LIMIT, "time goes on and ends");
            self.now = next;
            while let Some(flying) = self.network.take(self.now) {
                match flying.target {
                    Target::Sender => self.deliver_request(&flying.datagram),
                    Target::Receiver => self.deliver_data(&flying.datagram),
                }
            }
        }
    }

    fn poll_client(&mut self) -> Result<Duration, ReceiverEnd> {
        loop {
            match self.client.poll(self.now) {
                ReverseAction::Wait(until) => {
                    return Ok(until.max(self.now + Duration::from_nanos(1)));
                }
                ReverseAction::Report(_) => {}
                ReverseAction::End(end) => return Err(end),
                ReverseAction::Ask => {
                    let now = WireTime::from_since_epoch(EPOCH + self.now);
                    let mut datagram = self.request.datagram(now);
                    DatagramPrefix { sequence: 1, sent: now }.encode_over(&mut datagram);
                    self.outcome.requests += 1;
                    if self.outcome.requests > self.lost_requests {
                        self.network.send(self.now, Target::Sender, &datagram);
                    }
                    self.client.record_request(self.now);
                }
            }
        }
    }

    fn poll_sender(&mut self) -> Option<Duration> {
        let (sender, datagram) = self.sender.as_mut()?;
        loop {
            match sender.poll(self.now) {
                SenderAction::Wait(until) => {
                    return Some(until.max(self.now + Duration::from_nanos(1)));
                }
                SenderAction::Report(_) => {}
                SenderAction::End(_) => return None,
                SenderAction::Send(outgoing) => {
                    for index in 0..outgoing.count {
                        let sequence = outgoing.sequence + i64::try_from(index).expect("few");
                        let sent = WireTime::from_since_epoch(EPOCH + self.now);
                        let datagram = &mut datagram[..outgoing.length];
                        DatagramPrefix { sequence, sent }.encode_over(datagram);
                        self.fins += u32::from(sequence < 0);
                        self.outcome.truth.sent += u64::from(sequence > 0);
                        if sequence > 0 || self.fins > self.network.path.lost_fins {
                            self.network.send(self.now, Target::Receiver, datagram);
                        }
                    }
                    sender.record_sent(&outgoing, outgoing.count, self.now);
                }
            }
        }
    }

    fn deliver_request(&mut self, datagram: &[u8]) {
        self.outcome.requests_arrived += 1;
        let request = UdpRequest::of_first_datagram(datagram, 1470).expect("a request");
        let Task::Send(order) = request.task else { panic!("a request to send") };
        if self.sender.is_some() {
            return;
        }
        let sender = UdpSender::new(UdpSenderSettings {
            stream: StreamId(1),
            amount: order.amount,
            rate: order.rate,
            length: order.length,
            header_length: order.header_length(),
            finish: Finish::Announce,
            interval: self.config.interval,
        });
        self.sender = Some((sender, order.datagram(WireTime::from_since_epoch(EPOCH + self.now))));
    }

    fn deliver_data(&mut self, datagram: &[u8]) {
        let number =
            DatagramPrefix::decode(datagram, linerate_engine::wire::udp::SequenceWidth::Bits64)
                .expect("the sender knows the format")
                .sequence;
        if number > 0 {
            self.outcome.truth.deliver(number, datagram.len());
        }
        self.client.handle_datagram(
            datagram,
            datagram.len(),
            (self.now, EPOCH + self.now),
            Marks::default(),
        );
    }
}
