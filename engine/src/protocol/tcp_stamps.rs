//! Whether the bursts of a TCP stream are stamped, and whether the stamps mean something.

use std::time::Duration;

use super::tcp_limits::TRIP_TIMES_CLOCK_TOLERANCE;
use crate::wire::WireTime;

/// Whether the bursts of a stream carry the times when they were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamps {
    /// They do.
    Present,
    /// They do not, or are not to be used.
    Absent,
}

/// Whether the start time of a peer's header is close enough to the own clock for trip times to mean something.
#[must_use]
pub fn clocks_agree(start: WireTime, now: Duration) -> bool {
    now.abs_diff(start.since_epoch()) <= TRIP_TIMES_CLOCK_TOLERANCE
}

/// A remark about clocks that do not agree.
#[must_use]
pub fn clocks_disagree_note(start: WireTime, now: Duration) -> String {
    format!(
        "no latency is measured: the clocks of the two ends are {:.0} s apart; synchronise them",
        now.abs_diff(start.since_epoch()).as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_may_differ_by_ten_minutes_either_way() {
        let start = WireTime { seconds: 10_000, microseconds: 0 };
        for (seconds, agree) in [(9_399, false), (9_400, true), (10_600, true), (10_601, false)] {
            assert_eq!(clocks_agree(start, Duration::from_secs(seconds)), agree, "{seconds}");
        }
        let note = clocks_disagree_note(start, Duration::from_secs(9_000));
        assert!(note.contains("1000 s apart"), "{note}");
    }
}
