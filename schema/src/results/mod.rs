//! The results document: what a run measured and what was concluded from it.
//!
//! Everything here is plain data in SI units, with the unit in the field's name, so that `results.json` can be
//! read without this program. A value that was not measured is absent (`null`), never zero and never NaN.
//! Reports read only these types; they never run anything.

mod assertion_result;
mod case;
mod distribution;
mod environment;
mod flow;
mod measurement;
mod received_marks;
mod run;
mod verdict;
mod ways;

pub use assertion_result::{AssertionResult, Comparison, Severity};
pub use case::{CaseResult, MatrixValue, SourceLocation};
pub use distribution::{Bin, Distribution};
pub use environment::HostFacts;
pub use flow::{Endpoint, FlowFailure, FlowFailureKind, FlowResult, StreamResult};
pub use measurement::{
    DatagramCounts, IntervalMeasurement, Measurement, ReceiverSource, TcpState, WriteCounts,
};
pub use received_marks::ReceivedMarks;
pub use run::{RESULTS_VERSION, RunResult, ScenarioSummary, Tool, VerdictCounts};
pub use verdict::Verdict;
pub use ways::{FlowReverse, FlowWay, StreamReverse, StreamWay};
