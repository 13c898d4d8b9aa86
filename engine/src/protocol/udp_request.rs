//! What the first datagram of a flow asks of a server.

use std::time::Duration;

use super::udp_client_request::{LONGEST_DATAGRAM, UNLIMITED_BITS_PER_SECOND};
use crate::config::{Amount, Rate};
use crate::wire::payload::fill_digits;
use crate::wire::udp::{DatagramHeader, DatagramPrefix, SequenceWidth, TestHeader};
use crate::wire::{BaseFlags, Limit, Start, UpperFlags, Version, WireTime};

/// The rate of a server that is asked for none, as in iperf.
const DEFAULT_BITS_PER_SECOND: u64 = 1_048_576;
/// The time for which a server sends that is asked for no limit: iperf's default.
const DEFAULT_TIME: Duration = Duration::from_secs(10);
const MICROSECONDS_PER_SECOND: u32 = 1_000_000;

/// What a client asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct UdpRequest {
    /// Width of the flow's sequence numbers.
    pub width: SequenceWidth,
    /// Whether the client's send times are meant for one-way latency.
    pub trip_times: bool,
    /// Whether the client waits for a report after its FIN.
    pub report: ReportWish,
    /// What the server shall do.
    pub task: Task,
    /// The client's version, if it tells one.
    pub version: Option<Version>,
    /// What the client says about how long it sends, or shall be sent to.
    pub announced: Limit,
    /// When the client will go on after its first datagram, if it scheduled that for trip-times.
    pub scheduled_start: Option<WireTime>,
    /// A mode that the client asks for and that is not served; the plain part of its data is.
    pub unserved: Option<&'static str>,
}

/// What a server shall do for a client.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Receive the client's data.
    Receive,
    /// Send.
    Send(SendOrder),
    /// Both at the same time.
    Both(SendOrder),
}

impl Task {
    /// Whether the client's data is to be received.
    #[must_use]
    pub fn receives(&self) -> bool {
        !matches!(self, Self::Send(_))
    }

    /// What is to be sent.
    #[must_use]
    pub fn order(&self) -> Option<&SendOrder> {
        match self {
            Self::Receive => None,
            Self::Send(order) | Self::Both(order) => Some(order),
        }
    }
}

/// Whether a client waits for a report, and which figures it reads from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportWish {
    /// It waits for none.
    None,
    /// It waits for the plain figures.
    Plain,
    /// It waits for figures with latency. iperf 2.2 needs them: without, it prints a jitter and a loss of zero.
    WithLatency,
}

/// What a server shall send.
#[derive(Debug, Clone, PartialEq)]
pub struct SendOrder {
    /// When to stop.
    pub amount: Amount,
    /// How fast.
    pub rate: Rate,
    /// Payload bytes per datagram.
    pub length: usize,
    /// Type-of-service byte.
    pub tos: u8,
    /// The header to repeat in each datagram; only trip-times have one.
    header: Option<TestHeader>,
}

impl UdpRequest {
    /// Reads the first datagram of a flow; `default_length` is the length of datagrams to send when the client names
    /// none. `None` when it cannot be the start of an iperf flow: shorter than 16 bytes, a number that is not above
    /// zero (a late FIN), or a time that is none.
    #[must_use]
    pub fn of_first_datagram(datagram: &[u8], default_length: usize) -> Option<Self> {
        let width = SequenceWidth::of_first_datagram(datagram);
        let prefix = DatagramPrefix::decode(datagram, width).ok()?;
        if prefix.sequence <= 0 || prefix.sent.microseconds >= MICROSECONDS_PER_SECOND {
            return None;
        }
        // A later datagram of a flow with short ones, whose first was lost: the header is cut.
        let header = DatagramHeader::decode(datagram).unwrap_or(DatagramHeader::Absent);
        Some(match header {
            DatagramHeader::Absent => Self::plain(width),
            DatagramHeader::ShortTripTimes(_) => {
                Self { trip_times: true, report: ReportWish::WithLatency, ..Self::plain(width) }
            }
            DatagramHeader::Test(header) => Self::of_header(width, &header, default_length),
        })
    }

