//! Quantities with a unit: one type each, read from what people write, printed so that it reads back.

mod bit_rate;
mod byte_count;
mod diff_serv;
mod seconds;

pub use bit_rate::{BitRate, PacketRate, SendRate};
pub use byte_count::ByteCount;
pub use diff_serv::DiffServ;
pub use seconds::Seconds;
