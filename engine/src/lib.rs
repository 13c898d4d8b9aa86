//! Network traffic that speaks the iperf 2 wire protocol, in both roles.
//!
//! Start at [`net::run_client`] and [`net::Server`]: they take a [`config`], run on blocking threads, and tell what
//! happens as [`event`]s. Below them, `wire` is bytes ↔ meaning, `protocol` holds the state machines and `stats` the
//! figures; those three know neither sockets nor clocks. Only `sys` contains unsafe code.

pub mod cancel;
pub mod config;
pub mod error;
pub mod event;
pub mod net;
pub mod protocol;
pub mod stats;
#[expect(unsafe_code, reason = "raw system calls live in this module and nowhere else")]
pub mod sys;
pub mod wire;
