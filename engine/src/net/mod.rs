//! Sockets, threads and the clock: moves bytes between the kernel and the pure protocol modules, decides nothing.

mod client;
pub mod clock;
mod server;
mod tcp_client;
mod tcp_server;
mod udp_client;
mod udp_server;

pub use client::{EventSink, run_client};
pub use server::Server;
