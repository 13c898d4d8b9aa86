use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use linerate_engine::error::EngineError;
use linerate_engine::event::{Event, EventKind, Interval, Role, StreamId, StreamStarted, Totals};

/// What one end told, client or server, stream by stream.
#[derive(Debug, Clone, Default)]
pub(super) struct EndRecord {
    pub(super) streams: BTreeMap<StreamId, StreamRecord>,
    /// Remarks, and the streams they are about.
    pub(super) notes: Vec<(Option<StreamId>, String)>,
    /// Of a client: the last stream that its server knew when the client was started. Servers count their streams up.
    pub(super) known_before: Option<StreamId>,
}

/// What one end told about a stream.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamRecord {
    /// How it began, in the role that began first.
    pub(super) started: Option<StreamStarted>,
    sender: RoleRecord,
    receiver: RoleRecord,
    /// The receiver's totals as a UDP server reported them to this client.
    pub(super) server_report: Option<Totals>,
}

/// What one end told about its role in a stream.
#[derive(Debug, Clone, Default)]
pub(super) struct RoleRecord {
    pub(super) started: Option<StreamStarted>,
    /// When its clock started, by the wall clock of this end.
    pub(super) clock_start: Option<Duration>,
    pub(super) intervals: Vec<Interval>,
    pub(super) outcome: Option<Outcome>,
}

/// How a role ended at one end.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    /// Regularly.
    Ended(Totals),
    /// Before its time, or it never began.
    Failed { error: EngineError, totals: Option<Totals> },
}

impl EndRecord {
    pub(super) fn handle(&mut self, event: Event) {
        match event.kind {
            EventKind::StreamStarted(started) => {
                let stream = self.stream(started.stream);
                stream.started.get_or_insert_with(|| started.clone());
                let role = stream.role_mut(started.role);
                role.clock_start = Some(event.at);
                role.started = Some(started);
            }
            EventKind::Interval(interval) => {
                let stream = self.stream(interval.stream);
                stream.role_mut(interval.role).intervals.push(interval);
            }
            EventKind::StreamEnded(totals) => {
                let role = self.stream(totals.stream).role_mut(totals.role);
                role.outcome = Some(Outcome::Ended(totals));
            }
            EventKind::StreamFailed { stream, role, error, totals } => {
                self.stream(stream).fail(role, &Outcome::Failed { error, totals });
            }
            EventKind::ServerReport { stream, totals } => {
                self.stream(stream).server_report = Some(totals);
            }
            EventKind::Note { stream, text } => {
                let note = (stream, text);
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
        }
    }

    fn stream(&mut self, stream: StreamId) -> &mut StreamRecord {
        self.streams.entry(stream).or_default()
    }
}

impl StreamRecord {
    /// What was told about this role.
    pub(super) fn role(&self, role: Role) -> &RoleRecord {
        match role {
            Role::Sender => &self.sender,
            Role::Receiver => &self.receiver,
        }
    }

    pub(super) fn local(&self) -> Option<SocketAddr> {
        self.started.as_ref().map(|started| canonical(started.local))
    }

    pub(super) fn peer(&self) -> Option<SocketAddr> {
        self.started.as_ref().map(|started| canonical(started.peer))
    }

    fn role_mut(&mut self, role: Role) -> &mut RoleRecord {
        match role {
            Role::Sender => &mut self.sender,
            Role::Receiver => &mut self.receiver,
        }
    }

    /// A role failed; without one, every role that has not ended.
    fn fail(&mut self, role: Option<Role>, outcome: &Outcome) {
        match role {
            Some(role) => self.role_mut(role).outcome = Some(outcome.clone()),
            None => {
                for record in [&mut self.sender, &mut self.receiver] {
                    record.outcome.get_or_insert_with(|| outcome.clone());
                }
            }
        }
    }
}

impl RoleRecord {
    pub(super) fn totals(&self) -> Option<&Totals> {
        match self.outcome.as_ref()? {
            Outcome::Ended(totals) => Some(totals),
            Outcome::Failed { totals, .. } => totals.as_ref(),
        }
    }

    pub(super) fn error(&self) -> Option<&EngineError> {
        match self.outcome.as_ref()? {
            Outcome::Ended(_) => None,
            Outcome::Failed { error, .. } => Some(error),
        }
    }

    pub(super) fn ended_regularly(&self) -> bool {
        matches!(self.outcome, Some(Outcome::Ended(_)))
    }
}

/// An IPv4 address as such where an IPv6 socket shows it mapped.
pub(super) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}
