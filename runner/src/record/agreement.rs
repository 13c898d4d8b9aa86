//! Whether what both ends tell of a UDP stream fits together, and the server's report covers the whole of it.

use linerate_engine::event::Totals;
use linerate_schema::results::{FlowFailure, FlowFailureKind, Measurement, ReceiverSource};
use linerate_schema::scenario::Transport;

use super::FlowContext;
use super::conclusion::{EARLY_END_TOLERANCE, WayEnds};

/// A report may miss so much of the sender's time, in seconds, whatever the length of the flow.
const DURATION_SLACK: f64 = 0.1;

/// A server counts at least this part of the bytes of what it received.
const CUT_TOLERANCE: f64 = 0.98;

/// What keeps the figures of both ends from being one flow's; `None` when they agree as far as they are known.
pub(super) fn disagreement(ends: &WayEnds<'_>, context: &FlowContext) -> Option<FlowFailure> {
    if context.transport != Transport::Udp {
        return None;
    }
    let sender = ends.sent()?;
    let (receiver, source) = ends.received()?;
    invented_numbers(sender, receiver, context).or_else(|| {
        let reported = source == ReceiverSource::ServerReport;
        reported.then(|| early_report(sender, receiver, context)).flatten()
    })
}

/// A receiver infers what was sent from sequence numbers: more than the sender sent came from somebody else.
fn invented_numbers(
    sender: &Totals,
    receiver: &Totals,
    context: &FlowContext,
) -> Option<FlowFailure> {
    let (sent, seen) = (sender.figures.datagrams?.sent, receiver.figures.datagrams?.sent);
    (seen > sent).then(|| FlowFailure {
        kind: FlowFailureKind::Protocol,
        message: format!(
            "the receiver of the flow with {} saw sequence numbers that the sender never sent ({seen} datagrams, \
             {sent} sent), so its figures are not trustworthy: check that nobody else sends to this port",
            context.target
        ),
    })
}

/// A report made before the flow ended, or over less than its time.
fn early_report(sender: &Totals, report: &Totals, context: &FlowContext) -> Option<FlowFailure> {
    let (sent, reported) = (sender.figures.datagrams?, report.figures.datagrams?);
    let what = if reported.sent < sent.sent {
        format!("cover {} of {} datagrams", reported.sent, sent.sent)
    } else {
        short_duration(sender, report, context)?
    };
    Some(FlowFailure {
        kind: FlowFailureKind::PeerVanished,
        message: format!(
            "the server at {} reported before the flow ended, its figures are partial and {what}: look at its log and \
             its limits, such as `-t`",
            context.target
        ),
    })
}

/// What is lost at the beginning or the end shortens a receiver's time, by its part of the datagrams at most.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn short_duration(sender: &Totals, report: &Totals, context: &FlowContext) -> Option<String> {
    let counts = report.figures.datagrams?;
    let loss = counts.lost.max(0) as f64 / counts.sent.max(1) as f64;
    let (took, told) = (sender.duration.as_secs_f64(), report.duration.as_secs_f64());
    let slack = DURATION_SLACK + 2.0 * context.gap_seconds();
    (told + slack < took * (1.0 - loss - EARLY_END_TOLERANCE))
        .then(|| format!("cover {told:.2} of {took:.2} s"))
}

/// Whether a server counted fewer bytes than the datagrams that it received have, because its buffer is shorter.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(crate) fn cuts_datagrams(sender: &Measurement, receiver: &Measurement) -> bool {
    let (Some(sent), Some(received)) =
        (sender.datagrams, receiver.datagrams.and_then(|datagrams| datagrams.received))
    else {
        return false;
    };
    let length = sender.transfer_bytes as f64 / sent.sent.max(1) as f64;
    // The last datagram may be shorter.
    let least = (received as f64 * CUT_TOLERANCE - 2.0) * length;
    (receiver.transfer_bytes as f64) < least
}
