//! Time for UDP flows: monotonic for schedules and intervals, time of day for what goes over the wire.

use std::time::{Duration, Instant};

use super::clock;
use crate::wire::WireTime;

/// A receive time that is older than this belongs to a clock that was set since.
const OLDEST_ARRIVAL: Duration = Duration::from_secs(10);

/// A monotonic clock that starts at zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct UdpClock {
    origin: Instant,
}

/// Two readings at the same moment, for the datagrams that were received with one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReceiveTime {
    now: Duration,
    time_of_day: Duration,
}

impl UdpClock {
    pub(super) fn start() -> Self {
        Self { origin: clock::monotonic() }
    }

    pub(super) fn now(&self) -> Duration {
        clock::monotonic().saturating_duration_since(self.origin)
    }

    pub(super) fn receive_time(&self) -> ReceiveTime {
        ReceiveTime { now: self.now(), time_of_day: clock::wall() }
    }
}

impl ReceiveTime {
    /// When a datagram arrived: monotonic, and the time of day. Without the kernel's word for it, it arrived now.
    pub(super) fn of_arrival(&self, kernel: Option<Duration>) -> (Duration, Duration) {
        let Some(time_of_day) = kernel else {
            return (self.now, self.time_of_day);
        };
        let age = self.time_of_day.saturating_sub(time_of_day);
        let age = if age > OLDEST_ARRIVAL { Duration::ZERO } else { age };
        (self.now.saturating_sub(age), time_of_day)
    }
}

/// The time of day as it goes over the wire.
pub(super) fn wire_time() -> WireTime {
    WireTime::from_since_epoch(clock::wall())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_datagram_arrived_when_the_kernel_says() {
        let time = ReceiveTime { now: 50 * SECOND, time_of_day: 1_000 * SECOND };
        let kernel = 1_000 * SECOND - Duration::from_millis(3);
        assert_eq!(time.of_arrival(Some(kernel)), (50 * SECOND - Duration::from_millis(3), kernel));
        assert_eq!(time.of_arrival(None), (50 * SECOND, 1_000 * SECOND));
    }

    #[test]
    fn a_clock_that_was_set_moves_no_arrival() {
        let time = ReceiveTime { now: 50 * SECOND, time_of_day: 1_000 * SECOND };
        for kernel in [900 * SECOND, 1_100 * SECOND] {
            assert_eq!(time.of_arrival(Some(kernel)), (50 * SECOND, kernel));
        }
    }
}
