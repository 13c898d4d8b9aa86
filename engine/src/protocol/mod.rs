//! State machines of the protocol: no socket, no clock, no randomness; time comes in as an argument.
