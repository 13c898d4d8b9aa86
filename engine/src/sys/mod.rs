//! Raw system calls: the only place with unsafe code. One file per kernel feature, each behind a safe signature.

pub mod control_message;
pub mod datagram_route;
pub mod interface;
pub mod open_files;
pub mod pacing_rate;
pub mod poll;
pub mod receive_batch;
pub mod send_queue;
pub mod tcp_info;
pub mod timer_slack;
pub mod udp_options;
