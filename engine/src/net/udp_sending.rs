//! Carries out what a [`UdpSender`] decides.

use std::time::Duration;

use super::client::{EventSink, emit};
use super::udp_clock::{UdpClock, wire_time};
use crate::cancel::Cancel;
use crate::error::EngineError;
use crate::event::EventKind;
use crate::protocol::udp_rejections::Rejection;
use crate::protocol::udp_sender::{Outgoing, SendFailure, SenderAction, SenderEnd, UdpSender};
use crate::wire::udp::DatagramPrefix;

/// Longest sleep between two looks at cancellation.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// The way from a sender to its receiver, and back.
pub(super) trait SenderLink {
    /// Sends one datagram.
    fn send(&mut self, datagram: &[u8]) -> Result<(), SendFailure>;

    /// The first datagram was sent.
    fn started(&mut self);

    /// Waits for at most `time`, and hands in what came from the receiver or the network.
    fn wait(&mut self, sender: &mut UdpSender, time: Duration);

    /// What something else than a send learnt.
    fn take_news(&mut self) -> Option<News>;
}

/// What concerns a sender and was learnt elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum News {
    /// The network rejected an earlier datagram.
    Rejection(Rejection),
    /// The other way of the flow failed in a way that leaves no use for this one.
    OtherWayFailed(EngineError),
}

/// Sends a flow to its end. `datagram` is the longest datagram of the flow; the prefix is written into it in place.
pub(super) fn run(
    sender: &mut UdpSender,
    datagram: &mut [u8],
    link: &mut impl SenderLink,
    clock: &UdpClock,
    (sink, cancel): (&EventSink, &Cancel),
) -> SenderEnd {
    loop {
        let now = clock.now();
        match link.take_news() {
            Some(News::Rejection(rejection)) => sender.record_rejection(rejection, now),
            Some(News::OtherWayFailed(error)) => sender.stop(error, now),
            None => {}
        }
        if cancel.is_cancelled() && !sender.has_ended() {
            cancel_flow(sender, datagram, link, now);
        }
        match sender.poll(now) {
            SenderAction::Send(outgoing) => {
                let first = !sender.has_sent();
                match send(link, datagram, &outgoing) {
                    Ok(()) => {
                        sender.record_sent(&outgoing, 1, now);
                        if first {
                            link.started();
                        }
                    }
                    Err(failure) => sender.record_failure(failure, now),
                }
            }
            SenderAction::Wait(until) => {
                let time = until.saturating_sub(clock.now()).min(LONGEST_SLEEP);
                if !time.is_zero() {
                    link.wait(sender, time);
                }
            }
            SenderAction::Report(interval) => emit(sink, EventKind::Interval(*interval)),
            SenderAction::End(end) => return end,
        }
    }
}

/// Ends the flow, and tells the receiver so: one without idle timeout would wait for ever.
fn cancel_flow(
    sender: &mut UdpSender,
    datagram: &mut [u8],
    link: &mut impl SenderLink,
    now: Duration,
) {
    let tell = sender.is_sending() && sender.has_sent();
    sender.stop(EngineError::Cancelled, now);
    if tell {
        // Best effort: there is nobody left to report a failure to.
        let _ = send(link, datagram, &sender.fin());
    }
}

fn send(
    link: &mut impl SenderLink,
    datagram: &mut [u8],
    outgoing: &Outgoing,
) -> Result<(), SendFailure> {
    let length = outgoing.length.min(datagram.len());
    let bytes = &mut datagram[..length];
    DatagramPrefix { sequence: outgoing.sequence, sent: wire_time() }.encode_over(bytes);
    link.send(bytes)
}
