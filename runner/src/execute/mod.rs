//! Runs a plan: starts servers, runs the flows, judges the cases, and tells what happens.
//!
//! Start at [`run`].

mod run;
mod settings;

pub use run::run;
pub use settings::{AfterFailure, Settings};
