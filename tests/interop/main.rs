//! The engine against real iperf 2, in both roles: figures of both ends are compared with each other.
//!
//! Runs against every binary named in `LINERATE_IPERF_PEERS`, by default the `iperf` on the path.

mod addresses;
mod marks;
mod tcp;
mod udp;
mod udp_full_duplex;
