//! What a TCP server does for a client: its wishes, read out of its test header.

use std::num::NonZeroU64;
use std::time::Duration;

use super::tcp_limits::MAX_WRITE;
use super::tcp_stamps::{Stamps, clocks_agree, clocks_disagree_note};
use crate::config::{Amount, Length, Rate};
use crate::error::EngineError;
use crate::wire::tcp::{BurstHeader, CongestionControl, TestHeader};
use crate::wire::{BaseFlags, Limit, LowerFlags, UpperFlags};

/// The time that a client gets whose header names neither a time nor bytes: iperf's default.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// How long before its data a client may announce to start (iperf's limit).
const MAX_SCHEDULED_WAIT: Duration = Duration::from_secs(3600);

/// What a server does for one client.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    /// Who sends, and how.
    pub work: Work,
    /// Version that the client announced.
    pub peer_version: Option<String>,
    /// TOS byte for the connection, if the client asks for one.
    pub tos: Option<u8>,
    /// Congestion control that the client asks for.
    pub congestion_control: Option<CongestionControl>,
    /// Number of streams of the client.
    pub parallel: u32,
    /// When the clock of the stream starts.
    pub clock_start: ClockStart,
    /// What a reader of the results should know.
    pub notes: Vec<String>,
}

/// The server's part in a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// It receives.
    Receive {
        /// How much the client said that it would send.
        announced: Limit,
        /// Whether its bursts are stamped.
        stamps: Stamps,
    },
    /// It sends.
    Send(SendOrder),
}

/// What a sending server sends.
#[derive(Debug, Clone, PartialEq)]
pub struct SendOrder {
    /// When it stops.
    pub amount: Amount,
    /// How fast it writes.
    pub rate: Rate,
    /// Bytes per write.
    pub length: usize,
    /// Rate limit for the kernel in bytes per second.
    pub pacing_bytes_per_second: Option<NonZeroU64>,
    /// Whether it stamps its bursts; then a header of its own comes first.
    pub stamps: Stamps,
}

/// When the clock of a stream at a server starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockStart {
    /// When the connection was accepted, plus this wait of the client for its siblings.
    Accepted {
        /// The client's wait.
        barrier_wait: Duration,
    },
    /// With the first data behind the header: the client announced to start later.
    FirstData,
}

impl Service {
    /// Reads a client's wishes. `now` is the wall clock since 1970-01-01 UTC, `length` the server's own size of a write.
    ///
    /// # Errors
    /// [`EngineError::Protocol`] for a kind of test that this server does not serve.
    pub fn of_header(
        header: &TestHeader,
        now: Duration,
        length: Length,
    ) -> Result<Self, EngineError> {
        refuse_unserved(header)?;
        let extension = header.extension.unwrap_or_default();
        let mut notes = Vec::new();
        if connects_back(header) {
            notes.push("the client expects a second connection from the server, which is not made; only what the client sends is measured".into());
        }
        let work = if is_reverse(header) {
            Work::Send(send_order(header, length, &mut notes))
        } else {
            Work::Receive {
                announced: header.base.amount.limit(),
                stamps: usable_stamps(header, now, &mut notes),
            }
        };
        Ok(Self {
            work,
            peer_version: extension.version.is_known().then(|| extension.version.to_string()),
            tos: u8::try_from(extension.tos & 0xff).ok().filter(|tos| *tos != 0),
            congestion_control: header.congestion_control.clone(),
            parallel: header.base.threads.streams().max(1),
            clock_start: clock_start(header, now),
            notes,
        })
    }

    /// Whether the bursts of the stream are stamped, and the stamps are used.
    #[must_use]
    pub fn stamps(&self) -> Stamps {
        match &self.work {
            Work::Receive { stamps, .. } => *stamps,
            Work::Send(order) => order.stamps,
        }
    }

    /// What a server does for a client that sends no header: it counts what comes.
    #[must_use]
    pub fn without_header() -> Self {
        Self {
            work: Work::Receive { announced: Limit::Unlimited, stamps: Stamps::Absent },
            peer_version: None,
            tos: None,
            congestion_control: None,
            parallel: 1,
            clock_start: ClockStart::Accepted { barrier_wait: Duration::ZERO },
            notes: Vec::new(),
        }
    }
}

fn is_reverse(header: &TestHeader) -> bool {
    header.base.flags.contains(BaseFlags::VERSION2) && header.upper().contains(UpperFlags::REVERSE)
}

/// `-d` and `-r`; a transfer id uses the same flag.
fn connects_back(header: &TestHeader) -> bool {
    header.base.flags.contains(BaseFlags::VERSION1) && header.base.threads.transfer_id().is_none()
}

