//! The only place where the engine reads a clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Wall-clock time since 1970-01-01 UTC; zero for a clock set before that.
#[must_use]
pub fn wall() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The moment `wait` after `start`. A wait that no clock can count, as a user may ask for, ends in thirty years.
#[must_use]
pub fn later(start: Instant, wait: Duration) -> Instant {
    const THIRTY_YEARS: Duration = Duration::from_secs(30 * 365 * 24 * 3600);
    start.checked_add(wait).unwrap_or_else(|| start + THIRTY_YEARS)
}

/// Monotonic time.
#[must_use]
pub fn monotonic() -> Instant {
    Instant::now()
}
