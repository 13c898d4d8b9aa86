//! What happens during a run, as one stream: the interface between executing and showing.

use std::time::Duration;

use linerate_schema::results::{CaseResult, Measurement, RunResult};
use linerate_schema::scenario::Way;

/// Something that happened in a run.
#[derive(Debug, Clone)]
pub struct RunEvent {
    /// Time since the run began.
    pub elapsed: Duration,
    /// What happened.
    pub kind: RunEventKind,
}

/// What happened.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "events are few, and none of them is kept")]
pub enum RunEventKind {
    /// The run begins.
    RunStarted {
        /// Number of cases that will run.
        cases: usize,
        /// Time that the traffic of all cases is expected to take; absent when a case sends an amount of bytes at
        /// an unknown rate.
        expected: Option<Duration>,
    },
    /// A case begins.
    CaseStarted {
        /// Its position in the plan, from 0.
        index: usize,
        /// Its id.
        id: String,
        /// Time that its traffic is expected to take.
        expected: Option<Duration>,
    },
    /// A flow has connected, or sent its first datagram.
    FlowStarted {
        /// Position of the case in the plan.
        case: usize,
        /// Name of the flow.
        flow: String,
    },
    /// A stream's receiver (or, where that is not ours, its sender) finished an interval.
    Interval {
        /// Position of the case in the plan.
        case: usize,
        /// Name of the flow.
        flow: String,
        /// The way of the data, where the flow sends both ways.
        way: Option<Way>,
        /// End of the interval from the start of the stream.
        end: Duration,
        /// What was measured.
        measurement: Measurement,
    },
    /// A case is over and judged.
    CaseFinished {
        /// Position of the case in the plan.
        index: usize,
        /// Its result.
        result: Box<CaseResult>,
    },
    /// The run is over.
    RunFinished {
        /// The result.
        result: Box<RunResult>,
    },
}
