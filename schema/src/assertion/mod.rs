//! The assertion language: what a scenario's `assert` items say.
//!
//! `[stat(] [flow.][sender.|receiver.]metric [)] operator value [clauses]`, such as `throughput >= 50 Mbit/s`,
//! `p95(call.latency) < 20 ms`, `loss between 0% and 0.1% for each stream`,
//! `throughput >= 0.9 * download.throughput during 5s..25s`.
//!
//! [`Assertion::parse`] turns text into the typed form or says what is wrong and where; [`Assertion::problems`] says
//! what cannot work with the flows of a test. [`MetricFacts`] is the table of all metrics. Nothing here measures or
//! judges.
//!
//! - `throughput`, `loss` and the like are the figure of the whole run, as the receiver knows it. What a sender knows
//!   is asked for with `sender.`.
//! - A statistic of `latency` is taken over all datagrams or bursts; `latency` alone is their mean. A statistic of
//!   `connect-time` is taken over the streams; `connect-time` alone is the slowest. Any other statistic, such as
//!   `p5(throughput)`, is taken over the recorded intervals, each weighing the same.
//! - In `for each stream` and `for each interval` and in windows the left side is that of the stream, interval or window,
//!   and metrics on the right side are those of their whole flow, within `during`.

mod clause;
mod condition;
mod error;
mod expression;
mod foregone;
mod language;
mod located;
mod metric;
mod metric_table;
mod parser;
mod problems;
mod reference;
mod stat;
mod timeline;

pub use clause::{Clauses, During, Each, Windows};
pub use condition::{Condition, Operator};
pub use error::AssertionError;
pub use expression::{Expression, Measure};
pub use language::Assertion;
pub use located::Located;
pub use metric::{KnownBy, Metric, MetricFacts, OverStreams, Samples, Side, Traffic};
pub use reference::metric_reference;
pub use stat::Stat;

#[cfg(test)]
mod tests;
