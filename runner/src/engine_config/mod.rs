//! User options → engine configuration: the one place where defaults are filled in and contradictions are refused.
//!
//! The scenario, `linerate iperf` and `linerate convert` all come through [`client_config`] and [`server_config`]. The
//! other direction is here too: [`client_options_in_effect`] says what holds as scenario text, and
//! [`iperf_client_command`] and [`iperf_server_command`] as iperf 2 command lines. Everything here is pure.

mod client;
mod error;
mod in_effect;
mod iperf_command;
mod options;
mod permit_key;
mod server;

pub use client::{ClientNeeds, client_config, gap_between_writes};
pub use error::ConfigError;
pub use in_effect::client_options_in_effect;
pub use iperf_command::{iperf_client_command, iperf_server_command};
pub use permit_key::{KeyChoice, fresh_permit_key};
pub use server::{ServerNeeds, server_config};

/// iperf's port.
pub const DEFAULT_PORT: u16 = 5001;
