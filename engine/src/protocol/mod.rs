//! State machines of the protocol: no socket, no clock, no randomness; time comes in as an argument.

pub mod byte_credit;
pub mod latency_figures;
pub mod tcp_burst;
pub mod tcp_end;
pub mod tcp_limits;
pub mod tcp_request;
pub mod tcp_service;
