use std::time::Duration;

use linerate_schema::results::Measurement;

use crate::event::{RunEvent, RunEventKind};

/// What the flows of the running case are doing, as far as their last intervals tell.
#[derive(Debug, Clone, Default)]
pub struct FlowBoard {
    flows: Vec<FlowGauge>,
}

/// The last interval of a flow, or of one way of it, summed over its streams.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowGauge {
    /// Name of the flow, and the way where it sends both ways.
    pub flow: String,
    /// The interval being collected; absent until the first stream reports.
    current: Option<Round>,
    /// The interval before it.
    previous: Option<Round>,
}

/// One interval of all streams of a flow, as far as they have reported it.
#[derive(Debug, Clone, PartialEq)]
struct Round {
    end: Duration,
    streams: usize,
    bits_per_second: f64,
    sent: u64,
    lost: u64,
}

/// Figures of one interval of a flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// End of the interval from the start of the streams.
    pub end: Duration,
    /// Sum of the streams' rates.
    pub bits_per_second: f64,
    /// Lost over sent datagrams, 0 to 1; absent for TCP and for senders.
    pub loss: Option<f64>,
}

impl FlowBoard {
    /// Takes note of an event. Returns the flows for which it ends an interval, with the figures of that interval.
    pub fn apply(&mut self, event: &RunEvent) -> Vec<(String, Reading)> {
        match &event.kind {
            RunEventKind::FlowStarted { flow, .. } => {
                self.gauge(flow);
                Vec::new()
            }
            RunEventKind::Interval { flow, way, end, measurement, .. } => {
                let name = way.map_or_else(|| flow.clone(), |way| format!("{flow} {way}"));
                if way.is_some() {
                    self.rename(flow, &name);
                }
                let finished = self.gauge(&name).add(*end, measurement);
                finished.map(|reading| (name, reading)).into_iter().collect()
            }
            RunEventKind::CaseStarted { .. } | RunEventKind::CaseFinished { .. } => self
                .flows
                .drain(..)
                .filter_map(|gauge| Some((gauge.flow, gauge.current?.reading())))
                .collect(),
            RunEventKind::RunStarted { .. } | RunEventKind::RunFinished { .. } => Vec::new(),
        }
    }

    /// The flows that have started, in the order in which they did.
    #[must_use]
    pub fn flows(&self) -> &[FlowGauge] {
        &self.flows
    }

    /// A flow that had only started turns out to send both ways.
    fn rename(&mut self, flow: &str, name: &str) {
        if let Some(gauge) = self.flows.iter_mut().find(|gauge| gauge.flow == flow) {
            name.clone_into(&mut gauge.flow);
        }
    }

    fn gauge(&mut self, flow: &str) -> &mut FlowGauge {
        let position =
            self.flows.iter().position(|gauge| gauge.flow == flow).unwrap_or_else(|| {
                self.flows.push(FlowGauge { flow: flow.to_owned(), current: None, previous: None });
                self.flows.len() - 1
            });
        &mut self.flows[position]
    }
}

impl FlowGauge {
    /// The newest interval that all streams have reported, or the first one as far as it is known.
    #[must_use]
    pub fn reading(&self) -> Option<Reading> {
        let current = self.current.as_ref()?;
        let round = match &self.previous {
            Some(previous) if previous.streams > current.streams => previous,
            _ => current,
        };
        Some(round.reading())
    }

    fn add(&mut self, end: Duration, measurement: &Measurement) -> Option<Reading> {
        // Streams of one flow end their intervals within a moment of each other.
        const SAME_ROUND: Duration = Duration::from_millis(2);
        let finished = match &self.current {
            Some(round) if end.abs_diff(round.end) <= SAME_ROUND => None,
            Some(_) => self.current.take(),
            None => None,
        };
        let round = self.current.get_or_insert(Round {
            end,
            streams: 0,
            bits_per_second: 0.0,
            sent: 0,
            lost: 0,
        });
        round.streams += 1;
        round.bits_per_second += measurement.throughput_bits_per_second;
        if let Some(counts) = measurement.datagrams
            && let Some(lost) = counts.lost
        {
            round.sent += counts.sent;
            round.lost += lost;
        }
        let finished = finished?;
        let reading = finished.reading();
        self.previous = Some(finished);
        Some(reading)
    }
}

