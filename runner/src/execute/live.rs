use linerate_engine::event::{EventKind, Interval, Role};
use linerate_schema::scenario::Way;

use crate::event::RunEventKind;
use crate::plan::PlannedCase;
use crate::record::{CaseRecord, interval_measurement};

/// Turns what the ends of a case tell into what the display shows while it runs.
#[derive(Debug)]
pub(super) struct LiveView<'a> {
    case: &'a PlannedCase,
    index: usize,
    started: Vec<bool>,
}

impl<'a> LiveView<'a> {
    pub(super) fn new(case: &'a PlannedCase, index: usize) -> Self {
        Self { case, index, started: vec![false; case.flows.len()] }
    }

    /// An event of the client of `flow`.
    pub(super) fn of_client(&mut self, flow: usize, event: &EventKind) -> Option<RunEventKind> {
        match event {
            EventKind::StreamStarted(_) => {
                let first = !std::mem::replace(&mut self.started[flow], true);
                first.then(|| RunEventKind::FlowStarted {
                    case: self.index,
                    flow: self.case.flows[flow].name.clone(),
                })
            }
            EventKind::Interval(interval) => {
                let receiver_is_ours = self.case.flows[flow].target.started.is_some();
                let shown = interval.role == Role::Receiver || !receiver_is_ours;
                shown.then(|| self.interval(flow, way_of_client(interval.role), interval))
            }
            _ => None,
        }
    }

    /// An event of a server; the record knows whose stream it is.
    pub(super) fn of_server(
        &self,
        server: usize,
        event: &EventKind,
        record: &CaseRecord<'_>,
    ) -> Option<RunEventKind> {
        match event {
            EventKind::Interval(interval) if interval.role == Role::Receiver => {
                let flow = record.flow_of(server, interval.stream)?;
                Some(self.interval(flow, Way::Forward, interval))
            }
            _ => None,
        }
    }

    fn interval(&self, flow: usize, way: Way, interval: &Interval) -> RunEventKind {
        let planned = &self.case.flows[flow];
        RunEventKind::Interval {
            case: self.index,
            flow: planned.name.clone(),
            way: Some(way).filter(|_| planned.direction.only_way().is_none()),
            end: interval.end,
            measurement: interval_measurement(interval).measurement,
        }
    }
}

/// The way of the data in which the client plays this role.
fn way_of_client(role: Role) -> Way {
    match role {
        Role::Sender => Way::Forward,
        Role::Receiver => Way::Reverse,
    }
}