    fn plain(width: SequenceWidth) -> Self {
        Self {
            width,
            trip_times: false,
            report: ReportWish::Plain,
            task: Task::Receive,
            version: None,
            announced: Limit::Unlimited,
            scheduled_start: None,
            unserved: None,
        }
    }

    fn of_header(width: SequenceWidth, header: &TestHeader, default_length: usize) -> Self {
        let upper = header.upper();
        let version = header
            .extension
            .map(|extension| extension.version)
            .filter(|version| version.is_known());
        let trip_times = upper.contains(UpperFlags::TRIP_TIMES);
        let order = || SendOrder::of_header(header, default_length);
        let task = if upper.contains(UpperFlags::FULL_DUPLEX) {
            Task::Both(order())
        } else if upper.contains(UpperFlags::REVERSE) {
            Task::Send(order())
        } else {
            Task::Receive
        };
        let scheduled = trip_times && upper.contains(UpperFlags::EPOCH_START);
        Self {
            width,
            trip_times,
            report: report_wish(upper, version),
            task,
            version,
            announced: header.base.amount.limit(),
            scheduled_start: header.start.filter(|_| scheduled).map(|start| start.time),
            unserved: unserved(header),
        }
    }
}

impl SendOrder {
    fn of_header(header: &TestHeader, default_length: usize) -> Self {
        let extension = header.extension.unwrap_or_default();
        let length = match usize::try_from(header.base.buffer_length) {
            Ok(0) => default_length,
            Ok(length) => length,
            Err(_) => LONGEST_DATAGRAM,
        };
        let rate = match extension.rate.bits_per_second() {
            0 => Rate::BitsPerSecond(DEFAULT_BITS_PER_SECOND),
            UNLIMITED_BITS_PER_SECOND.. => Rate::Unlimited,
            rate => Rate::BitsPerSecond(rate),
        };
        let amount = match header.base.amount.limit() {
            Limit::Time(time) => Amount::Time(time),
            Limit::Bytes(bytes) => Amount::Bytes(bytes),
            Limit::Unlimited => Amount::Time(DEFAULT_TIME),
        };
        Self {
            amount,
            rate,
            length: length.clamp(DatagramPrefix::LENGTH, LONGEST_DATAGRAM),
            tos: u8::try_from(extension.tos & 0xff).unwrap_or(0),
            header: extension.upper.contains(UpperFlags::TRIP_TIMES).then(|| data_header(header)),
        }
    }

    /// Bytes that the first datagram has at least, for its header, if there is one.
    #[must_use]
    pub fn header_length(&self) -> usize {
        self.header.map_or(0, |header| header.first_datagram_length(0))
    }

    /// A datagram for data that starts at `start`; see
    /// [`UdpClientRequest::datagram`](super::udp_client_request::UdpClientRequest::datagram).
    #[must_use]
    pub fn datagram(&self, start: WireTime) -> Vec<u8> {
        let mut datagram = vec![0; self.length.max(self.header_length())];
        fill_digits(&mut datagram);
        if let Some(mut header) = self.header {
            if let Some(part) = &mut header.start {
                part.time = start;
            }
            header.encode_over(&mut datagram);
        }
        datagram
    }
}

/// The header in data that a server sends with trip-times: the client's, without the request to send unless both send.
fn data_header(request: &TestHeader) -> TestHeader {
    let both = request.upper().contains(UpperFlags::FULL_DUPLEX);
    let flags = match both {
        true => request.base.flags,
        false => request.base.flags.without(BaseFlags::VERSION2),
    };
    let extension = request.extension.map(|mut extension| {
        extension.upper = UpperFlags::TRIP_TIMES | UpperFlags::NO_UDP_FIN;
        if both {
            extension.upper = extension.upper | UpperFlags::FULL_DUPLEX;
        }
        extension.version = Version::V2_2_1;
        extension
    });
    TestHeader {
        layout: request.layout,
        declared_length: 0,
        base: crate::wire::TestBase { flags, ..request.base },
        extension,
        isochronous: None,
        start: Some(Start::default()),
        settings: None,
    }
    .with_derived_words()
}

