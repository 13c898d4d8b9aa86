use std::time::Duration;

use linerate_engine::error::EngineError;
use linerate_schema::results::{FlowFailure, FlowFailureKind};
use linerate_schema::scenario::Transport;

use super::FlowContext;

/// Why linerate itself ended a flow before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutShort {
    /// The run was interrupted while the flow ran.
    Interrupted,
    /// The run was interrupted before the flow began.
    InterruptedBeforeStart,
    /// The flow did not end within this time from the start of its case.
    TimeLimit(Duration),
}

impl CutShort {
    pub(super) fn failure(self) -> FlowFailure {
        match self {
            Self::Interrupted => FlowFailure {
                kind: FlowFailureKind::Interrupted,
                message: "the run was interrupted, the figures are partial: run it again"
                    .to_owned(),
            },
            Self::InterruptedBeforeStart => FlowFailure {
                kind: FlowFailureKind::Interrupted,
                message: "the run was interrupted before this flow began: run it again".to_owned(),
            },
            Self::TimeLimit(limit) => FlowFailure {
                kind: FlowFailureKind::Timeout,
                message: format!(
                    "the flow did not end within {:.0} s and was stopped, the figures are partial: check that both \
                     ends are still reachable, or let it send less",
                    limit.as_secs_f64()
                ),
            },
        }
    }
}

/// The end of a flow that saw a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeenBy {
    Client,
    Server,
}

/// An engine's error as the failure of a flow, with what to do next.
#[must_use]
pub fn flow_failure(error: &EngineError, context: &FlowContext) -> FlowFailure {
    failure_seen_by(SeenBy::Client, error, context)
}

pub(super) fn failure_seen_by(
    end: SeenBy,
    error: &EngineError,
    context: &FlowContext,
) -> FlowFailure {
    let target = &context.target;
    let peer = match end {
        SeenBy::Client => format!("the server at {target}"),
        SeenBy::Server => "the client".to_owned(),
    };
    let (kind, message) = match error {
        EngineError::Refused => (FlowFailureKind::Refused, refused(context)),
        EngineError::ConnectTimeout { after } => (
            FlowFailureKind::ConnectTimeout,
            format!(
                "no connection to {target} within {:.1} s: check the address and that no firewall drops the packets, \
                 or raise connect.timeout",
                after.as_secs_f64()
            ),
        ),
        EngineError::Unreachable { reason } => (
            FlowFailureKind::Unreachable,
            format!(
                "{target} is unreachable ({reason}): check the address, the routes and the link"
            ),
        ),
        EngineError::KeyRefused => (
            FlowFailureKind::KeyRefused,
            format!(
                "the server at {target} refused the permit key: give both ends the same permit-key"
            ),
        ),
        EngineError::PeerVanished { reason } => (
            FlowFailureKind::PeerVanished,
            format!(
                "{peer} {} ({reason}), the figures are partial: look at its log and at the network between the ends{}",
                how_it_went(reason),
                if reason.ends_with(UNACKNOWLEDGED) && !context.server_is_ours {
                    "; if it asks for a permit key, give one"
                } else {
                    ""
                }
            ),
        ),
        EngineError::NoReport { after } => (FlowFailureKind::NoReport, no_report(*after, context)),
        EngineError::NoData { after } => (
            FlowFailureKind::NoData,
            format!(
                "{peer} sent nothing for {:.1} s: check that it supports this direction and that no firewall drops its \
                 data",
                after.as_secs_f64()
            ),
        ),
        EngineError::Protocol { reason } => (
            FlowFailureKind::Protocol,
            format!(
                "{peer} does not speak the iperf 2 protocol ({reason}): check that it is iperf 2, not iperf 3"
            ),
        ),
        EngineError::System { operation, reason } => {
            let to_do = what_to_do(reason);
            (FlowFailureKind::System, format!("failed to {operation}: {reason}: {to_do}"))
        }
        EngineError::Cancelled => (
            FlowFailureKind::Timeout,
            format!(
                "{peer} gave no end of the stream and was stopped, the figures are partial: check that both ends are \
                 still reachable"
            ),
        ),
    };
    FlowFailure { kind, message }
}

/// What an engine says of a server that went away without a word.
const UNACKNOWLEDGED: &str = "without having acknowledged the test";

/// A peer that does not come to its end has not ended too early.
fn how_it_went(reason: &str) -> &'static str {
    let lingers = reason.contains("did not close") || reason.contains("had not taken");
    if lingers { "did not end in time" } else { "ended before its time" }
}

fn refused(context: &FlowContext) -> String {
    let target = &context.target;
    match context.transport {
        Transport::Tcp => format!(
            "the connection to {target} was refused: check that the server runs and listens on this port, and that no \
             firewall rejects it"
        ),
        Transport::Udp => format!(
            "{target} rejected the datagrams: check that a UDP server runs and listens on this port, and that no \
             firewall rejects it"
        ),
    }
}

fn no_report(after: Duration, context: &FlowContext) -> String {
    let (target, seconds) = (&context.target, after.as_secs_f64());
    let (known, check) = match context.server_is_ours {
        true => ("its figures are partial", "check"),
        false => ("what arrived is unknown", "check that an iperf 2 server runs there and"),
    };
    format!(
        "no report from the server at {target} within {seconds:.1} s of the last datagram, so {known}: {check} that UDP \
         gets through in both directions"
    )
}

/// What helps when the system refuses something, from its own words.
pub(crate) fn what_to_do(reason: &str) -> &'static str {
    const ADVICE: [(&str, &str); 7] = [
        ("in use", "end the program that uses this port, or take another one"),
        ("cannot assign", "use an address that this host has"),
        ("permission denied", "use a port above 1023, or run as root"),
        ("no such device", "name an interface that this host has (ip link)"),
        ("not permitted", "run as root, or leave this option out"),
        (
            "temporarily unavailable",
            "raise the limit on processes and threads (ulimit -u), or use fewer streams",
        ),
        ("too many open files", "raise the limit on open files (ulimit -n), or use fewer streams"),
    ];
    let reason = reason.to_lowercase();
    let known = ADVICE.iter().find(|(words, _)| reason.contains(words));
    known.map_or("check the options of the flow and of its server", |(_, advice)| advice)
}
