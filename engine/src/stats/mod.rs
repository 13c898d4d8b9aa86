//! The figures of a flow, computed in constant memory from times and counts that are passed in.
//!
//! Pure: no clock, no socket, no printing.
