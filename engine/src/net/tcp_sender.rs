//! The sending loop of a TCP stream, client's or server's.

use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

use super::clock;
use super::tcp_connection::{TcpConnection, Written};
use super::tcp_meter::Meter;
use crate::cancel::Cancel;
use crate::config::{Amount, Rate};
use crate::error::EngineError;
use crate::protocol::byte_credit::ByteCredit;
use crate::protocol::tcp_burst::BurstStamper;
use crate::protocol::tcp_limits::{BURST_OVERTIME, POLL, STANDSTILL};
use crate::sys::timer_slack;
use crate::wire::WireTime;
use crate::wire::payload::fill_digits;

/// What a sender sends.
pub(super) struct SendPlan {
    /// When it stops, from the start of the meter.
    pub(super) amount: Amount,
    /// Bytes of the amount that are sent already.
    pub(super) already_sent: u64,
    /// How fast it writes.
    pub(super) rate: Rate,
    /// The bytes of a write, from [`payload`]; made before the clock starts.
    pub(super) payload: Vec<u8>,
    /// Stamps every write, which is then a burst and sent as a whole.
    pub(super) stamper: Option<BurstStamper>,
    /// How long a write may stand still until it counts as an error.
    pub(super) write_timeout: Duration,
}

/// The bytes of a write of `length`. Long ones take a while to make, so do it before the clock of a stream starts.
pub(super) fn payload(length: usize) -> Vec<u8> {
    let mut payload = vec![0; length];
    fill_digits(&mut payload);
    payload
}

/// How sending ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SendEnd {
    /// All was sent, or the time is over.
    Complete,
    /// The connection is broken; what was seen of the peer.
    Broken(&'static str),
    /// The peer took nothing for so long.
    Standstill(Duration),
    /// It was cancelled.
    Cancelled,
}

/// Sends as planned. Gives how it ended, and when: with the last write, or with the time.
pub(super) fn send(
    connection: &TcpConnection,
    plan: SendPlan,
    meter: &mut Meter<'_>,
    cancel: &Cancel,
) -> Result<(SendEnd, Instant), EngineError> {
    let now = meter.start();
    let deadline = match plan.amount {
        Amount::Time(time) => Some(clock::later(now, time)),
        Amount::Bytes(_) => None,
    };
    let stuck = Stuck { since: now, errors: 0, write_timeout: plan.write_timeout };
    let mut sender = Sender { connection, meter, cancel, deadline, now, stuck };
    let end = sender.run(plan)?;
    Ok((end, sender.now))
}

struct Sender<'a, 'm> {
    connection: &'a TcpConnection,
    meter: &'a mut Meter<'m>,
    cancel: &'a Cancel,
    deadline: Option<Instant>,
    /// The last reading of the clock.
    now: Instant,
    stuck: Stuck,
}

/// How long the connection has taken nothing.
struct Stuck {
    since: Instant,
    errors: u32,
    write_timeout: Duration,
}

impl Sender<'_, '_> {
    fn run(&mut self, mut plan: SendPlan) -> Result<SendEnd, EngineError> {
        let mut buffer = plan.payload;
        let length = buffer.len();
        let mut left = match plan.amount {
            Amount::Time(_) => u64::MAX,
            Amount::Bytes(bytes) => bytes.saturating_sub(plan.already_sent),
        };
        let mut credit = byte_credit(plan.rate);
        while left > 0 {
            let due = credit.as_ref().map_or(Duration::ZERO, ByteCredit::due);
            if let Some(end) = self.pause_until(due)? {
                return Ok(end);
            }
            let size = match &mut plan.stamper {
                Some(stamper) => {
                    stamper.stamp(&mut buffer, WireTime::from_since_epoch(clock::wall()));
                    length
                }
                None => usize::try_from(left).map_or(length, |left| left.min(length)),
            };
            let overtime = if plan.stamper.is_some() { BURST_OVERTIME } else { Duration::ZERO };
            if let Some(end) = self.write_whole(&buffer[..size], overtime)? {
                return Ok(end);
            }
            if self.time_is_over(Duration::ZERO) {
                return Ok(SendEnd::Complete);
            }
            left = left.saturating_sub(size as u64);
            if let Some(credit) = &mut credit {
                credit.charge(size as u64);
            }
        }
        Ok(SendEnd::Complete)
    }