fn report_wish(upper: UpperFlags, version: Option<Version>) -> ReportWish {
    let silent = UpperFlags::NO_UDP_FIN | UpperFlags::REVERSE | UpperFlags::FULL_DUPLEX;
    if upper.intersects(silent) {
        ReportWish::None
    } else if upper.contains(UpperFlags::TRIP_TIMES)
        || version.is_some_and(|version| !version.is_before_2_2())
    {
        ReportWish::WithLatency
    } else {
        ReportWish::Plain
    }
}

fn unserved(header: &TestHeader) -> Option<&'static str> {
    let (flags, upper) = (header.base.flags, header.upper());
    if upper.contains(UpperFlags::ISOCHRONOUS) {
        Some("isochronous frames: the data is treated as a plain flow")
    } else if flags.contains(BaseFlags::VERSION1 | BaseFlags::RUN_NOW) {
        Some("a dual test: only the client's data is received, no data is sent back")
    } else if flags.contains(BaseFlags::VERSION1) {
        Some("a trade-off test: only the client's data is received, no data is sent back")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(sequence: i64, header: Option<TestHeader>, length: usize) -> Vec<u8> {
        let mut datagram = vec![0; length];
        fill_digits(&mut datagram);
        if let Some(header) = header {
            header.encode_over(&mut datagram);
        }
        let sent = WireTime { seconds: 1_796_072_653, microseconds: 999_999 };
        DatagramPrefix { sequence, sent }.encode_over(&mut datagram);
        datagram
    }

    fn header(flags: BaseFlags, upper: UpperFlags, version: Version) -> TestHeader {
        let mut header = TestHeader::request();
        header.base.flags = header.base.flags | flags;
        header.extension = header.extension.map(|extension| crate::wire::Extension {
            upper,
            version,
            ..extension
        });
        header.with_derived_words()
    }

    fn request(header: TestHeader) -> UdpRequest {
        UdpRequest::of_first_datagram(&datagram(1, Some(header), 1470), 1470).unwrap()
    }

    fn order_of(header: TestHeader) -> SendOrder {
        let Task::Send(order) = request(header).task else { panic!("an order to send only") };
        order
    }

    fn plain_header() -> TestHeader {
        header(BaseFlags::default(), UpperFlags::default(), Version::V2_2_1)
    }

    #[test]
    fn what_no_iperf_sends_starts_no_flow() {
        let read = |bytes: &[u8]| UdpRequest::of_first_datagram(bytes, 1470);
        assert_eq!(read(b""), None);
        assert_eq!(read(b"GET / HTTP/1.1\r\n"), None);
        assert_eq!(read(&[0; 1470]), None);
        assert_eq!(read(&[0xff; 1470]), None);
        assert_eq!(read(&datagram(1, None, 15)), None);
        assert_eq!(read(&datagram(-92, Some(plain_header()), 1470)), None);
        assert!(read(&datagram(1, None, 16)).is_some());
        assert!(read(&datagram(5, None, 1470)).is_some());
    }

    #[test]
    fn a_flow_without_header_is_plain_and_32_bits_wide() {
        for bytes in [datagram(1, None, 1470), datagram(1, None, 16)] {
            let request = UdpRequest::of_first_datagram(&bytes, 1470).unwrap();
            assert_eq!(request, UdpRequest::plain(SequenceWidth::Bits32));
        }
    }

    #[test]
    fn a_header_that_is_cut_still_tells_the_width() {
        let request =
            UdpRequest::of_first_datagram(&datagram(2, Some(plain_header()), 40), 1470).unwrap();
        assert_eq!(request, UdpRequest::plain(SequenceWidth::Bits64));
    }

    #[test]
    fn the_report_has_the_figures_that_the_client_reads() {
        let wish = |upper, version| request(header(BaseFlags::default(), upper, version)).report;
        assert_eq!(wish(UpperFlags::default(), Version::V2_1_8), ReportWish::Plain);
        assert_eq!(wish(UpperFlags::TRIP_TIMES, Version::V2_1_8), ReportWish::WithLatency);
        assert_eq!(wish(UpperFlags::default(), Version::V2_2_1), ReportWish::WithLatency);
        assert_eq!(wish(UpperFlags::NO_UDP_FIN, Version::V2_2_1), ReportWish::None);
        assert_eq!(wish(UpperFlags::FULL_DUPLEX, Version::V2_2_1), ReportWish::None);
    }

    #[test]
    fn a_reverse_order_has_defaults_for_what_the_client_leaves_out() {
        let header = header(BaseFlags::VERSION2, UpperFlags::REVERSE, Version::V2_1_8);
        let order = order_of(header);
        assert_eq!(
            (order.amount, order.rate, order.length, order.tos, order.header_length()),
            (Amount::Time(DEFAULT_TIME), Rate::BitsPerSecond(1_048_576), 1470, 0, 0)
        );
    }

    #[test]
    fn an_absurd_reverse_order_is_brought_into_range() {
        let mut header = header(BaseFlags::VERSION2, UpperFlags::REVERSE, Version::V2_2_1);
        header.base.buffer_length = u32::MAX;
        header.extension = header.extension.map(|extension| crate::wire::Extension {
            rate: crate::wire::Rate::from_bits_per_second(u64::MAX),
            tos: 0xffb8,
            ..extension
        });
        let order = order_of(header);
        assert_eq!(
            (order.rate, order.length, order.tos),
            (Rate::Unlimited, LONGEST_DATAGRAM, 0xb8)
        );
        header.base.buffer_length = 1;
        assert_eq!(order_of(header).length, 16);
    }

    // The first datagram of a server of iperf 2.2.1 in a reverse test with trip-times.
    #[test]
    fn reverse_data_with_trip_times_carries_the_header_of_iperf() {
        let upper = UpperFlags::REVERSE | UpperFlags::TRIP_TIMES;
        let mut header = header(BaseFlags::VERSION2 | BaseFlags::UDP_TESTS, upper, Version::V2_2_1);
        header.base.amount = crate::wire::Amount(-100);
        let order = order_of(header);
        let bytes = order.datagram(WireTime { seconds: 7, microseconds: 8 });
        assert_eq!(bytes[16..20], [0x68, 0x01, 0x00, 0xe0]);
        assert_eq!(bytes[48..52], [0x00, 0x18, 0x00, 0x00]);
        assert_eq!(bytes[112..120], [0, 0, 0, 7, 0, 0, 0, 8]);
    }

    // The first datagram of a server of iperf 2.2.1 in a full-duplex test with trip-times.
    #[test]
    fn full_duplex_data_with_trip_times_repeats_the_flags_of_the_request() {
        let upper = UpperFlags::FULL_DUPLEX | UpperFlags::TRIP_TIMES | UpperFlags::NO_UDP_FIN;
        let flags = BaseFlags::VERSION2 | BaseFlags::UDP_TESTS;
        let request = request(header(flags, upper, Version::V2_2_1));
        let Task::Both(order) = request.task else { panic!("an order to send, too") };
        let bytes = order.datagram(WireTime { seconds: 7, microseconds: 8 });
        assert_eq!(bytes[16..20], [0x6c, 0x01, 0x00, 0xe0]);
        assert_eq!(bytes[48..52], [0x08, 0x18, 0x00, 0x00]);
        assert_eq!(bytes[112..120], [0, 0, 0, 7, 0, 0, 0, 8]);
        assert_eq!(request.report, ReportWish::None);
    }

    #[test]
    fn modes_that_are_not_served_are_named() {
        let unserved = |flags, upper| request(header(flags, upper, Version::V2_2_1)).unserved;
        assert_eq!(unserved(BaseFlags::default(), UpperFlags::default()), None);
        let dual = unserved(BaseFlags::VERSION1 | BaseFlags::RUN_NOW, UpperFlags::default());
        assert!(dual.unwrap().starts_with("a dual test"));
        let trade_off = unserved(BaseFlags::VERSION1, UpperFlags::default());
        assert!(trade_off.unwrap().starts_with("a trade-off test"));
        let isochronous = unserved(BaseFlags::default(), UpperFlags::ISOCHRONOUS);
        assert!(isochronous.unwrap().starts_with("isochronous"));
    }
}
