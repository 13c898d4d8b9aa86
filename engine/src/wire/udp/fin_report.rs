//! The server's report at the end of a UDP flow.

use super::DatagramPrefix;
use crate::wire::bytes::{i32_at, join, put_i32, put_u32, split, u32_at};
use crate::wire::error::require;
use crate::wire::{BaseFlags, SignedTime, WireError, WireTime};

const WHAT: &str = "server report";

/// What a server counted, sent back after the FIN ("`AckFIN`"): 128 bytes, or 56 from very old servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FinReport {
    /// [`BaseFlags::VERSION1`] is set; [`BaseFlags::EXTEND`] when the server shows latency; [`BaseFlags::SEQUENCE_64`] when
    /// the counters have 64 bits.
    pub flags: BaseFlags,
    /// Bytes received, FIN included.
    pub bytes: u64,
    /// Last receive time − start.
    pub duration: WireTime,
    /// Lost datagrams, out-of-order ones already subtracted.
    pub lost: u64,
    /// Datagrams that came late or twice.
    pub out_of_order: u64,
    /// Highest sequence number seen: the number of datagrams expected, FIN included.
    pub datagrams: u64,
    /// 2.2: mean of all jitter estimates; 2.1: the last one. Cut to microseconds.
    pub jitter: WireTime,
    /// Latency figures; `None` in the 56-byte form.
    pub latency: Option<LatencyFigures>,
}

/// Latency and rate of datagrams, in a [`FinReport`]. Filled whether or not the clocks agree; times may be negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LatencyFigures {
    /// Least latency.
    pub min: SignedTime,
    /// Largest latency.
    pub max: SignedTime,
    /// Sum of all latencies.
    pub sum: SignedTime,
    /// Mean by Welford's method.
    pub mean: SignedTime,
    /// Sum of squared deviations from the mean in µs², modulo 2³².
    pub m2: u32,
    /// Fraction of it in millionths.
    pub m2_millionths: u32,
    /// Last sample − running mean.
    pub last_deviation: SignedTime,
    /// Number of samples.
    pub count: u32,
    /// Datagrams per second, whole; wrong (even negative) where iperf overflowed.
    pub packets_per_second: i32,
    /// 1.
    pub interval_sum: u32,
}

impl FinReport {
    /// Length on the wire in bytes.
    pub const LENGTH: usize = 128;
    /// Length of the short form of very old servers.
    pub const SHORT_LENGTH: usize = 56;

    /// Reads a report. 56 to 127 bytes are the short form; what is behind 128 bytes is ignored.
    ///
    /// # Errors
    /// [`WireError::TooShort`] below 56 bytes. [`WireError::Invalid`] unless the first 16 bytes are zero and the report
    /// flag is set: iperf servers answer later FINs with copies of the FIN, and a copy is no report.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        require(WHAT, bytes, Self::SHORT_LENGTH)?;
        if let Some(byte) = bytes[..DatagramPrefix::LENGTH].iter().find(|byte| **byte != 0) {
            return Err(WireError::Invalid {
                what: "start of the server report",
                value: (*byte).into(),
            });
        }
        let flags = BaseFlags(u32_at(bytes, 16));
        if !flags.contains(BaseFlags::VERSION1) {
            return Err(WireError::Invalid {
                what: "flags of the server report",
                value: flags.0.into(),
            });
        }
        let full = bytes.len() >= Self::LENGTH;
        let wide = full && flags.contains(BaseFlags::SEQUENCE_64);
        let counter =
            |low, high| join(if wide { u32_at(bytes, high) } else { 0 }, u32_at(bytes, low));
        Ok(Self {
            flags,
            bytes: join(u32_at(bytes, 20), u32_at(bytes, 24)),
            duration: WireTime::read(bytes, 28),
            lost: counter(36, 116),
            out_of_order: counter(40, 120),
            datagrams: counter(44, 124),
            jitter: WireTime::read(bytes, 48),
            latency: full.then(|| LatencyFigures::read(bytes)),
        })
    }

    /// Appends the report to `out`: 128 bytes, or 56 without latency figures.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; Self::LENGTH];
        let (bytes_high, bytes_low) = split(self.bytes);
        put_u32(&mut bytes, 16, self.flags.0);
        put_u32(&mut bytes, 20, bytes_high);
        put_u32(&mut bytes, 24, bytes_low);
        self.duration.write(&mut bytes, 28);
        for (index, counter) in
            [self.lost, self.out_of_order, self.datagrams].into_iter().enumerate()
        {
            let (high, low) = split(counter);
            put_u32(&mut bytes, 36 + 4 * index, low);
            if self.flags.contains(BaseFlags::SEQUENCE_64) {
                put_u32(&mut bytes, 116 + 4 * index, high);
            }
        }
        self.jitter.write(&mut bytes, 48);
        let Some(latency) = &self.latency else {
            out.extend_from_slice(&bytes[..Self::SHORT_LENGTH]);
            return;
        };
        latency.write(&mut bytes);
        out.extend_from_slice(&bytes);
    }
}

impl LatencyFigures {
    /// The largest sum of squared deviations that the words can carry, in µs².
    const M2_RANGE: f64 = 4_294_967_296.0;

    /// Sets the sum of squared deviations from seconds²; modulo 2³² µs², as iperf has it.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "both values are in the range of u32 by the modulo"
    )]
    pub fn with_m2_seconds(mut self, m2_seconds: f64) -> Self {
        let squared_microseconds = (m2_seconds * 1e12).max(0.0) % Self::M2_RANGE;
        self.m2 = squared_microseconds as u32;
        self.m2_millionths = (squared_microseconds.fract() * 1e6) as u32;
        self
    }

    /// Standard deviation of the latency in seconds; `None` below two samples. Wrong when the sum of squares wrapped.
    #[must_use]
    pub fn standard_deviation_seconds(&self) -> Option<f64> {
        let squared_microseconds = f64::from(self.m2) + f64::from(self.m2_millionths) / 1e6;
        (self.count > 1).then(|| (squared_microseconds / f64::from(self.count - 1)).sqrt() / 1e6)
    }

    fn read(bytes: &[u8]) -> Self {
        Self {
            min: SignedTime::read(bytes, 56),
            max: SignedTime::read(bytes, 64),
            sum: SignedTime::read(bytes, 72),
            mean: SignedTime::read(bytes, 80),
            m2: u32_at(bytes, 88),
            m2_millionths: u32_at(bytes, 92),
            last_deviation: SignedTime::read(bytes, 96),
            count: u32_at(bytes, 104),
            packets_per_second: i32_at(bytes, 108),
            interval_sum: u32_at(bytes, 112),
        }
    }

    fn write(&self, bytes: &mut [u8]) {
        self.min.write(bytes, 56);
        self.max.write(bytes, 64);
        self.sum.write(bytes, 72);
        self.mean.write(bytes, 80);
        put_u32(bytes, 88, self.m2);
        put_u32(bytes, 92, self.m2_millionths);
        self.last_deviation.write(bytes, 96);
        put_u32(bytes, 104, self.count);
        put_i32(bytes, 108, self.packets_per_second);
        put_u32(bytes, 112, self.interval_sum);
    }
}
