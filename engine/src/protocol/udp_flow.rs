//! A flow that a UDP server receives: from its first datagram to the last repetition of its FIN.

use std::time::Duration;

use super::udp_receiver::{FlowDatagram, ReceiverEnd, UdpReceiver, UdpReceiverSettings};
use super::udp_report::encode_report;
use super::udp_request::{ReportWish, UdpRequest};
use super::udp_reverse::UdpReverse;
use crate::config::UdpServerOptions;
use crate::error::EngineError;
use crate::event::{Interval, StreamId, Totals};
use crate::wire::{Limit, WireTime};

/// Receives a flow, reports to its client, and stays for a while to report again when the client repeats its FIN.
///
/// Hand each datagram to [`Self::handle_datagram`], call [`Self::advance`] as for [`UdpReceiver`], and after either take
/// [`Self::next_action`] until it is empty.
#[derive(Debug)]
pub struct UdpFlow {
    receiver: UdpReceiver,
    report: ReportWish,
    /// Latest send time of the client, by its clock.
    latest_sent: WireTime,
    stage: Stage,
    answer_due: bool,
}

/// What a server does for a flow.
#[derive(Debug, Clone, PartialEq)]
pub enum FlowAction {
    /// Tell of an interval.
    Interval(Box<Interval>),
    /// Send this to the client.
    Answer(Vec<u8>),
    /// Tell of the end.
    End {
        /// How it ended.
        end: ReceiverEnd,
        /// What was received.
        totals: Box<Totals>,
        /// What a reader of the figures should know.
        remarks: Vec<String>,
    },
}

/// To which flow a datagram belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Belonging {
    /// To this one; it was taken, or was a leftover of it.
    ThisFlow,
    /// To a new flow of the same client address.
    NewFlow,
}

#[derive(Debug)]
enum Stage {
    Receiving,
    Ended { report: Option<Vec<u8>>, at: Duration },
}

impl UdpFlow {
    /// How long a flow is remembered after its end. A client asks for 2 s.
    pub const LINGER: Duration = Duration::from_secs(3);

    /// A flow whose first datagram arrives at `start` (time of day `time_of_day`) with `request`; the datagram is handed in
    /// like all others.
    #[must_use]
    pub fn new(
        request: &UdpRequest,
        stream: StreamId,
        interval: Option<Duration>,
        options: &UdpServerOptions,
        (start, time_of_day): (Duration, Duration),
    ) -> Self {
        let until_start = request
            .scheduled_start
            .map_or(Duration::ZERO, |time| time.since_epoch().saturating_sub(time_of_day));
        let announced = match request.announced {
            Limit::Time(time) => Some(time),
            Limit::Bytes(_) | Limit::Unlimited => None,
        };
        let settings = UdpReceiverSettings {
            stream,
            trip_times: request.trip_times,
            interval,
            idle_timeout: Some(options.idle_timeout.saturating_add(until_start.min(LATEST_START))),
            time_limit: announced
                .filter(|_| request.task.order().is_some())
                .map(|time| time.saturating_add(UdpReverse::OVERTIME)),
            announced,
        };
        Self {
            receiver: UdpReceiver::new(settings, start),
            report: request.report,
            latest_sent: WireTime::default(),
            stage: Stage::Receiving,
            answer_due: false,
        }
    }

    /// Takes a datagram of the client's address.
    pub fn handle_datagram(&mut self, datagram: &FlowDatagram) -> Belonging {
        if self.starts_anew(datagram) {
            return Belonging::NewFlow;
        }
        match &self.stage {
            Stage::Receiving => {
                self.latest_sent = self.latest_sent.max(datagram.prefix.sent);
                self.receiver.handle_datagram(datagram);
            }
            Stage::Ended { .. } if datagram.prefix.is_fin() => self.answer_due = true,
            Stage::Ended { .. } => {}
        }
        Belonging::ThisFlow
    }

    /// All datagrams that arrived before `now` were handed in.
    pub fn advance(&mut self, now: Duration) {
        self.receiver.advance(now);
    }

    /// Ends the flow before its time.
    pub fn stop(&mut self, error: EngineError) {
        self.receiver.stop(error);
    }

    /// What to do next, at `now`.
    pub fn next_action(&mut self, now: Duration) -> Option<FlowAction> {
        if let Some(interval) = self.receiver.next_interval() {
            return Some(FlowAction::Interval(Box::new(interval)));
        }
        if let (Stage::Receiving, Some(end)) = (&self.stage, self.receiver.end()) {
            let end = end.clone();
            let wanted = self.report != ReportWish::None && self.receiver.has_fin();
            let report = wanted.then(|| encode_report(&self.receiver, self.report));
            self.answer_due = wanted;
            self.stage = Stage::Ended { report, at: now };
            let totals = Box::new(self.receiver.totals());
            return Some(FlowAction::End { end, totals, remarks: self.receiver.remarks() });
        }
        if !std::mem::take(&mut self.answer_due) {
            return None;
        }
        match &self.stage {
            Stage::Ended { report: Some(report), .. } => Some(FlowAction::Answer(report.clone())),
            _ => None,
        }
    }

    /// When [`Self::advance`] has something to do, or the flow is over, at the latest.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        match self.stage {
            Stage::Receiving => self.receiver.deadline(),
            Stage::Ended { at, .. } => at + Self::LINGER,
        }
    }

    /// Whether the flow can be forgotten.
    #[must_use]
    pub fn is_over(&self, now: Duration) -> bool {
        matches!(self.stage, Stage::Ended { at, .. } if now >= at + Self::LINGER)
    }

    /// Whether the flow has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self.stage, Stage::Ended { .. })
    }

    /// Whether the datagram is the first of another flow, of a client that uses the same port again: its send time is
    /// after all of this flow. Repetitions and latecomers of this flow are older than its FIN.
    fn starts_anew(&self, datagram: &FlowDatagram) -> bool {
        let later = datagram.prefix.sent > self.latest_sent;
        match self.stage {
            Stage::Receiving => {
                later && datagram.prefix.sequence == 1 && self.latest_sent != WireTime::default()
            }
            Stage::Ended { .. } => later && datagram.prefix.sequence > 0,
        }
    }
}

/// iperf schedules no start later than this.
const LATEST_START: Duration = Duration::from_secs(3600);
