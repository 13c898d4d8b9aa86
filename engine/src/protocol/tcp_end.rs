//! How a TCP stream ended: as it should, or before its time.
//!
//! TCP carries no statistics from end to end, so each end judges by what it saw itself.

use std::time::Duration;

use crate::error::EngineError;
use crate::wire::Limit;

/// Part of the announced time that may be missing: the clocks of the ends start at different moments.
const MISSING_TIME_DIVISOR: u32 = 10;
const MISSING_TIME_LEAST: Duration = Duration::from_millis(100);

/// How a peer closed, seen by an end that had sent all it wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerClose {
    /// It closed after this end had said that no more comes.
    Orderly,
    /// It had closed before that.
    Early,
    /// It reset the connection.
    Reset,
    /// It did not close in time.
    NotWithin {
        /// How long this end waited.
        waited: Duration,
        /// Bytes that it had not acknowledged then, where the system tells.
        unacknowledged: Option<u64>,
    },
}

/// What a client knows about a server that it sends to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerAnswer {
    /// It acknowledged the test.
    Acknowledged,
    /// It did not. (An iperf in compatibility mode never does.)
    Silent,
}

/// Whether the client showed a permit key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyShown {
    /// It did.
    Yes,
    /// It did not.
    No,
}

/// Judges a receiver's end of data: whether the sender sent for its time, or all its bytes.
///
/// An amount on the wire has 31 bits, so a sender may send more than it announced. A time counts as kept when at most a
/// tenth of it, or 0.1 s, is missing.
///
/// # Errors
/// [`EngineError::PeerVanished`] when the sender stopped early.
pub fn judge_received(
    announced: Limit,
    received_bytes: u64,
    elapsed: Duration,
) -> Result<(), EngineError> {
    match announced {
        Limit::Bytes(bytes) if received_bytes < bytes => {
            Err(vanished(format!("it closed after {received_bytes} of {bytes} bytes")))
        }
        Limit::Time(time) if elapsed < least_time(time) => Err(vanished(format!(
            "it closed after {:.2} s of {:.2} s",
            elapsed.as_secs_f64(),
            time.as_secs_f64()
        ))),
        _ => Ok(()),
    }
}

/// Judges a receiver that stopped because the time it asked for had passed, `waited` after its start, without an end of
/// data. `last_data` is when something came last, from the start.
///
/// # Errors
/// [`EngineError::NoData`] when nothing came at all, [`EngineError::PeerVanished`] when the sender fell silent long before
/// its time was over.
pub fn judge_overtime(
    time: Duration,
    received_bytes: u64,
    last_data: Duration,
    waited: Duration,
) -> Result<(), EngineError> {
    if received_bytes == 0 {
        return Err(EngineError::NoData { after: waited });
    }
    if last_data < least_time(time) {
        return Err(vanished(format!(
            "it fell silent after {:.2} s and did not close",
            last_data.as_secs_f64()
        )));
    }
    Ok(())
}

/// Judges a client that sent all it wanted.
///
/// # Errors
/// [`EngineError::KeyRefused`] or [`EngineError::PeerVanished`].
pub fn judge_sent(
    close: PeerClose,
    answer: ServerAnswer,
    key: KeyShown,
) -> Result<(), EngineError> {
    match (close, answer, key) {
        (PeerClose::Orderly, ServerAnswer::Silent, KeyShown::Yes) => Err(EngineError::KeyRefused),
        (PeerClose::Orderly, ..) => Ok(()),
        (PeerClose::Early, ..) => Err(closed_early("it closed the connection", answer, key)),
        (PeerClose::Reset, ..) => Err(closed_early("it reset the connection", answer, key)),
        (PeerClose::NotWithin { waited, unacknowledged }, ..) => {
            Err(vanished(not_closed(waited, unacknowledged)))
        }
    }
}

/// Judges a server that sent all that it was asked for. A client may reset the connection: one that has what it wanted
/// does not read the rest.
///
/// # Errors
/// [`EngineError::PeerVanished`] when the client neither took the rest nor closed.
pub fn judge_served(close: PeerClose) -> Result<(), EngineError> {
    match close {
        PeerClose::Orderly | PeerClose::Early | PeerClose::Reset => Ok(()),
        PeerClose::NotWithin { waited, unacknowledged } => {
            Err(vanished(not_closed(waited, unacknowledged)))
        }
    }
}

