//! Both sides of UDP flows over a simulated network: what is reported is what happened.

mod forward;
mod forward_simulation;
mod network;
mod reverse;
mod reverse_simulation;
