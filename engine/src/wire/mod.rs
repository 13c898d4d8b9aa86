//! The iperf 2 wire format: bytes in, meaning out, and back.
//!
//! Pure: no socket, clock, randomness or printing. Times are arguments. Nothing here panics, whatever a peer sent:
//! bytes that are missing are a [`WireError`] or read as the zero that iperf would assume, and the doc of each item says
//! which. Flags without a known meaning are kept, and a TCP header that was decoded encodes to the same bytes.
//!
//! Both protocol families of iperf 2 are covered: 2.1.x and 2.2.x, told apart by [`Layout`]. All integers are big-endian.
//!
//! Where to start: [`tcp::FirstWord`] and [`tcp::TestHeader`] for a TCP stream, [`udp::DatagramPrefix`] and
//! [`udp::DatagramHeader`] for a datagram, [`udp::FinAnswer`] for the server's report. Words that both share
//! (flags, [`Amount`], [`Threads`], [`Version`]) are in this module.

mod amount;
mod base_flags;
mod burst_settings;
mod bytes;
mod error;
mod extension;
mod fixed_point;
mod layout;
mod lower_flags;
pub mod payload;
mod rate;
mod start;
pub mod tcp;
mod test_base;
mod threads;
mod time;
pub mod udp;
mod upper_flags;
mod version;

pub use amount::{Amount, Limit};
pub use base_flags::BaseFlags;
pub use burst_settings::BurstSettings;
pub use error::WireError;
pub use extension::Extension;
pub use fixed_point::FixedPoint;
pub use layout::Layout;
pub use lower_flags::LowerFlags;
pub use rate::Rate;
pub use start::Start;
pub use test_base::TestBase;
pub use threads::Threads;
pub use time::{SignedTime, WireTime};
pub use upper_flags::UpperFlags;
pub use version::{BuildClass, Version};
