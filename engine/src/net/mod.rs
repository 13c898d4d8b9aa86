//! Sockets, threads and the clock: moves bytes between the kernel and the pure protocol modules, decides nothing.

mod client;
pub mod clock;
mod server;
mod socket;
mod tcp_barrier;
mod tcp_client;
mod tcp_closing;
mod tcp_connection;
mod tcp_forward;
mod tcp_meter;
mod tcp_options;
mod tcp_receiver;
mod tcp_reply;
mod tcp_report;
mod tcp_reverse;
mod tcp_sender;
mod tcp_server;
mod tcp_serving;
mod tcp_session;
mod udp_client;
mod udp_client_duplex;
mod udp_client_forward;
mod udp_client_reverse;
mod udp_clock;
mod udp_drops;
mod udp_sending;
mod udp_server;
mod udp_server_flows;
mod udp_server_sender;
mod udp_socket;

pub use client::{EventSink, run_client};
pub use server::Server;
