//! Interarrival jitter.

/// Interarrival jitter as RFC 3550 defines it (section 6.4.1, and the code of appendix A.8).
///
/// With the transit time of a datagram = receive time − send time, D is the difference of the transit times of two
/// datagrams that arrived one after the other, and `J += (|D| − J) / 16`. The unit is seconds here, not timestamp ticks. The
/// offset between the clocks cancels out.
///
/// The first datagram only sets the reference. Datagrams that came late or twice are not to be passed in: their transit
/// time says when the network let go of them, not how evenly it delivers. iperf 2.2 leaves out the first datagram of a flow
/// altogether; a receiver that wants its figures calls [`Self::record`] from the second one on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Jitter {
    previous_transit_nanoseconds: Option<i64>,
    estimate_seconds: f64,
    sum_of_estimates_seconds: f64,
    estimates: u64,
}

impl Jitter {
    /// Takes the transit time of the next datagram in order. Returns |D| in seconds, or `None` for the first.
    #[expect(
        clippy::cast_precision_loss,
        reason = "differences above 2^53 ns (104 days) may lose a nanosecond"
    )]
    pub fn record(&mut self, transit_nanoseconds: i64) -> Option<f64> {
        let previous = self.previous_transit_nanoseconds.replace(transit_nanoseconds)?;
        let difference_seconds = transit_nanoseconds.abs_diff(previous) as f64 / 1e9;
        self.estimate_seconds += (difference_seconds - self.estimate_seconds) / 16.0;
        self.sum_of_estimates_seconds += self.estimate_seconds;
        self.estimates += 1;
        Some(difference_seconds)
    }

    /// Takes the transit time of a datagram that is compared with none before it: the next call of [`Self::record`]
    /// compares with this one. iperf does this at each new isochronous frame.
    pub fn set_reference(&mut self, transit_nanoseconds: i64) {
        self.previous_transit_nanoseconds = Some(transit_nanoseconds);
    }

    /// The current estimate J in seconds; `None` before the second datagram.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        (self.estimates > 0).then_some(self.estimate_seconds)
    }

    /// The mean of all estimates so far in seconds, which iperf 2.2 puts into its final row and report; `None` before the
    /// second datagram.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a count of samples stays far below 2^53")]
    pub fn mean_seconds(&self) -> Option<f64> {
        (self.estimates > 0).then(|| self.sum_of_estimates_seconds / self.estimates as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn after(transits: &[i64]) -> Jitter {
        let mut jitter = Jitter::default();
        for transit in transits {
            jitter.record(*transit);
        }
        jitter
    }

    fn assert_close(value: Option<f64>, expected: f64) {
        assert!((value.unwrap() - expected).abs() < 1e-15, "{value:?} is not {expected}");
    }

    // RFC 3550 appendix A.8 by hand: D = 4 ms, 4 ms, 0, 16 ms.
    // J1 = 4/16 = 0.25; J2 = 0.25 + 3.75/16 = 0.484375; J3 = J2·15/16 = 0.4541015625; J4 = J3 + (16 − J3)/16 = 1.42572021484375
    #[test]
    fn estimates_follow_the_code_of_rfc_3550() {
        let transits = [10 * MS, 14 * MS, 10 * MS, 10 * MS, 26 * MS];
        assert_close(after(&transits[..2]).seconds(), 0.25e-3);
        assert_close(after(&transits[..3]).seconds(), 0.484_375e-3);
        assert_close(after(&transits[..4]).seconds(), 0.454_101_562_5e-3);
        assert_close(after(&transits).seconds(), 1.425_720_214_843_75e-3);
    }

    #[test]
    fn the_mean_is_over_the_estimates_not_over_the_differences() {
        let jitter = after(&[10 * MS, 14 * MS, 10 * MS]);
        assert_close(jitter.mean_seconds(), (0.25e-3 + 0.484_375e-3) / 2.0);
    }

    #[test]
    fn one_datagram_gives_no_jitter() {
        assert_eq!(after(&[5 * MS]).seconds(), None);
        assert_eq!(after(&[5 * MS]).mean_seconds(), None);
    }

    #[test]
    fn an_offset_of_the_clocks_changes_nothing() {
        let offset = -3_600_000 * MS;
        let transits = [10 * MS, 14 * MS, 9 * MS, 30 * MS];
        assert_eq!(
            after(&transits).seconds(),
            after(&transits.map(|transit| transit + offset)).seconds()
        );
    }

    #[test]
    fn a_new_reference_leaves_the_estimate_alone() {
        let mut jitter = after(&[0, 16 * MS]);
        jitter.set_reference(500 * MS);
        assert_close(jitter.seconds(), 1e-3);
        assert_eq!(jitter.record(500 * MS), Some(0.0));
        assert_close(jitter.seconds(), 15e-3 / 16.0);
    }

    #[test]
    fn extreme_transit_times_do_not_overflow() {
        let jitter = after(&[i64::MIN, i64::MAX]);
        assert!(jitter.seconds().unwrap().is_finite());
    }
}