    /// Writes all of `bytes`, unless something ends the stream before. Once a part is written the rest may take `overtime`
    /// longer than the stream.
    fn write_whole(
        &mut self,
        bytes: &[u8],
        overtime: Duration,
    ) -> Result<Option<SendEnd>, EngineError> {
        let mut rest = bytes;
        loop {
            let allowed = if rest.len() < bytes.len() { overtime } else { Duration::ZERO };
            match self.connection.write(rest, self.time_left(allowed))? {
                Written::Bytes(count) => {
                    self.now = clock::monotonic();
                    rest = &rest[count..];
                    self.meter.record(self.now, u64::from(rest.is_empty()), count);
                    self.stuck.since = self.now;
                    self.stuck.errors = 0;
                    if rest.is_empty() {
                        return Ok(self.cancel.is_cancelled().then_some(SendEnd::Cancelled));
                    }
                }
                Written::Nothing => {
                    self.now = clock::monotonic();
                    self.meter.tick(self.now);
                    if let Some(end) = self.stand_still() {
                        return Ok(Some(end));
                    }
                }
                Written::Broken(seen) => {
                    self.now = clock::monotonic();
                    return Ok(Some(SendEnd::Broken(seen)));
                }
            }
            if self.cancel.is_cancelled() {
                return Ok(Some(SendEnd::Cancelled));
            }
            let allowed = if rest.len() < bytes.len() { overtime } else { Duration::ZERO };
            if self.time_is_over(allowed) {
                return Ok(Some(SendEnd::Complete));
            }
        }
    }

    /// Counts the errors of a write that makes no progress. A transfer of bytes, which has no time, ends in the end.
    fn stand_still(&mut self) -> Option<SendEnd> {
        let stuck = self.now.saturating_duration_since(self.stuck.since);
        if stuck >= self.stuck.write_timeout.saturating_mul(self.stuck.errors.saturating_add(1)) {
            self.stuck.errors = self.stuck.errors.saturating_add(1);
            self.meter.record_error();
        }
        (self.deadline.is_none() && stuck >= STANDSTILL).then_some(SendEnd::Standstill(stuck))
    }

    /// Waits until `due` after the start. A connection that breaks meanwhile ends a long wait.
    fn pause_until(&mut self, due: Duration) -> Result<Option<SendEnd>, EngineError> {
        let due = clock::later(self.meter.start(), due);
        while self.now < due {
            if self.cancel.is_cancelled() {
                return Ok(Some(SendEnd::Cancelled));
            }
            if self.time_is_over(Duration::ZERO) {
                return Ok(Some(SendEnd::Complete));
            }
            let left = due.saturating_duration_since(self.now).min(self.time_left(Duration::ZERO));
            if left <= POLL {
                thread::sleep(left);
            } else if self.connection.pause()? {
                return Ok(Some(SendEnd::Broken("it reset the connection")));
            }
            self.now = clock::monotonic();
            self.meter.tick(self.now);
        }
        self.stuck.since = self.now;
        Ok(None)
    }

    fn time_is_over(&self, overtime: Duration) -> bool {
        self.deadline.is_some() && self.time_left(overtime).is_zero()
    }

    /// What is left of the time; without a time more than any wait.
    fn time_left(&self, overtime: Duration) -> Duration {
        let Some(deadline) = self.deadline else { return Duration::MAX };
        let late = self.now.saturating_duration_since(deadline);
        deadline.saturating_duration_since(self.now) + overtime.saturating_sub(late)
    }
}

fn byte_credit(rate: Rate) -> Option<ByteCredit> {
    let Rate::BitsPerSecond(rate) = rate else { return None };
    let credit = ByteCredit::new(NonZeroU64::new(rate)?);
    timer_slack::minimize();
    Some(credit)
}
