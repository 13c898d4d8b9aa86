//! Quantities with a unit: one type each, read from what people write, printed so that it reads back.
//!
//! There are two dialects. Option fields accept what iperf accepts (plain numbers and the suffixes k, m, g, K, M, G)
//! and spelled-out units; each type here reads that with `FromStr` and from the scalars of a file. Assertions accept
//! spelled-out units only, see [`Quantity`]. Both share the table in `unit.rs`. A unit that people use with two
//! meanings (`Mb`, `KB`, `m` for time) is an error with a hint in either dialect.

mod bit_rate;
mod byte_count;
mod diff_serv;
mod error;
mod human;
mod number;
mod quantity;
mod ratio;
mod seconds;
mod send_rate;
mod suggestion;
mod text;
mod unit;

pub use bit_rate::BitRate;
pub use byte_count::ByteCount;
pub use diff_serv::{DiffServ, Dscp};
pub use error::UnitError;
pub(crate) use number::Number;
pub use quantity::Quantity;
pub use ratio::Ratio;
pub use seconds::Seconds;
pub use send_rate::{PacketRate, SendRate};
pub use unit::{Dimension, Unit};

#[cfg(test)]
mod schema_tests;
