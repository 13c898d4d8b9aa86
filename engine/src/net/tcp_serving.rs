//! The data of one connection of a TCP server.

use std::num::NonZeroU64;
use std::os::fd::AsFd;
use std::time::Instant;

use super::clock;
use super::tcp_closing;
use super::tcp_meter::Meter;
use super::tcp_receiver::{self, ReceiveEnd, ReceivePlan};
use super::tcp_report::{Start, ended, never_started, note, started};
use super::tcp_reverse::OUT_OF_STEP;
use super::tcp_sender::{self, SendEnd, SendPlan};
use super::tcp_server::Shared;
use super::tcp_session::Admitted;
use crate::error::EngineError;
use crate::event::{Role, Totals};
use crate::protocol::tcp_answer::reply_header;
use crate::protocol::tcp_burst::{BurstReader, BurstStamper};
use crate::protocol::tcp_end::{self, PeerClose, vanished};
use crate::protocol::tcp_limits;
use crate::protocol::tcp_service::{ClockStart, SendOrder, Work};
use crate::protocol::tcp_stamps::Stamps;
use crate::sys::pacing_rate;
use crate::wire::{Limit, WireTime};

/// Receives from the client, or sends to it, and reports how that ended.
pub(super) fn run(shared: &Shared, admitted: &Admitted) {
    match &admitted.service.work {
        Work::Receive { announced, stamps } => receive(shared, admitted, *announced, *stamps),
        Work::Send(order) => send(shared, admitted, order),
    }
}

fn meter<'a>(
    shared: &'a Shared,
    admitted: &'a Admitted,
    role: Role,
    clock_start: Instant,
) -> Meter<'a> {
    let peer_version = admitted.service.peer_version.clone();
    let start = Start { stream: admitted.stream, role, connect_time: None, peer_version };
    started(&shared.sink, &admitted.connection, start, clock_start, shared.config.interval)
}

/// Receives to the client's end. The figures end with it: a client closes its direction right after its last data.
fn receive(shared: &Shared, admitted: &Admitted, announced: Limit, stamps: Stamps) {
    let clock_start = match await_start(shared, admitted) {
        Ok(start) => start,
        Err(error) => return never_started(&shared.sink, admitted.stream, error),
    };
    let mut meter = meter(shared, admitted, Role::Receiver, clock_start);
    meter.record(clock_start, 1, admitted.received);
    let mut plan = ReceivePlan { length: shared.config.length.bytes(), ..ReceivePlan::default() };
    if stamps == Stamps::Present {
        meter.measure_latency();
        plan.bursts = Some(BurstReader::new());
    }
    let received =
        tcp_receiver::receive(&admitted.connection, &mut plan, &mut meter, &shared.cancel);
    if plan.bursts.is_some_and(|bursts| bursts.is_out_of_step()) {
        note(&shared.sink, admitted.stream, OUT_OF_STEP.into());
    }
    let bytes = meter.bytes();
    let (totals, result) = match received {
        Ok((end, stopped)) => {
            let totals = meter.stop(stopped);
            let result = judge_received(end, announced, bytes, &totals);
            (totals, result)
        }
        Err(error) => (meter.stop(clock::monotonic()), Err(error)),
    };
    ended(&shared.sink, totals, result);
}

fn judge_received(
    end: ReceiveEnd,
    announced: Limit,
    bytes: u64,
    totals: &Totals,
) -> Result<(), EngineError> {
    match end {
        ReceiveEnd::EndOfData => tcp_end::judge_received(announced, bytes, totals.duration),
        ReceiveEnd::Broken(seen) => Err(vanished(format!("{seen} before the end"))),
        ReceiveEnd::Cancelled => Err(EngineError::Cancelled),
        // A receiving server sets no limits.
        ReceiveEnd::TimeUp | ReceiveEnd::Enough | ReceiveEnd::Standstill(_) => Ok(()),
    }
}

