//! The only place where the engine reads a clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Wall-clock time since 1970-01-01 UTC; zero for a clock set before that.
#[must_use]
pub fn wall() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Monotonic time.
#[must_use]
pub fn monotonic() -> Instant {
    Instant::now()
}