fn refuse_unserved(header: &TestHeader) -> Result<(), EngineError> {
    let upper = header.upper();
    let version2 = header.base.flags.contains(BaseFlags::VERSION2);
    let what = if version2 && upper.contains(UpperFlags::FULL_DUPLEX) {
        "full-duplex tests are"
    } else if is_reverse(header) && upper.contains(UpperFlags::ISOCHRONOUS) {
        "isochronous traffic from the server is"
    } else if is_reverse(header) && upper.contains(UpperFlags::PERIODIC_BURST) {
        "periodic bursts from the server are"
    } else {
        return Ok(());
    };
    Err(EngineError::Protocol { reason: format!("{what} not served yet; use another mode") })
}

fn usable_stamps(header: &TestHeader, now: Duration, notes: &mut Vec<String>) -> Stamps {
    let Some(start) = header.start.filter(|_| header.upper().contains(UpperFlags::TRIP_TIMES))
    else {
        return Stamps::Absent;
    };
    // A start that is announced for later is no statement about the clock now.
    if !header.upper().contains(UpperFlags::EPOCH_START) && !clocks_agree(start.time, now) {
        notes.push(clocks_disagree_note(start.time, now));
        return Stamps::Absent;
    }
    Stamps::Present
}

fn send_order(header: &TestHeader, own_length: Length, notes: &mut Vec<String>) -> SendOrder {
    let extension = header.extension.unwrap_or_default();
    let upper = header.upper();
    let stamps =
        if upper.contains(UpperFlags::TRIP_TIMES) { Stamps::Present } else { Stamps::Absent };
    let asked = match usize::try_from(header.base.buffer_length).unwrap_or(usize::MAX) {
        0 => own_length.bytes(),
        asked => asked,
    };
    let least = if stamps == Stamps::Present { BurstHeader::LENGTH } else { 1 };
    let length = asked.clamp(least, MAX_WRITE);
    if length != asked {
        notes.push(format!(
            "the client asked for writes of {asked} bytes and gets writes of {length} bytes"
        ));
    }
    SendOrder {
        amount: match header.base.amount.limit() {
            Limit::Time(time) => Amount::Time(time),
            Limit::Bytes(bytes) => Amount::Bytes(bytes),
            Limit::Unlimited => Amount::Time(DEFAULT_TIME),
        },
        rate: match extension.rate.bits_per_second() {
            0 => Rate::Unlimited,
            rate => Rate::BitsPerSecond(rate),
        },
        length,
        pacing_bytes_per_second: header
            .start
            .filter(|_| upper.contains(UpperFlags::FQ_RATE))
            .and_then(|start| NonZeroU64::new(start.fq_rate_bytes_per_second)),
        stamps,
    }
}

