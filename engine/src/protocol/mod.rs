//! State machines of the protocol: no socket, no clock, no randomness; time comes in as an argument.

pub mod byte_credit;
pub mod latency_figures;
pub mod pacer;
pub mod stream_addresses;
pub mod tcp_answer;
pub mod tcp_burst;
pub mod tcp_end;
pub mod tcp_limits;
pub mod tcp_request;
pub mod tcp_service;
pub mod tcp_stamps;
pub mod udp_client_request;
pub mod udp_flow;
pub mod udp_last_interval;
pub mod udp_receiver;
pub mod udp_rejections;
pub mod udp_report;
pub mod udp_request;
pub mod udp_reverse;
pub mod udp_sender;
