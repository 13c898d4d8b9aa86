//! The scenario: what a user asks for, after templates were expanded and references were resolved.
//!
//! Option structs hold only what was written; defaults of the engine are filled in when a plan is made.

mod case;
mod client_options;
mod host;
mod server_options;
mod traffic;

pub use case::{AssertionItem, Case, Flow, FlowServer, Scenario};
pub use client_options::{ClientOptions, ConnectOptions};
pub use host::Host;
pub use server_options::{PortChoice, ServerOptions};
pub use traffic::{Direction, TrafficClass, Transport};
