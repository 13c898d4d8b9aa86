//! A UDP client that receives what it asked the server to send.

use std::time::Duration;

use super::udp_receiver::{FlowDatagram, ReceiverEnd, UdpReceiver, UdpReceiverSettings};
use super::udp_rejections::{Rejection, Rejections};
use crate::config::Amount;
use crate::error::EngineError;
use crate::event::{Interval, StreamId, Totals};
use crate::stats::Marks;
use crate::wire::udp::{DatagramHeader, DatagramPrefix, SequenceWidth};

const MICROSECONDS_PER_SECOND: u32 = 1_000_000;
/// Offset of the upper word of the sequence number.
const UPPER_WORD: std::ops::Range<usize> = 12..16;

/// Asks until data comes, then receives it to its end.
///
/// Use it like [`UdpSender`](super::udp_sender::UdpSender): poll until it says `Wait`, and hand in what arrives.
#[derive(Debug)]
pub struct UdpReverse {
    settings: UdpReverseSettings,
    requests: Requests,
    receiver: Option<(UdpReceiver, SequenceWidth)>,
    rejections: Rejections,
    end: Option<ReceiverEnd>,
}

/// What a [`UdpReverse`] asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UdpReverseSettings {
    /// The stream, for its figures.
    pub stream: StreamId,
    /// How the server learns that it shall send.
    pub asking: Asking,
    /// What the server is asked for.
    pub amount: Amount,
    /// Whether the server's send times are meant for one-way latency.
    pub trip_times: bool,
    /// Length of a reporting interval.
    pub interval: Option<Duration>,
}

/// How a server learns that it shall send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// By requests, until its data comes.
    Requests,
    /// By the data that this end sends at the same time.
    OwnData,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum ReverseAction {
    /// Send the request; its number is 1 each time.
    Ask,
    /// Do nothing until this time, but hand in what arrives.
    Wait(Duration),
    /// An interval is over.
    Report(Box<Interval>),
    /// The flow has ended; there is nothing more to do.
    End(ReceiverEnd),
}

/// What a datagram was to a [`UdpReverse`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reception {
    /// The first of the flow.
    First,
    /// A later one.
    Later,
    /// None of the flow.
    Foreign,
}

#[derive(Debug, Default)]
struct Requests {
    since: Option<Duration>,
    sent: u64,
    next: Duration,
}

impl UdpReverse {
    /// Time between two requests.
    pub const REQUEST_PERIOD: Duration = Duration::from_millis(10);
    /// How long to go on asking, as iperf does.
    pub const ASK_FOR: Duration = Duration::from_secs(1);
    /// How long to wait for the first data.
    pub const DATA_TIMEOUT: Duration = Duration::from_secs(2);
    /// How much longer than asked for a flow by time may last, as in iperf.
    pub const OVERTIME: Duration = Duration::from_secs(2);
    /// How long a flow by bytes may pause.
    pub const LONGEST_PAUSE: Duration = Duration::from_secs(10);

    /// A client that has not asked yet.
    #[must_use]
    pub fn new(settings: UdpReverseSettings) -> Self {
        Self {
            settings,
            requests: Requests::default(),
            receiver: None,
            rejections: Rejections::default(),
            end: None,
        }
    }

    /// Says what to do at `now`. All that arrived before must have been handed in.
    pub fn poll(&mut self, now: Duration) -> ReverseAction {
        if let Some((receiver, _)) = &mut self.receiver {
            receiver.advance(now);
            if let Some(interval) = receiver.next_interval() {
                return ReverseAction::Report(Box::new(interval));
            }
            return match receiver.end() {
                Some(end) => ReverseAction::End(end.clone()),
                None => ReverseAction::Wait(receiver.deadline()),
            };
        }
        if let Some(end) = &self.end {
            return ReverseAction::End(end.clone());
        }
        self.poll_asking(now)
    }

    /// The request was sent.
    pub fn record_request(&mut self, now: Duration) {
        self.requests.sent += 1;
        self.requests.next = now + Self::REQUEST_PERIOD;
    }

