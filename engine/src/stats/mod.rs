//! The figures of a flow, computed in constant memory from times and counts that are passed in.
//!
//! Pure: no clock, no socket, no printing. Every figure has one owner, the thread of its stream; figures of several
//! streams are merged afterwards.
//!
//! - [`Transfer`] counts bytes and calls, [`IntervalClock`] says when an interval is over.
//! - [`SequenceTracker`] tells lost, late and duplicate datagrams apart, [`FinRepetitions`] data from end markers;
//!   [`Jitter`] follows RFC 3550.
//! - [`MarkCounts`] counts what IP headers said.
//! - [`Summary`] holds exact moments, [`LatencyHistogram`] the distribution as well.
//! - [`little`] has the derived figures of queueing theory.

mod fin_repetitions;
mod interval_clock;
mod jitter;
mod latency_histogram;
pub mod little;
mod mark_counts;
mod sequence_counts;
mod sequence_tracker;
mod summary;
mod transfer;

pub use fin_repetitions::FinRepetitions;
pub use interval_clock::{IntervalClock, Span};
pub use jitter::Jitter;
pub use latency_histogram::{Bin, LatencyHistogram};
pub use mark_counts::{ByteCounts, MarkCounts, Marks};
pub use sequence_counts::{IperfCounts, SequenceCounts, SequenceDelta};
pub use sequence_tracker::{Arrival, SequenceTracker};
pub use summary::Summary;
pub use transfer::Transfer;
