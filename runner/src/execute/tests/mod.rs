//! Whole runs: on hosts that invent their traffic, and with real traffic over loopback.

mod fake_host;
mod invented;
mod loopback;
