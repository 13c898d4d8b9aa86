//! A client's stream that receives.

use std::time::{Duration, Instant};

use super::clock;
use super::tcp_client::{Client, Requested};
use super::tcp_meter::Meter;
use super::tcp_receiver::{self, ReceiveEnd, ReceivePlan};
use super::tcp_reply::{self, Reply};
use super::tcp_report::note;
use crate::config::Amount;
use crate::error::EngineError;
use crate::event::Totals;
use crate::protocol::tcp_burst::BurstReader;
use crate::protocol::tcp_end::{self, ServerAnswer, closed_early, vanished};
use crate::protocol::tcp_limits::{REVERSE_OVERTIME, STANDSTILL};
use crate::protocol::tcp_stamps::Stamps;
use crate::wire::Limit;

/// Receives until the server closes, or until the time that was asked for is over by [`REVERSE_OVERTIME`].
pub(super) fn run(
    client: &Client<'_>,
    requested: &Requested,
    mut meter: Meter<'_>,
) -> (Totals, Result<(), EngineError>) {
    match receive(client, requested, &mut meter) {
        Ok((end, stopped)) => {
            let result = judge(client, requested, &meter, end, stopped);
            let ended = match end {
                ReceiveEnd::EndOfData | ReceiveEnd::Cancelled => stopped,
                // The wait for a sender that is silent, or should have closed, is no part of the transfer.
                ReceiveEnd::TimeUp
                | ReceiveEnd::Enough
                | ReceiveEnd::Standstill(_)
                | ReceiveEnd::Broken(_) => meter.last_data(),
            };
            (meter.stop(ended), result)
        }
        Err(error) => (meter.stop(clock::monotonic()), Err(error)),
    }
}

fn receive(
    client: &Client<'_>,
    requested: &Requested,
    meter: &mut Meter<'_>,
) -> Result<(ReceiveEnd, Instant), EngineError> {
    let (until, standstill, amount) = match client.config.amount {
        Amount::Time(time) => (Some(time.saturating_add(REVERSE_OVERTIME)), None, None),
        Amount::Bytes(bytes) => (None, Some(STANDSTILL), Some(bytes)),
    };
    let mut plan = ReceivePlan {
        length: client.config.length.bytes(),
        bursts: None,
        until,
        standstill,
        amount,
    };
    if client.config.trip_times {
        match tcp_reply::read(client, requested, meter, &plan)? {
            Reply::Data(Stamps::Present) => {
                meter.measure_latency();
                plan.bursts = Some(BurstReader::new());
                // The server's own header is not part of the amount, and its last burst is whole.
                let beyond = meter.bytes().saturating_add(plan.length as u64);
                plan.amount = amount.map(|amount| amount.saturating_add(beyond));
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
        ReceiveEnd::Enough => {
            let text = "the client closed when it had all bytes that it had asked for: the server sent more, or did not close";
            note(client.sink, requested.stream, text.into());
            Ok(())
        }
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