impl Round {
    #[expect(clippy::cast_precision_loss, reason = "counts of one interval stay far below 2^52")]
    fn reading(&self) -> Reading {
        Reading {
            end: self.end,
            bits_per_second: self.bits_per_second,
            loss: (self.sent > 0).then(|| self.lost as f64 / self.sent as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use linerate_schema::results::DatagramCounts;
    use linerate_schema::scenario::Way;

    use super::*;

    fn interval(flow: &str, end_ms: u64, bits_per_second: f64) -> RunEvent {
        let measurement = Measurement {
            throughput_bits_per_second: bits_per_second,
            datagrams: Some(DatagramCounts { sent: 100, lost: Some(5), ..Default::default() }),
            ..Default::default()
        };
        RunEvent {
            elapsed: Duration::ZERO,
            kind: RunEventKind::Interval {
                case: 0,
                flow: flow.to_owned(),
                way: None,
                end: Duration::from_millis(end_ms),
                measurement,
            },
        }
    }

    #[test]
    fn streams_of_one_interval_are_summed() {
        let mut board = FlowBoard::default();
        board.apply(&interval("bulk", 1000, 10.0));
        board.apply(&interval("bulk", 1001, 20.0));
        let reading = board.flows()[0].reading().expect("two streams reported");
        assert_eq!(reading.bits_per_second, 30.0);
        assert_eq!(reading.loss, Some(0.05));
    }

    #[test]
    fn an_interval_that_only_some_streams_have_reported_is_not_shown_yet() {
        let mut board = FlowBoard::default();
        board.apply(&interval("bulk", 1000, 10.0));
        board.apply(&interval("bulk", 1000, 20.0));
        board.apply(&interval("bulk", 2000, 11.0));
        let shown = board.flows()[0].reading().expect("one interval is complete");
        assert_eq!((shown.end, shown.bits_per_second), (Duration::from_secs(1), 30.0));
        board.apply(&interval("bulk", 2000, 22.0));
        let shown = board.flows()[0].reading().expect("two intervals are complete");
        assert_eq!((shown.end, shown.bits_per_second), (Duration::from_secs(2), 33.0));
    }

    #[test]
    fn the_ways_of_a_flow_are_shown_apart() {
        let of_way = |way, rate| {
            let mut event = interval("call", 1000, rate);
            if let RunEventKind::Interval { way: of, .. } = &mut event.kind {
                *of = Some(way);
            }
            event
        };
        let mut board = FlowBoard::default();
        let started = RunEventKind::FlowStarted { case: 0, flow: "call".to_owned() };
        board.apply(&RunEvent { elapsed: Duration::ZERO, kind: started });
        board.apply(&of_way(Way::Forward, 10.0));
        board.apply(&of_way(Way::Reverse, 20.0));
        let shown: Vec<_> = board
            .flows()
            .iter()
            .map(|gauge| (gauge.flow.as_str(), gauge.reading().map(|r| r.bits_per_second)))
            .collect();
        assert_eq!(shown, [("call forward", Some(10.0)), ("call reverse", Some(20.0))]);
    }

    #[test]
    fn an_interval_is_told_once_when_the_next_begins_or_the_case_ends() {
        let mut board = FlowBoard::default();
        assert!(board.apply(&interval("bulk", 1000, 10.0)).is_empty());
        assert!(board.apply(&interval("call", 1000, 1.0)).is_empty());
        let told = board.apply(&interval("bulk", 2000, 20.0));
        assert_eq!(told.len(), 1);
        assert_eq!((told[0].0.as_str(), told[0].1.bits_per_second), ("bulk", 10.0));
        let told = board.apply(&RunEvent {
            elapsed: Duration::ZERO,
            kind: RunEventKind::CaseStarted { index: 1, id: "next".to_owned(), expected: None },
        });
        let rates: Vec<_> = told.iter().map(|(_, reading)| reading.bits_per_second).collect();
        assert_eq!(rates, [20.0, 1.0]);
        assert!(board.flows().is_empty());
    }
}
