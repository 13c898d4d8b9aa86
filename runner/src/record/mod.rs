//! Folds what the engine tells about both ends of a case into the results of its flows. Pure.
//!
//! Start at [`CaseRecord`]: it takes every event of the case, pairs each client stream with the server stream that it
//! belongs to, and ends as a list of [`FlowResult`](linerate_schema::results::FlowResult)s. What a sender wrote never
//! stands in for what a receiver got, and a flow passes only when all its streams ended regularly with data.

mod agreement;
mod case_record;
mod conclusion;
mod end_record;
mod failure;
mod flow_context;
mod flow_result;
mod measure;
mod pairing;
mod sum;
#[cfg(test)]
mod tests;

pub(crate) use agreement::cuts_datagrams;
pub use case_record::{CaseRecord, ServerProgress};
pub(crate) use failure::what_to_do;
pub use failure::{CutShort, flow_failure};
pub use flow_context::FlowContext;
pub use measure::{interval_measurement, measurement};
pub use sum::{MeasuredStream, sum_of_streams};
