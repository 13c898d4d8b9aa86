//! The end of a TCP stream at its sender.

use super::clock;
use super::tcp_connection::{Read, TcpConnection};
use crate::cancel::Cancel;
use crate::error::EngineError;
use crate::protocol::tcp_end::PeerClose;
use crate::protocol::tcp_limits::{CANCELLED_CLOSE_GRACE, CLOSE_GRACE, DRAIN_LIMIT};

/// Most bytes of the peer's answer that are kept.
const LONGEST_ANSWER: usize = 1024;

const SCRATCH: usize = 4096;

/// What the peer did at the end.
#[derive(Debug)]
pub(super) struct Closing {
    /// How it closed.
    pub(super) close: PeerClose,
    /// The first bytes that it sent; an acknowledgement perhaps.
    pub(super) answer: Vec<u8>,
}

/// Says that no more comes, and reads until the peer closes, too, so that no unread byte turns the close into a reset.
///
/// Waits [`CLOSE_GRACE`] for a peer that takes nothing, and at most [`DRAIN_LIMIT`] for one that still takes data.
pub(super) fn close_after_sending(
    connection: &TcpConnection,
    cancel: &Cancel,
) -> Result<Closing, EngineError> {
    let mut answer = Vec::new();
    if let Some(close) = drain(connection, &mut answer)? {
        return Ok(Closing { close, answer });
    }
    connection.half_close();
    let close = await_close(connection, cancel, &mut answer)?;
    if matches!(close, PeerClose::NotWithin { .. }) {
        connection.reset_on_close();
    }
    Ok(Closing { close, answer })
}

/// Reads what is there, for the answer of a peer that has broken the connection.
pub(super) fn remaining_answer(connection: &TcpConnection) -> Vec<u8> {
    let mut answer = Vec::new();
    // What could be read counts, whatever the connection says after it.
    let _ = drain(connection, &mut answer);
    answer
}

fn drain(
    connection: &TcpConnection,
    answer: &mut Vec<u8>,
) -> Result<Option<PeerClose>, EngineError> {
    let mut scratch = [0; SCRATCH];
    // A peer that sends without end is dealt with after the half-close, where time is watched.
    while answer.len() < LONGEST_ANSWER {
        match connection.read_available(&mut scratch)? {
            Read::Bytes(count) => keep(answer, &scratch[..count]),
            Read::Nothing => break,
            Read::End => return Ok(Some(PeerClose::Early)),
            Read::Broken(_) => return Ok(Some(PeerClose::Reset)),
        }
    }
    Ok(None)
}

fn await_close(
    connection: &TcpConnection,
    cancel: &Cancel,
    answer: &mut Vec<u8>,
) -> Result<PeerClose, EngineError> {
    let mut scratch = [0; SCRATCH];
    let start = clock::monotonic();
    let (mut last_progress, mut queued) = (start, connection.unacknowledged());
    loop {
        match connection.read(&mut scratch)? {
            Read::Bytes(count) => keep(answer, &scratch[..count]),
            Read::Nothing => {}
            Read::End => return Ok(PeerClose::Orderly),
            Read::Broken(_) => return Ok(PeerClose::Reset),
        }
        let now = clock::monotonic();
        let unacknowledged = connection.unacknowledged();
        if unacknowledged < queued {
            (last_progress, queued) = (now, unacknowledged);
        }
        let waited = now.saturating_duration_since(start);
        let stuck = now.saturating_duration_since(last_progress);
        let cancelled = cancel.is_cancelled() && waited >= CANCELLED_CLOSE_GRACE;
        if cancelled || stuck >= CLOSE_GRACE || waited >= DRAIN_LIMIT {
            return Ok(PeerClose::NotWithin { waited, unacknowledged });
        }
    }
}

fn keep(answer: &mut Vec<u8>, bytes: &[u8]) {
    let room = LONGEST_ANSWER.saturating_sub(answer.len());
    answer.extend_from_slice(&bytes[..bytes.len().min(room)]);
}