/// When the clock of a receiving stream starts. A client that waited for its siblings says for how long; what it says
/// cannot move the start into the future.
fn await_start(shared: &Shared, admitted: &Admitted) -> Result<Instant, EngineError> {
    match admitted.service.clock_start {
        ClockStart::Accepted { barrier_wait } => {
            let now = clock::monotonic();
            Ok(admitted.accepted.checked_add(barrier_wait).map_or(now, |start| start.min(now)))
        }
        ClockStart::FirstData => {
            while !admitted.connection.wait_readable()? {
                if shared.cancel.is_cancelled() {
                    return Err(EngineError::Cancelled);
                }
            }
            Ok(clock::monotonic())
        }
    }
}

/// Sends what the client asked for. The figures end with the last write, or with the time if that is later.
fn send(shared: &Shared, admitted: &Admitted, order: &SendOrder) {
    if let Some(rate) = order.pacing_bytes_per_second {
        limit_pacing(shared, admitted, rate);
    }
    let payload = tcp_sender::payload(order.length);
    let told_start = WireTime::from_since_epoch(clock::wall());
    let header_length = match send_own_header(shared, admitted, order, told_start) {
        Ok(length) => length,
        Err(error) => return never_started(&shared.sink, admitted.stream, error),
    };
    let clock_start = clock::monotonic();
    let mut meter = meter(shared, admitted, Role::Sender, clock_start);
    if header_length > 0 {
        meter.record(clock_start, 1, header_length);
    }
    let plan = SendPlan {
        amount: order.amount,
        already_sent: 0,
        rate: order.rate,
        payload,
        stamper: (order.stamps == Stamps::Present)
            .then(|| BurstStamper::behind_test_header(told_start)),
        write_timeout: tcp_limits::write_timeout(
            shared.config.interval,
            order.amount,
            admitted.service.parallel,
        ),
    };
    let (totals, result) =
        match tcp_sender::send(&admitted.connection, plan, &mut meter, &shared.cancel) {
            Ok((end, stopped)) => (meter.stop(stopped), finish(shared, admitted, end)),
            Err(error) => (meter.stop(clock::monotonic()), Err(error)),
        };
    ended(&shared.sink, totals, result);
}

/// Sends the header that comes before stamped bursts, and gives its length.
fn send_own_header(
    shared: &Shared,
    admitted: &Admitted,
    order: &SendOrder,
    start: WireTime,
) -> Result<usize, EngineError> {
    let Some(header) = admitted.header.as_ref().filter(|_| order.stamps == Stamps::Present) else {
        return Ok(0);
    };
    let bytes = reply_header(header, start)?;
    admitted.connection.write_message("test header", &bytes, &shared.cancel)?;
    Ok(bytes.len())
}

fn limit_pacing(shared: &Shared, admitted: &Admitted, rate: NonZeroU64) {
    if let Err(error) =
        pacing_rate::set_max_pacing_rate(admitted.connection.socket().as_fd(), rate.get())
    {
        let text = format!(
            "the client asks for pacing at {rate} bytes/s, which the system refuses: {error}"
        );
        note(&shared.sink, admitted.stream, text);
    }
}

fn finish(shared: &Shared, admitted: &Admitted, end: SendEnd) -> Result<(), EngineError> {
    let connection = &admitted.connection;
    match end {
        SendEnd::Complete => {
            let close = tcp_closing::close_after_sending(connection, &shared.cancel)?.close;
            if shared.cancel.is_cancelled() && matches!(close, PeerClose::NotWithin { .. }) {
                return Err(EngineError::Cancelled);
            }
            tcp_end::judge_served(close)
        }
        SendEnd::Cancelled => {
            // However the client takes it, it was cancelled.
            let _ = tcp_closing::close_after_sending(connection, &shared.cancel);
            Err(EngineError::Cancelled)
        }
        SendEnd::Broken(seen) => Err(vanished(format!("{seen} before the end"))),
        SendEnd::Standstill(stuck) => {
            connection.reset_on_close();
            Err(vanished(format!("it took no data for {:.0} s", stuck.as_secs_f64())))
        }
    }
}
