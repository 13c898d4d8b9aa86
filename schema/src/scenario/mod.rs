//! The scenario: what a user asks for, after templates were expanded and references were resolved.
//!
//! Option structs hold only what was written; defaults of the engine are filled in when a plan is made.

mod bind_address;
mod case;
mod client_options;
mod document;
mod host;
mod port_choice;
mod port_range;
mod presence;
mod server_options;
mod server_reference;
mod test_entry;
mod traffic;

pub use bind_address::BindAddress;
pub(crate) use case::sending_time;
pub use case::{AssertionItem, Case, Flow, FlowServer, Scenario};
pub use client_options::{ClientOptions, ConnectOptions, IncrementOptions};
pub(crate) use document::{Defaults, ScenarioDocument};
pub use host::Host;
pub(crate) use host::HostEntry;
pub use port_choice::PortChoice;
pub use port_range::PortRange;
pub(crate) use presence::Presence;
pub use server_options::ServerOptions;
pub use server_reference::ServerReference;
pub(crate) use test_entry::{AssertionEntry, TestEntry};
pub use traffic::{Direction, TrafficClass, Transport, Way};