/// Why a client's connection ended before its data: `what` was seen. A server that refuses a key, or misses one, closes
/// without a word.
#[must_use]
pub fn closed_early(what: &str, answer: ServerAnswer, key: KeyShown) -> EngineError {
    match (answer, key) {
        (ServerAnswer::Silent, KeyShown::Yes) => EngineError::KeyRefused,
        (ServerAnswer::Silent, KeyShown::No) => {
            vanished(format!("{what} without having acknowledged the test"))
        }
        (ServerAnswer::Acknowledged, _) => vanished(format!("{what} before the end")),
    }
}

/// A peer that is gone.
pub fn vanished(reason: impl Into<String>) -> EngineError {
    EngineError::PeerVanished { reason: reason.into() }
}

fn least_time(time: Duration) -> Duration {
    time.saturating_sub((time / MISSING_TIME_DIVISOR).max(MISSING_TIME_LEAST))
}

fn not_closed(waited: Duration, unacknowledged: Option<u64>) -> String {
    let waited = waited.as_secs_f64();
    match unacknowledged {
        Some(bytes) if bytes > 0 => {
            format!("it had not taken the last {bytes} bytes {waited:.1} s after the end")
        }
        _ => format!("it did not close the connection within {waited:.1} s of the end"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn reason(result: Result<(), EngineError>) -> String {
        match result {
            Err(EngineError::PeerVanished { reason }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_sender_may_send_more_than_it_announced_but_not_less() {
        assert_eq!(judge_received(Limit::Bytes(1_000), 1_000, SECOND), Ok(()));
        assert_eq!(judge_received(Limit::Bytes(1 << 30), 3 << 30, SECOND), Ok(()));
        assert_eq!(
            reason(judge_received(Limit::Bytes(1_000), 999, SECOND)),
            "it closed after 999 of 1000 bytes"
        );
    }

    #[test]
    fn a_tenth_of_the_time_may_be_missing() {
        let time = Limit::Time(10 * SECOND);
        assert_eq!(judge_received(time, 0, 9 * SECOND), Ok(()));
        assert_eq!(
            reason(judge_received(time, 0, Duration::from_millis(8_990))),
            "it closed after 8.99 s of 10.00 s"
        );
        assert_eq!(
            judge_received(Limit::Time(Duration::from_millis(50)), 0, Duration::ZERO),
            Ok(())
        );
        assert_eq!(judge_received(Limit::Unlimited, 0, Duration::ZERO), Ok(()));
    }

    #[test]
    fn a_sender_that_goes_on_beyond_its_time_is_not_gone() {
        let waited = 12 * SECOND;
        assert_eq!(judge_overtime(10 * SECOND, 1, 12 * SECOND, waited), Ok(()));
        assert_eq!(
            judge_overtime(10 * SECOND, 0, Duration::ZERO, waited),
            Err(EngineError::NoData { after: waited })
        );
        let silent = judge_overtime(10 * SECOND, 1, 3 * SECOND, waited);
        assert_eq!(reason(silent), "it fell silent after 3.00 s and did not close");
    }

    #[test]
    fn a_key_that_was_shown_explains_a_server_that_closes_without_a_word() {
        let silent = ServerAnswer::Silent;
        for close in [PeerClose::Orderly, PeerClose::Early, PeerClose::Reset] {
            assert_eq!(judge_sent(close, silent, KeyShown::Yes), Err(EngineError::KeyRefused));
        }
        assert_eq!(
            reason(judge_sent(PeerClose::Reset, silent, KeyShown::No)),
            "it reset the connection without having acknowledged the test"
        );
    }

    #[test]
    fn a_server_in_compatibility_mode_ends_regularly() {
        assert_eq!(judge_sent(PeerClose::Orderly, ServerAnswer::Silent, KeyShown::No), Ok(()));
    }

    #[test]
    fn a_server_that_acknowledged_and_closed_early_has_vanished() {
        let judge = |close| judge_sent(close, ServerAnswer::Acknowledged, KeyShown::Yes);
        assert_eq!(judge(PeerClose::Orderly), Ok(()));
        assert_eq!(reason(judge(PeerClose::Early)), "it closed the connection before the end");
        assert_eq!(reason(judge(PeerClose::Reset)), "it reset the connection before the end");
    }

    #[test]
    fn a_peer_that_takes_nothing_is_told_from_one_that_only_does_not_close() {
        let close = |unacknowledged| PeerClose::NotWithin { waited: 10 * SECOND, unacknowledged };
        assert_eq!(
            reason(judge_served(close(Some(5)))),
            "it had not taken the last 5 bytes 10.0 s after the end"
        );
        let expected = "it did not close the connection within 10.0 s of the end";
        assert_eq!(reason(judge_served(close(Some(0)))), expected);
        assert_eq!(reason(judge_served(close(None))), expected);
        assert_eq!(judge_served(PeerClose::Reset), Ok(()));
    }
}
