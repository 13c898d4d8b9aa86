use linerate_engine::error::EngineError;
use linerate_engine::event::{Role, Totals};
use linerate_schema::results::{FlowFailure, FlowFailureKind, ReceiverSource};
use linerate_schema::scenario::{Direction, Transport, Way};

use super::FlowContext;
use super::agreement::{cuts_datagrams, disagreement};
use super::end_record::{RoleRecord, StreamRecord};
use super::failure::{SeenBy, failure_seen_by};
use super::measure::measurement;

/// No test header is longer, permit key included.
const LONGEST_TEST_HEADER: u64 = 512;

/// A sender that a server runs may stop so much before the time that was asked for, in parts of it: the client's clock
/// starts at the connection, the server's later, and the last data need not come at the very end.
pub(super) const EARLY_END_TOLERANCE: f64 = 0.25;

/// The two ends of a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamEnds<'a> {
    pub(super) client: &'a StreamRecord,
    /// Absent for an external server, and where the server saw nothing of the stream.
    pub(super) server: Option<&'a StreamRecord>,
    /// Whether the server saw the client's own address: a guess vouches for nothing.
    pub(super) by_address: bool,
}

/// What the two ends of a stream told about the data that goes one way.
#[derive(Debug, Clone, Copy)]
pub(super) struct WayEnds<'a> {
    pub(super) way: Way,
    pub(super) client: &'a RoleRecord,
    /// Absent for an external server, and where the server saw nothing of the stream.
    pub(super) server: Option<&'a RoleRecord>,
    /// Whether the server saw the client's own address.
    by_address: bool,
    /// What the server reported to the client.
    reported: Option<&'a Totals>,
}

impl<'a> StreamEnds<'a> {
    /// The data that goes this way.
    pub(super) fn way(self, way: Way) -> WayEnds<'a> {
        WayEnds {
            way,
            client: self.client.role(client_role(way)),
            server: self.server.map(|server| server.role(server_role(way))),
            by_address: self.by_address,
            reported: self.client.server_report.as_ref().filter(|_| way == Way::Forward),
        }
    }

    /// Whether the client's end came to its regular end, whichever way the data goes.
    pub(super) fn client_ended_regularly(self, direction: Direction) -> bool {
        direction.ways().iter().all(|way| self.client.role(client_role(*way)).ended_regularly())
    }

    /// What went wrong on the stream; `None` when it ended regularly and its receivers got data.
    pub(super) fn failure(self, context: &FlowContext) -> Option<FlowFailure> {
        let ways = context.direction.ways().iter().map(|way| self.way(*way));
        let mut failures = ways.filter_map(|way| Some((way, way.failure(context)?)));
        let (first, failure) = failures.next()?;
        let Some((second, other)) = failures.next() else {
            return Some(match context.direction.only_way() {
                Some(_) => failure,
                None => of_way(first.way, failure),
            });
        };
        // Both ways failed: the one that tells more about the cause speaks for both.
        let weight = |way: &WayEnds<'_>| way.errors().map(explains).max().unwrap_or(0);
        Some(if weight(&second) > weight(&first) { other } else { failure })
    }
}

/// The role of the client in data that goes this way.
pub(super) fn client_role(way: Way) -> Role {
    match way {
        Way::Forward => Role::Sender,
        Way::Reverse => Role::Receiver,
    }
}

/// The role of the server in data that goes this way.
pub(super) fn server_role(way: Way) -> Role {
    match way {
        Way::Forward => Role::Receiver,
        Way::Reverse => Role::Sender,
    }
}

/// The failure of one of the ways of a two-way flow.
fn of_way(way: Way, failure: FlowFailure) -> FlowFailure {
    FlowFailure { message: format!("{way}: {}", failure.message), ..failure }
}

