//! What the end-to-end tests share: real iperf peers, child processes, free ports, network namespaces, and both ends
//! of the engine with their events collected.

pub mod engine;
pub mod iperf;
pub mod namespace;
pub mod port;
pub mod process;
pub mod program;
