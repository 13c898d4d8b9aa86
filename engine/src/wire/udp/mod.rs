//! What stands in a datagram.
//!
//! Every datagram of a flow begins with a [`DatagramPrefix`]. A client's datagrams repeat a header behind it, cut at the
//! datagram's length: [`DatagramHeader`] says which kind. The server's report at the end is a [`FinReport`], and
//! [`FinAnswer`] tells it from the other things that may come back.

mod fin_answer;
mod fin_report;
mod header;
mod isochronous;
mod prefix;
mod short_trip_times;
mod test_header;

pub use fin_answer::FinAnswer;
pub use fin_report::{FinReport, LatencyFigures};
pub use header::DatagramHeader;
pub use isochronous::IsochronousBlock;
pub use prefix::{DatagramPrefix, SequenceWidth};
pub use short_trip_times::ShortTripTimes;
pub use test_header::TestHeader;
