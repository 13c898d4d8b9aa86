//! Which unfinished interval is worth a row of its own.

use std::time::Duration;

use crate::stats::Span;

/// Whether what a flow leaves of its last interval is long enough to be reported: a quarter of an interval, as in iperf.
///
/// The end marker of a flow comes right after its time is over, and a row for the microseconds between them would show
/// a rate that nobody sent. The totals have everything.
#[must_use]
pub fn is_worth_reporting(rest: &Span, interval: Option<Duration>) -> bool {
    interval.is_some_and(|interval| rest.length() * 4 > interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_quarter_of_an_interval_is_reported() {
        let rest =
            |end| Span { index: 2, start: Duration::from_secs(2), end: Duration::from_millis(end) };
        let interval = Some(Duration::from_secs(1));
        assert!(!is_worth_reporting(&rest(2250), interval));
        assert!(is_worth_reporting(&rest(2251), interval));
        assert!(!is_worth_reporting(&rest(2900), None));
    }
}