impl<'a> WayEnds<'a> {
    pub(super) fn sender(&self) -> Option<&'a RoleRecord> {
        match self.way {
            Way::Forward => Some(self.client),
            Way::Reverse => self.server,
        }
    }

    pub(super) fn receiver(&self) -> Option<&'a RoleRecord> {
        match self.way {
            Way::Forward => self.server,
            Way::Reverse => Some(self.client),
        }
    }

    pub(super) fn sent(&self) -> Option<&'a Totals> {
        self.sender().and_then(RoleRecord::totals)
    }

    pub(super) fn received(&self) -> Option<(&'a Totals, ReceiverSource)> {
        let measured = self.receiver().and_then(RoleRecord::totals);
        measured
            .map(|totals| (totals, ReceiverSource::Measured))
            .or_else(|| self.reported.map(|totals| (totals, ReceiverSource::ServerReport)))
    }

    /// Whether the client missed the server's report, which takes nothing from what our own receiver measured.
    pub(super) fn only_lacks_report(&self) -> bool {
        let is_complete = self.server.is_some_and(RoleRecord::ended_regularly);
        self.lacks_report() && self.by_address && is_complete
    }

    /// Whether an external server counted fewer bytes than its datagrams have.
    pub(super) fn report_is_cut(&self) -> bool {
        let Some((receiver, ReceiverSource::ServerReport)) = self.received() else {
            return false;
        };
        self.sent()
            .is_some_and(|sender| cuts_datagrams(&measurement(sender), &measurement(receiver)))
    }

    fn lacks_report(&self) -> bool {
        matches!(self.client.error(), Some(EngineError::NoReport { .. }))
    }

    /// Whether our own server, which would have reported, saw nothing of the stream.
    fn never_arrived(&self, context: &FlowContext) -> bool {
        self.lacks_report() && context.server_is_ours && self.server.is_none()
    }

    fn errors(&self) -> impl Iterator<Item = &'a EngineError> {
        [self.client.error(), self.server.and_then(RoleRecord::error)].into_iter().flatten()
    }

    fn failure(&self, context: &FlowContext) -> Option<FlowFailure> {
        self.engine_failure(context)
            .or_else(|| self.answered_by_another(context))
            .or_else(|| no_data(self, context))
            .or_else(|| self.early_end(context))
            .or_else(|| disagreement(self, context))
    }

    fn engine_failure(&self, context: &FlowContext) -> Option<FlowFailure> {
        let is_told_otherwise = self.only_lacks_report() || self.never_arrived(context);
        let of_client = self.client.error().filter(|_| !is_told_otherwise);
        let of_server = self.server.and_then(RoleRecord::error);
        let of_server = of_server.filter(|error| !self.is_refuted(error, context));
        let (end, error) = match (of_client, of_server) {
            (Some(client), Some(server)) if explains(server) > explains(client) => {
                (SeenBy::Server, server)
            }
            (Some(client), _) => (SeenBy::Client, client),
            (None, Some(server)) => (SeenBy::Server, server),
            (None, None) => return None,
        };
        Some(failure_seen_by(end, error, context))
    }

    /// What a UDP server sent: as it counted, or as the client's receiver infers.
    fn sent_bytes(&self) -> Option<u64> {
        let counted = self.sent().map(|totals| totals.figures.bytes);
        counted.or_else(|| self.received().and_then(|(totals, _)| bytes_by_numbers(totals)))
    }

    /// Somebody answered, and it was not our server, which saw nothing of the stream.
    fn answered_by_another(&self, context: &FlowContext) -> Option<FlowFailure> {
        let has_answer = self.client.ended_regularly() || self.reported.is_some();
        let foreign = context.server_is_ours && self.server.is_none() && has_answer;
        foreign.then(|| FlowFailure {
            kind: FlowFailureKind::NoData,
            message: format!(
                "the server of ours at {} saw nothing of this flow, so another one answered, or nobody: check that \
                 the address belongs to the host of the server, and that nothing between the ends answers for it",
                context.target
            ),
        })
    }

    /// Whether a server only thinks that its client ended early: one that found no time to look at the connection before its
    /// end measures a short time. The client sent all it wanted, and every byte of it arrived.
    fn is_refuted(&self, error: &EngineError, context: &FlowContext) -> bool {
        let bytes = |end: &RoleRecord| end.totals().map(|totals| totals.figures.bytes);
        context.transport == Transport::Tcp
            && self.way == Way::Forward
            && matches!(error, EngineError::PeerVanished { .. })
            && self.client.ended_regularly()
            && bytes(self.client).is_some_and(|sent| self.server.and_then(bytes) == Some(sent))
    }

    /// A server that was asked to send and stopped, in good form, long before it should have.
    fn early_end(&self, context: &FlowContext) -> Option<FlowFailure> {
        if self.way == Way::Forward {
            return None;
        }
        let totals = self.client.totals()?;
        let message = if let Some(asked) = context.asked_bytes() {
            let got = match context.transport {
                Transport::Tcp => totals.figures.bytes,
                Transport::Udp => self.sent_bytes()?,
            };
            (got < asked).then(|| format!("after {got} of {asked} bytes"))
        } else {
            let (asked, gap) = context.asked_seconds_and_gap()?;
            let got = totals.duration.as_secs_f64();
            (got < asked * (1.0 - EARLY_END_TOLERANCE) - 2.0 * gap)
                .then(|| format!("after {got:.2} of {asked:.2} s"))
        }?;
        Some(FlowFailure {
            kind: FlowFailureKind::PeerVanished,
            message: format!(
                "the server at {} stopped sending {message}, the figures are partial: look at its log and its limits",
                context.target
            ),
        })
    }
}

