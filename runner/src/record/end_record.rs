use std::collections::BTreeMap;
use std::net::SocketAddr;

use linerate_engine::error::EngineError;
use linerate_engine::event::{EventKind, Interval, StreamId, StreamStarted, Totals};

/// What one end told, client or server, stream by stream.
#[derive(Debug, Clone, Default)]
pub(super) struct EndRecord {
    pub(super) streams: BTreeMap<StreamId, StreamRecord>,
    /// Remarks, and the streams they are about.
    pub(super) notes: Vec<(Option<StreamId>, String)>,
}

/// What one end told about a stream.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamRecord {
    pub(super) started: Option<StreamStarted>,
    pub(super) intervals: Vec<Interval>,
    pub(super) outcome: Option<Outcome>,
    /// The receiver's totals as a UDP server reported them to this client.
    pub(super) server_report: Option<Totals>,
}

/// How a stream ended at one end.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    /// Regularly.
    Ended(Totals),
    /// Before its time, or it never began.
    Failed { error: EngineError, totals: Option<Totals> },
}

impl EndRecord {
    pub(super) fn handle(&mut self, event: EventKind) {
        match event {
            EventKind::StreamStarted(started) => {
                let stream = self.stream(started.stream);
                stream.started = Some(started);
            }
            EventKind::Interval(interval) => self.stream(interval.stream).intervals.push(interval),
            EventKind::StreamEnded(totals) => {
                let stream = self.stream(totals.stream);
                stream.outcome = Some(Outcome::Ended(totals));
            }
            EventKind::StreamFailed { stream, error, totals } => {
                self.stream(stream).outcome = Some(Outcome::Failed { error, totals });
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

    pub(super) fn local(&self) -> Option<SocketAddr> {
        self.started.as_ref().map(|started| canonical(started.local))
    }

    pub(super) fn peer(&self) -> Option<SocketAddr> {
        self.started.as_ref().map(|started| canonical(started.peer))
    }
}

/// An IPv4 address as such where an IPv6 socket shows it mapped.
pub(super) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}
