//! A client's stream that receives.

use std::time::{Duration, Instant};

use super::clock;
use super::tcp_client::{Client, Requested};
use super::tcp_connection::Read;
use super::tcp_meter::Meter;
use super::tcp_receiver::{self, ReceiveEnd, ReceivePlan};
use super::tcp_report::note;
use crate::config::Amount;
use crate::error::EngineError;
use crate::event::Totals;
use crate::protocol::tcp_burst::BurstReader;
use crate::protocol::tcp_end::{self, ServerAnswer, closed_early, vanished};
use crate::protocol::tcp_limits::{REVERSE_OVERTIME, STANDSTILL};
use crate::protocol::tcp_service::{self, Stamps};
use crate::wire::tcp::{FirstWord, KeyPolicy, TestHeader};
use crate::wire::{Limit, UpperFlags};

/// Receives until the server closes, or until the time that was asked for is over by [`REVERSE_OVERTIME`].
pub(super) fn run(
    client: &Client<'_>,
    requested: &Requested,
    mut meter: Meter<'_>,
) -> (Totals, Result<(), EngineError>) {
    match receive(client, requested, &mut meter) {
        Ok((end, stopped)) => {
            let result = judge(client, requested, &meter, end, stopped);
            (meter.stop(stopped), result)
        }
        Err(error) => (meter.stop(clock::monotonic()), Err(error)),
    }
}

fn receive(
    client: &Client<'_>,
    requested: &Requested,
    meter: &mut Meter<'_>,
) -> Result<(ReceiveEnd, Instant), EngineError> {
    let (until, standstill) = match client.config.amount {
        Amount::Time(time) => (Some(time.saturating_add(REVERSE_OVERTIME)), None),
        Amount::Bytes(_) => (None, Some(STANDSTILL)),
    };
    let mut plan =
        ReceivePlan { length: client.config.length.bytes(), bursts: None, until, standstill };
    if client.config.trip_times {
        match read_reply(client, requested, meter, &plan)? {
            Reply::Data(Stamps::Present) => {
                meter.measure_latency();
                plan.bursts = Some(BurstReader::new());
            }
            Reply::Data(Stamps::Absent) => {}
            Reply::Ended(end) => return Ok((end, clock::monotonic())),
        }
    }
    let ended = tcp_receiver::receive(&requested.connection, &mut plan, meter, client.cancel)?;
    if plan.bursts.is_some_and(|bursts| bursts.is_out_of_step()) {
        note(client.sink, requested.stream, OUT_OF_STEP.into());
    }
    Ok(ended)
}

/// A remark about a stream whose bursts could not be followed to its end.
pub(super) const OUT_OF_STEP: &str = "latency is measured only in part: the sender's bursts went out of step, the rest was counted as plain data";

/// What stands at the start of what a server sends that was asked for trip times.
enum Reply {
    /// Data follows.
    Data(Stamps),
    /// Nothing follows.
    Ended(ReceiveEnd),
}

