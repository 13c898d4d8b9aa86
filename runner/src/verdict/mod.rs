//! From measurements and assertions to verdicts. Pure.
//!
//! [`judge_case`] judges everything of a case, [`judge_assertion`] one assertion. The rules, in the order of their
//! weight:
//!
//! - A flow that was skipped, that failed, or whose streams did: its assertions are skipped, or errors that tell the
//!   partial figure. They never pass and never fail.
//! - What is asked of an end that nobody measured is an error. A sender's figure never stands in for a receiver's.
//! - A figure that is there but cannot be trusted (too few samples for a percentile, clocks of two machines) is
//!   inconclusive, whichever side of the limit it is on.
//! - Only then is it compared.

mod case;
mod figure;
mod judge;
mod limit;
mod mark_values;
mod measured;
mod scope;
mod sentence;
mod series;
mod trust;
mod uncertainty;
mod windows;

pub use case::{judge_case, overall_verdict};
pub use judge::judge_assertion;

#[cfg(test)]
mod tests;
