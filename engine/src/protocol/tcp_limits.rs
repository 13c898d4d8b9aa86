//! How long the ends of a TCP stream wait for each other.
//!
//! Some limits are iperf's (protocol page section 3.2); where iperf waits for ever, these are ours.

use std::time::Duration;

use crate::config::Amount;

/// How long a blocking call may last before the loop around it looks at the clock and at the request to stop.
pub const POLL: Duration = Duration::from_millis(100);

/// How long a peer may take to accept a short message: a header or an acknowledgement.
pub const MESSAGE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a receiving client goes on reading after the time that it asked for; then it stops, as iperf does.
pub const REVERSE_OVERTIME: Duration = Duration::from_secs(2);

/// How long a transfer of a number of bytes may stand still before the peer counts as gone.
pub const STANDSTILL: Duration = Duration::from_secs(30);

/// How long a receiver that has all bytes it asked for waits for the sender's close.
pub const CLOSE_AFTER_AMOUNT: Duration = Duration::from_secs(2);

/// How long a sender waits, after its last write, for a peer that neither takes more of the rest nor closes.
pub const CLOSE_GRACE: Duration = Duration::from_secs(10);

/// How long a sender waits for a peer that takes the rest slowly, as at the end of a narrow link.
pub const DRAIN_LIMIT: Duration = Duration::from_secs(60);

/// How long a cancelled sender waits for the peer's close before it resets the connection.
pub const CANCELLED_CLOSE_GRACE: Duration = Duration::from_millis(300);

/// How much longer than its time a sender may take to complete the burst that it has begun.
pub const BURST_OVERTIME: Duration = Duration::from_secs(2);

/// Longest wait between connections of parallel streams when the amount sets no limit.
pub const BARRIER_WAIT_LIMIT: Duration = Duration::from_secs(60);

/// How far the start time of a header may be from the own clock before trip times mean nothing.
pub const TRIP_TIMES_CLOCK_TOLERANCE: Duration = Duration::from_secs(600);

/// Most bytes per write that a server uses at a client's wish; each connection has a buffer of its own.
pub const MAX_WRITE: usize = 1 << 20;

/// Most connections that a server serves at once.
pub const MAX_CONNECTIONS: usize = 4096;

/// Most bytes that a permit key behind a header may have to be read at all: iperf 2.1 sends up to 128.
pub const MAX_KEY: u16 = 128;

/// How long a write may make no progress until it counts as one error in the figures: half of the interval (a quarter
/// with parallel streams), or half of the time without interval; at least 1 ms, at most 1 s.
#[must_use]
pub fn write_timeout(interval: Option<Duration>, amount: Amount, parallel: u32) -> Duration {
    let timeout = match (interval, amount) {
        (Some(interval), _) if parallel > 1 => interval / 4,
        (Some(interval), _) => interval / 2,
        (None, Amount::Time(time)) => time / 2,
        (None, Amount::Bytes(_)) => Duration::MAX,
    };
    timeout.clamp(Duration::from_millis(1), Duration::from_secs(1))
}

/// How long a client's stream waits for its siblings to connect: the time of the test, at least a second.
#[must_use]
pub fn barrier_wait(amount: Amount) -> Duration {
    match amount {
        Amount::Time(time) => time.max(Duration::from_secs(1)),
        Amount::Bytes(_) => BARRIER_WAIT_LIMIT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_timeouts_follow_the_interval_and_are_capped() {
        let seconds = Duration::from_secs;
        let time = Amount::Time(seconds(10));
        assert_eq!(write_timeout(Some(seconds(1)), time, 1), Duration::from_millis(500));
        assert_eq!(write_timeout(Some(seconds(1)), time, 2), Duration::from_millis(250));
        assert_eq!(write_timeout(Some(seconds(60)), time, 1), seconds(1));
        assert_eq!(write_timeout(None, Amount::Time(seconds(1)), 1), Duration::from_millis(500));
        assert_eq!(write_timeout(None, Amount::Bytes(1), 4), seconds(1));
        assert_eq!(write_timeout(Some(Duration::ZERO), time, 1), Duration::from_millis(1));
    }

    #[test]
    fn streams_wait_for_each_other_at_least_a_second() {
        assert_eq!(barrier_wait(Amount::Time(Duration::from_millis(10))), Duration::from_secs(1));
        assert_eq!(barrier_wait(Amount::Time(Duration::from_secs(5))), Duration::from_secs(5));
        assert_eq!(barrier_wait(Amount::Bytes(1)), BARRIER_WAIT_LIMIT);
    }
}