fn read_reply(
    client: &Client<'_>,
    requested: &Requested,
    meter: &mut Meter<'_>,
    plan: &ReceivePlan,
) -> Result<Reply, EngineError> {
    let patience = plan.until.or(plan.standstill).unwrap_or(STANDSTILL);
    let deadline = requested.start + patience;
    let at_deadline =
        if plan.until.is_some() { ReceiveEnd::TimeUp } else { ReceiveEnd::Standstill(patience) };
    let mut fill = |buffer: &mut [u8]| -> Result<Option<ReceiveEnd>, EngineError> {
        let mut tick = |now| meter.tick(now);
        let (count, read) =
            requested.connection.read_exact(buffer, deadline, client.cancel, &mut tick)?;
        if count > 0 {
            meter.record(clock::monotonic(), 1, count);
        }
        Ok(match read {
            Read::Bytes(_) => None,
            Read::Nothing => Some(at_deadline),
            Read::End => Some(ReceiveEnd::EndOfData),
            Read::Broken(seen) => Some(ReceiveEnd::Broken(seen)),
        })
    };
    let mut bytes = [0; TestHeader::MAX_LENGTH];
    if let Some(end) = fill(&mut bytes[..4])? {
        return Ok(Reply::Ended(end));
    }
    let length =
        match FirstWord::classify([bytes[0], bytes[1], bytes[2], bytes[3]], KeyPolicy::Open) {
            FirstWord::Header { length } => length,
            FirstWord::Legacy => {
                note(
                    client.sink,
                    requested.stream,
                    "no latency is measured: the server sends no trip times".into(),
                );
                return Ok(Reply::Data(Stamps::Absent));
            }
            FirstWord::Bounceback | FirstWord::Malformed { .. } => {
                return Err(EngineError::Protocol {
                    reason: "the server's first bytes are no test header".into(),
                });
            }
        };
    if let Some(end) = fill(&mut bytes[4..length])? {
        return Ok(Reply::Ended(end));
    }
    let header = TestHeader::decode(&bytes[..length])
        .map_err(|error| EngineError::Protocol { reason: error.to_string() })?;
    Ok(Reply::Data(stamps(client, requested, &header)))
}

fn stamps(client: &Client<'_>, requested: &Requested, header: &TestHeader) -> Stamps {
    let now = clock::wall();
    let text = match header.start.filter(|_| header.upper().contains(UpperFlags::TRIP_TIMES)) {
        Some(start) if tcp_service::clocks_agree(start.time, now) => return Stamps::Present,
        Some(start) => tcp_service::clocks_disagree_note(start.time, now),
        None => "no latency is measured: the server sends no trip times".into(),
    };
    note(client.sink, requested.stream, text);
    Stamps::Absent
}

fn judge(
    client: &Client<'_>,
    requested: &Requested,
    meter: &Meter<'_>,
    end: ReceiveEnd,
    stopped: Instant,
) -> Result<(), EngineError> {
    let elapsed = stopped.saturating_duration_since(meter.start());
    let asked = match client.config.amount {
        Amount::Time(time) => Limit::Time(time),
        Amount::Bytes(bytes) => Limit::Bytes(bytes),
    };
    match end {
        ReceiveEnd::Cancelled => Err(EngineError::Cancelled),
        ReceiveEnd::EndOfData if meter.bytes() == 0 => {
            Err(closed_early("it closed the connection", ServerAnswer::Silent, client.key_shown()))
        }
        ReceiveEnd::Broken(seen) if meter.bytes() == 0 => {
            Err(closed_early(seen, ServerAnswer::Silent, client.key_shown()))
        }
        ReceiveEnd::EndOfData => tcp_end::judge_received(asked, meter.bytes(), elapsed),
        ReceiveEnd::Broken(seen) => Err(vanished(format!("{seen} before the end"))),
        ReceiveEnd::TimeUp => overtime(client, requested, meter, elapsed),
        ReceiveEnd::Standstill(silence) if meter.bytes() == 0 => {
            Err(EngineError::NoData { after: silence })
        }
        ReceiveEnd::Standstill(silence) => {
            Err(vanished(format!("it sent nothing for {:.0} s", silence.as_secs_f64())))
        }
    }
}

/// The server went on beyond its time, or fell silent.
fn overtime(
    client: &Client<'_>,
    requested: &Requested,
    meter: &Meter<'_>,
    elapsed: Duration,
) -> Result<(), EngineError> {
    let Amount::Time(time) = client.config.amount else { return Ok(()) };
    let last_data = meter.last_data().saturating_duration_since(meter.start());
    tcp_end::judge_overtime(time, meter.bytes(), last_data, elapsed)?;
    let text = format!(
        "the client stopped reading {:.1} s after the time it had asked for, while the server had not closed yet",
        elapsed.saturating_sub(time).as_secs_f64()
    );
    note(client.sink, requested.stream, text);
    Ok(())
}
