//! Runs scenarios: from a checked scenario to a judged result.
//!
//! [`plan::make_plan`] says what will run, [`execute::run`] runs it and tells about it as [`event`]s. In between,
//! [`engine_config`] is the one place that turns what a user wrote into what the engine executes, [`hosts`] is where
//! traffic ends live, and [`record`] folds the engine's events into results.

pub mod cli;
pub mod display;
pub mod engine_config;
pub mod event;
pub mod execute;
pub mod exit_code;
#[cfg(test)]
mod fixtures;
pub mod hosts;
pub mod plan;
pub mod record;
pub mod verdict;