    /// The network rejected a request. Once data has come this means nothing.
    pub fn record_rejection(&mut self, rejection: Rejection, now: Duration) {
        if self.receiver.is_some() {
            return;
        }
        self.requests.next = now + Self::REQUEST_PERIOD;
        let elapsed = now.saturating_sub(self.requests.since.unwrap_or(now));
        if let Some(error) = self.rejections.record(rejection, now, elapsed, self.requests.sent) {
            self.stop(error);
        }
    }

    /// Takes a datagram that arrived at `at` with these marks and had `length` bytes, of which `bytes` are the first.
    pub fn handle_datagram(
        &mut self,
        bytes: &[u8],
        length: usize,
        (at, time_of_day): (Duration, Duration),
        marks: Marks,
    ) -> Reception {
        let width = self.receiver.as_ref().map_or_else(|| width(bytes), |(_, width)| *width);
        let Ok(prefix) = DatagramPrefix::decode(bytes, width) else {
            return Reception::Foreign;
        };
        if prefix.sequence == 0
            || prefix.sent.microseconds >= MICROSECONDS_PER_SECOND
            || self.end.is_some()
        {
            return Reception::Foreign;
        }
        let reception = if self.receiver.is_none() { Reception::First } else { Reception::Later };
        let settings = &self.settings;
        let (receiver, _) = self
            .receiver
            .get_or_insert_with(|| (UdpReceiver::new(receiver_settings(settings), at), width));
        receiver.handle_datagram(&FlowDatagram { prefix, length, at, time_of_day, marks });
        reception
    }

    /// Ends the flow before its time.
    pub fn stop(&mut self, error: EngineError) {
        match &mut self.receiver {
            Some((receiver, _)) => receiver.stop(error),
            None => self.end = Some(ReceiverEnd::Failed(error)),
        }
    }

    /// What was received, if anything.
    #[must_use]
    pub fn totals(&self) -> Option<Totals> {
        self.receiver.as_ref().map(|(receiver, _)| receiver.totals())
    }

    /// What a reader of the figures should know.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        self.receiver.as_ref().map(|(receiver, _)| receiver.remarks()).unwrap_or_default()
    }

    fn poll_asking(&mut self, now: Duration) -> ReverseAction {
        let since = *self.requests.since.get_or_insert(now);
        let waited = now.saturating_sub(since);
        if waited >= Self::DATA_TIMEOUT {
            let unanswered = EngineError::NoData { after: waited };
            self.stop(self.rejections.verdict(now).unwrap_or(unanswered));
            return self.poll(now);
        }
        if waited >= Self::ASK_FOR || self.settings.asking == Asking::OwnData {
            return ReverseAction::Wait(since + Self::DATA_TIMEOUT);
        }
        if now < self.requests.next {
            return ReverseAction::Wait(self.requests.next);
        }
        ReverseAction::Ask
    }
}

fn receiver_settings(settings: &UdpReverseSettings) -> UdpReceiverSettings {
    let (announced, idle_timeout) = match settings.amount {
        Amount::Time(time) => (Some(time), None),
        Amount::Bytes(_) => (None, Some(UdpReverse::LONGEST_PAUSE)),
    };
    UdpReceiverSettings {
        stream: settings.stream,
        trip_times: settings.trip_times,
        interval: settings.interval,
        idle_timeout,
        time_limit: announced.map(|time| time.saturating_add(UdpReverse::OVERTIME)),
        announced,
    }
}

/// Width of the numbers of data that a server sends. Without header, an upper word of zero means a sender that writes it:
/// where it is not written, digits of the payload stand there. (iperf reads 32 bits, which agrees below 2³¹.)
fn width(bytes: &[u8]) -> SequenceWidth {
    match DatagramHeader::decode(bytes) {
        Ok(DatagramHeader::Absent) if bytes.get(UPPER_WORD).is_some_and(|word| word == [0; 4]) => {
            SequenceWidth::Bits64
        }
        _ => SequenceWidth::of_first_datagram(bytes),
    }
}
