//! Where traffic ends live: what a host can do, whatever its kind.
//!
//! [`open()`] is the one place that knows the kinds. Executing a case needs only [`EngineHost`].

mod address;
mod engine_host;
mod facts;
mod local;
mod open;

pub use address::{ResolveError, resolve, zone};
pub use engine_host::{EngineHost, RunningServer};
pub use open::{host_facts, open};