/// What a UDP sender sent, by the sequence numbers that its receiver saw: lost datagrams were as long as the others. The
/// last one counts as a whole, though it may be shorter.
fn bytes_by_numbers(receiver: &Totals) -> Option<u64> {
    let datagrams = receiver.figures.datagrams.filter(|datagrams| datagrams.received > 0)?;
    let length = receiver.figures.bytes.div_ceil(datagrams.received);
    Some(length.saturating_mul(datagrams.sent))
}

/// How much an error says about the cause: an end that only sees its peer go away knows less than the peer.
fn explains(error: &EngineError) -> u8 {
    match error {
        EngineError::Cancelled => 0,
        EngineError::PeerVanished { .. }
        | EngineError::NoData { .. }
        | EngineError::NoReport { .. } => 1,
        _ => 2,
    }
}

/// A stream that ended regularly, but whose receiver got nothing, or nothing but the test header.
fn no_data(ends: &WayEnds<'_>, context: &FlowContext) -> Option<FlowFailure> {
    let sent = ends.sent().map(|totals| totals.figures.bytes);
    match ends.received() {
        Some((totals, _)) => empty_receiver(ends.way, totals, sent, context),
        None => unknown_receiver(sent, context),
    }
}

fn empty_receiver(
    way: Way,
    receiver: &Totals,
    sent: Option<u64>,
    context: &FlowContext,
) -> Option<FlowFailure> {
    let got = receiver.figures.bytes;
    let no_datagrams = receiver.figures.datagrams.is_some_and(|datagrams| datagrams.received == 0);
    if got == 0 || no_datagrams {
        return Some(nothing_arrived(context));
    }
    let only_header = way == Way::Forward
        && context.transport == Transport::Tcp
        && got <= LONGEST_TEST_HEADER
        && sent.is_some_and(|sent| sent > got);
    only_header.then(|| FlowFailure {
        kind: FlowFailureKind::NoData,
        message: format!(
            "only the test header ({got} bytes) arrived at {}: check the path MTU, larger packets may be dropped",
            context.target
        ),
    })
}

/// An external TCP server tells nothing; its flow stands by the regular end of the sender.
fn unknown_receiver(sent: Option<u64>, context: &FlowContext) -> Option<FlowFailure> {
    let target = &context.target;
    if context.server_is_ours {
        return Some(nothing_arrived(context));
    }
    if context.expects_report() {
        return Some(FlowFailure {
            kind: FlowFailureKind::NoReport,
            message: format!(
                "the server at {target} gave no report, so what arrived is unknown: check that an iperf 2 server runs \
                 there"
            ),
        });
    }
    (sent.unwrap_or(0) == 0).then(|| nothing_arrived(context))
}

fn nothing_arrived(context: &FlowContext) -> FlowFailure {
    let message = format!(
        "nothing arrived at the receiver of the flow with {}: {}",
        context.target,
        hint(context)
    );
    FlowFailure { kind: FlowFailureKind::NoData, message }
}

fn hint(context: &FlowContext) -> &'static str {
    match context.transport {
        Transport::Tcp => "check that no proxy or firewall between the ends swallows the data",
        Transport::Udp => {
            "check that no firewall drops UDP and that the datagrams are not larger than the path MTU"
        }
    }
}
