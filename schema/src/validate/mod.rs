//! Rules that a value alone cannot break: ranges that depend on the transport, options that exclude each other, servers
//! in each other's way, assertions that the traffic cannot answer.

mod address;
mod addressing;
mod assertion;
mod client;
mod draft;
mod family;
mod ports;
mod range;
mod server;

pub(crate) use address::check_host_address;
pub(crate) use assertion::{check_assertion, parse_assertion};
pub(crate) use client::check_client;
pub(crate) use draft::DraftFlow;
pub(crate) use ports::check_ports;
pub(crate) use server::{check_server, check_server_options};
