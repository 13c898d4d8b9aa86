//! The receiving loop of a TCP stream, client's or server's.

use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

use super::clock;
use super::tcp_connection::{Read, TcpConnection};
use super::tcp_meter::Meter;
use crate::cancel::Cancel;
use crate::error::EngineError;
use crate::protocol::tcp_burst::{BurstReader, Wanted};
use crate::protocol::tcp_limits::CLOSE_AFTER_AMOUNT;

/// From so many bytes on it is cheaper to pass over the rest of a burst than to copy it together with the next header.
const SKIP_FROM: u64 = 2048;

/// Bytes copied at once where the headers of bursts may be.
const WINDOW: usize = 8192;

/// What a receiver waits for.
#[derive(Debug, Default)]
pub(super) struct ReceivePlan {
    /// Most bytes per read.
    pub(super) length: usize,
    /// Finds the stamps of bursts; without it nothing is looked at.
    pub(super) bursts: Option<BurstReader>,
    /// When to stop at the latest, from the start of the meter.
    pub(super) until: Option<Duration>,
    /// How long the sender may send nothing.
    pub(super) standstill: Option<Duration>,
    /// How many bytes are wanted. More end the stream, and after the last one the sender should close soon.
    pub(super) amount: Option<u64>,
}

/// How receiving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReceiveEnd {
    /// The sender said that no more comes.
    EndOfData,
    /// The connection is broken; what was seen of the peer.
    Broken(&'static str),
    /// The time is over.
    TimeUp,
    /// All wanted bytes came, and the sender sent more or did not close.
    Enough,
    /// The sender sent nothing for so long.
    Standstill(Duration),
    /// It was cancelled.
    Cancelled,
}

/// Receives as planned. Gives how it ended, and when.
pub(super) fn receive(
    connection: &TcpConnection,
    plan: &mut ReceivePlan,
    meter: &mut Meter<'_>,
    cancel: &Cancel,
) -> Result<(ReceiveEnd, Instant), EngineError> {
    let mut unseen = Box::new_uninit_slice(plan.length.max(1));
    let mut window = if plan.bursts.is_some() { vec![0; WINDOW] } else { Vec::new() };
    let until = plan.until.and_then(|until| meter.start().checked_add(until));
    loop {
        let (read, now) = match &mut plan.bursts {
            None => {
                let read = connection.discard(&mut unseen)?;
                let now = clock::monotonic();
                if let Read::Bytes(count) = read {
                    meter.record(now, 1, count);
                }
                (read, now)
            }
            Some(bursts) => read_bursts(connection, bursts, meter, (&mut unseen, &mut window))?,
        };
        match read {
            Read::Bytes(_) => {}
            Read::Nothing => meter.tick(now),
            Read::End => return Ok((ReceiveEnd::EndOfData, now)),
            Read::Broken(seen) => return Ok((ReceiveEnd::Broken(seen), now)),
        }
        if cancel.is_cancelled() {
            return Ok((ReceiveEnd::Cancelled, now));
        }
        if until.is_some_and(|until| now >= until) {
            return Ok((ReceiveEnd::TimeUp, now));
        }
        let silence = now.saturating_duration_since(meter.last_data());
        if let Some(amount) = plan.amount
            && (meter.bytes() > amount
                || (meter.bytes() == amount && silence >= CLOSE_AFTER_AMOUNT))
        {
            return Ok((ReceiveEnd::Enough, now));
        }
        if plan.standstill.is_some_and(|limit| silence >= limit) {
            return Ok((ReceiveEnd::Standstill(silence), now));
        }
    }
}

/// One read of a stream with stamped bursts.
fn read_bursts(
    connection: &TcpConnection,
    bursts: &mut BurstReader,
    meter: &mut Meter<'_>,
    (unseen, window): (&mut [MaybeUninit<u8>], &mut [u8]),
) -> Result<(Read, Instant), EngineError> {
    let skipped = match bursts.wanted() {
        Wanted::Skip(left) if left.get() >= SKIP_FROM => Some(left),
        Wanted::Skip(_) | Wanted::Bytes => None,
    };
    let read = match skipped {
        Some(left) => {
            let most =
                usize::try_from(left.get()).map_or(unseen.len(), |left| left.min(unseen.len()));
            connection.discard(&mut unseen[..most])?
        }
        None => connection.read(window)?,
    };
    let (wall, now) = (nanoseconds(clock::wall()), clock::monotonic());
    if let Read::Bytes(count) = read {
        // Intervals that are over must not get the latencies of these bytes.
        meter.record(now, 1, count);
        let mut record = |latency| meter.record_latency(latency);
        match skipped {
            Some(_) => bursts.skip(count as u64, wall, &mut record),
            None => bursts.take(&window[..count], wall, &mut record),
        }
    }
    Ok((read, now))
}

fn nanoseconds(since_epoch: Duration) -> i64 {
    i64::try_from(since_epoch.as_nanos()).unwrap_or(i64::MAX)
}
