//! What stands at the start of, and inside, a TCP stream.
//!
//! A server reads four bytes and asks [`FirstWord`] what they are; then it reads the rest of a [`TestHeader`] or of a
//! [`BouncebackMessage`]. [`Acknowledgement`] is its answer to a header. [`BurstHeader`] stands in the data of streams
//! with trip-times, bursts or isochronous frames.

mod acknowledgement;
mod bounceback;
mod burst_header;
mod congestion_control;
mod first_word;
mod permit_key;
mod test_header;

pub use acknowledgement::{AckTimes, Acknowledgement};
pub use bounceback::{BouncebackFlags, BouncebackMessage};
pub use burst_header::BurstHeader;
pub use congestion_control::CongestionControl;
pub use first_word::{FirstWord, KeyPolicy};
pub use permit_key::PermitKey;
pub use test_header::{Extent, TestHeader};
