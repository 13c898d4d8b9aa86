//! A client's stream that sends.

use super::clock;
use super::tcp_client::{Client, Requested};
use super::tcp_closing;
use super::tcp_meter::Meter;
use super::tcp_report::note;
use super::tcp_sender::{self, SendEnd, SendPlan};
use crate::error::EngineError;
use crate::event::Totals;
use crate::protocol::tcp_burst::BurstStamper;
use crate::protocol::tcp_end::{self, PeerClose, ServerAnswer, closed_early, vanished};
use crate::protocol::tcp_limits;
use crate::wire::tcp::Acknowledgement;

/// Sends, and waits until the server has closed. The figures end with the last write, or with the time if that is later;
/// the wait for the server is not in them.
pub(super) fn run(
    client: &Client<'_>,
    requested: &Requested,
    mut meter: Meter<'_>,
    payload: Vec<u8>,
) -> (Totals, Result<(), EngineError>) {
    meter.record(requested.start, 1, requested.header_length);
    match tcp_sender::send(
        &requested.connection,
        plan(client, requested, payload),
        &mut meter,
        client.cancel,
    ) {
        Ok((end, stopped)) => (meter.stop(stopped), finish(client, requested, end)),
        Err(error) => (meter.stop(clock::monotonic()), Err(error)),
    }
}

fn plan(client: &Client<'_>, requested: &Requested, payload: Vec<u8>) -> SendPlan {
    let config = client.config;
    SendPlan {
        amount: config.amount,
        already_sent: requested.header_length as u64,
        rate: config.rate,
        payload,
        stamper: config.trip_times.then(|| BurstStamper::behind_test_header(requested.told_start)),
        write_timeout: tcp_limits::write_timeout(
            config.interval,
            config.amount,
            config.parallel.get().into(),
        ),
    }
}

fn finish(client: &Client<'_>, requested: &Requested, end: SendEnd) -> Result<(), EngineError> {
    let connection = &requested.connection;
    match end {
        SendEnd::Complete => {
            let closing = tcp_closing::close_after_sending(connection, client.cancel)?;
            if client.cancel.is_cancelled() && matches!(closing.close, PeerClose::NotWithin { .. })
            {
                return Err(EngineError::Cancelled);
            }
            let answer = read_answer(client, requested, &closing.answer);
            tcp_end::judge_sent(closing.close, answer, client.key_shown())
        }
        SendEnd::Cancelled => {
            // However the server takes it, it was cancelled.
            let _ = tcp_closing::close_after_sending(connection, client.cancel);
            Err(EngineError::Cancelled)
        }
        SendEnd::Broken(seen) => {
            let answer = tcp_closing::remaining_answer(connection);
            Err(closed_early(seen, read_answer(client, requested, &answer), client.key_shown()))
        }
        SendEnd::Standstill(stuck) => {
            connection.reset_on_close();
            Err(vanished(format!("it took no data for {:.0} s", stuck.as_secs_f64())))
        }
    }
}

/// What the server said meanwhile. An iperf server in compatibility mode says nothing.
fn read_answer(client: &Client<'_>, requested: &Requested, answer: &[u8]) -> ServerAnswer {
    let Ok(acknowledgement) = Acknowledgement::decode(answer) else {
        return ServerAnswer::Silent;
    };
    if client.config.trip_times && acknowledgement.times.is_none() {
        let text = "the server measures no latency: its clock is more than 600 s away, or it knows no trip times";
        note(client.sink, requested.stream, text.into());
    }
    ServerAnswer::Acknowledged
}