fn clock_start(header: &TestHeader, now: Duration) -> ClockStart {
    let announced = header.start.filter(|_| header.upper().contains(UpperFlags::EPOCH_START));
    let wait =
        announced.map_or(Duration::ZERO, |start| start.time.since_epoch().saturating_sub(now));
    if !wait.is_zero() && wait <= MAX_SCHEDULED_WAIT && !is_reverse(header) {
        return ClockStart::FirstData;
    }
    let extension =
        header.extension.filter(|extension| extension.lower.contains(LowerFlags::BARRIER_TIME));
    let microseconds = extension.map_or(0, |extension| extension.barrier_wait_microseconds);
    ClockStart::Accepted { barrier_wait: Duration::from_micros(microseconds.into()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::tcp_answer::{acknowledgement, reply_header};
    use crate::wire::WireTime;

    const NOW: Duration = Duration::from_secs(1_796_072_435);
    const LENGTH: Length = Length::Default(131_072);

    /// A header from words in hex.
    fn header(words: &str) -> TestHeader {
        let bytes: Vec<u8> = words
            .split_whitespace()
            .flat_map(|word| u32::from_str_radix(word, 16).unwrap().to_be_bytes())
            .collect();
        TestHeader::decode(&bytes).unwrap()
    }

    fn service(words: &str) -> Service {
        Service::of_header(&header(words), NOW, LENGTH).unwrap()
    }

    const PLAIN_2_1: &str = "40010078 00000002 00001389 00000000 00000000 ffffff9c 00000000 00000000 \
                             00000000 00020001 00080003 000000b8 00000000 00000000 00000000";
    const TRIP_TIMES: &str = "400100a0 00000001 00001389 00002710 00000000 ffffff9c 00000000 00000000 \
                              00100000 00020001 00080003 00000000 01312d00 00000000 00000000 00000000 \
                              6b0de3f3 00043b95 00000000 00000000";
    const REVERSE_FQ: &str = "440100a0 00000001 00001389 00002710 00000000 000f4240 00000000 00000000 \
                              06000000 00020002 00010001 00000000 540be400 00000200 00000000 00000000 \
                              6b0de3f3 00043b95 002625a0 00000000";

    #[test]
    fn a_plain_header_asks_to_receive_what_it_announces() {
        let service = service(PLAIN_2_1);
        let announced = Limit::Time(Duration::from_secs(1));
        assert_eq!(service.work, Work::Receive { announced, stamps: Stamps::Absent });
        assert_eq!(
            (service.peer_version.as_deref(), service.tos, service.parallel),
            (Some("2.1.8"), Some(0xb8), 2)
        );
        assert_eq!(service.clock_start, ClockStart::Accepted { barrier_wait: Duration::ZERO });
        assert_eq!(service.notes, Vec::<String>::new());
    }

    #[test]
    fn a_reverse_header_orders_amount_rate_length_and_pacing() {
        let Work::Send(order) = service(REVERSE_FQ).work else { panic!("the server shall send") };
        assert_eq!(
            order,
            SendOrder {
                amount: Amount::Bytes(1_000_000),
                rate: Rate::BitsPerSecond(10_000_000_000),
                length: 10_000,
                pacing_bytes_per_second: NonZeroU64::new(2_500_000),
                stamps: Stamps::Absent,
            }
        );
    }

    #[test]
    fn a_write_size_from_the_network_is_limited() {
        let mut header = header(REVERSE_FQ);
        header.base.buffer_length = u32::MAX;
        let service = Service::of_header(&header, NOW, LENGTH).unwrap();
        let Work::Send(order) = service.work else { panic!("the server shall send") };
        assert_eq!(order.length, MAX_WRITE);
        assert_eq!(service.notes.len(), 1);
    }

    #[test]
    fn clocks_ten_minutes_apart_switch_trip_times_off() {
        let header = header(TRIP_TIMES);
        let start = header.start.unwrap().time.since_epoch();
        let stamps = |now| match Service::of_header(&header, now, LENGTH).unwrap() {
            Service { work: Work::Receive { stamps, .. }, notes, .. } => (stamps, notes.len()),
            other => panic!("{other:?}"),
        };
        assert_eq!(stamps(start + Duration::from_secs(600)), (Stamps::Present, 0));
        assert_eq!(stamps(start + Duration::from_secs(601)), (Stamps::Absent, 1));
        assert_eq!(stamps(start - Duration::from_secs(601)), (Stamps::Absent, 1));
    }

    #[test]
    fn a_client_that_announces_a_later_start_is_clocked_from_its_first_data() {
        let mut header = header(TRIP_TIMES);
        let extension = header.extension.as_mut().unwrap();
        extension.upper = extension.upper | UpperFlags::EPOCH_START;
        header.start.as_mut().unwrap().time =
            WireTime::from_since_epoch(NOW + Duration::from_secs(3));
        let service =
            |header: &TestHeader| Service::of_header(header, NOW, LENGTH).unwrap().clock_start;
        assert_eq!(service(&header), ClockStart::FirstData);
        header.start.as_mut().unwrap().time =
            WireTime::from_since_epoch(NOW - Duration::from_secs(3));
        assert_eq!(service(&header), ClockStart::Accepted { barrier_wait: Duration::ZERO });
    }

    #[test]
    fn a_dual_test_is_received_with_a_note_and_a_transfer_id_without() {
        let words = PLAIN_2_1.replacen("40010078", "c0010079", 1);
        assert_eq!(service(&words).notes.len(), 1);
        let words = words.replacen("00000002", "80100002", 1);
        assert_eq!(service(&words).notes, Vec::<String>::new());
    }

    #[test]
    fn modes_that_are_not_served_are_named() {
        let refused =
            |words: &str| Service::of_header(&header(words), NOW, LENGTH).unwrap_err().to_string();
        let full_duplex = REVERSE_FQ.replacen("06000000", "08000000", 1);
        assert!(refused(&full_duplex).contains("full-duplex"));
        let isochronous = REVERSE_FQ.replacen("06000000", "04010000", 1);
        assert!(refused(&isochronous).contains("isochronous"));
        let bursts = REVERSE_FQ.replacen("06000000", "24000000", 1);
        assert!(refused(&bursts).contains("bursts"));
    }

    proptest! {
        #[test]
        fn no_header_makes_a_server_panic_or_allocate_without_limit(
            mut bytes in prop::collection::vec(any::<u8>(), 24..=255),
            length in 24_u8..=255,
        ) {
            let declared = usize::from(length).min(bytes.len());
            bytes[1] |= 1;
            bytes[2] = u8::from(declared >= 128);
            bytes[3] = u8::try_from((declared & 0x7f) << 1).unwrap();
            let Ok(header) = TestHeader::decode(&bytes) else { return Ok(()) };
            let time = WireTime::default();
            prop_assert!(reply_header(&header, time).is_ok());
            prop_assert!(acknowledgement(&header, Stamps::Present, time, time).is_none_or(|bytes| bytes.len() <= 52));
            let Ok(service) = Service::of_header(&header, NOW, LENGTH) else { return Ok(()) };
            if let Work::Send(order) = service.work {
                prop_assert!((1..=MAX_WRITE).contains(&order.length));
            }
        }
    }
}
