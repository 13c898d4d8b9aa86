//! Runs a plan: starts servers, runs the flows, judges the cases, and tells what happens.
//!
//! Start at [`run()`]. One thread, the caller's, owns all state: it starts the ends of the traffic, takes what they tell
//! through one channel, and so brings everything that happens into one order. Traffic runs on threads of its own.

mod case_result;
mod case_run;
mod client_thread;
mod external_silence;
mod live;
mod open_hosts;
mod run;
mod set_up;
mod settings;
mod stopping;
#[cfg(test)]
mod tests;
mod time_limit;

pub use open_hosts::OpenHost;
pub use run::{run, run_on};
pub use settings::{AfterFailure, Settings};
