//! The distribution of latencies.

use hdrhistogram::Histogram;

use super::Summary;

const MAX_NANOSECONDS: u64 = 3_600_000_000_000;
const SIGNIFICANT_DIGITS: u8 = 3;

/// A non-empty bin of a [`LatencyHistogram`]: both bounds belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bin {
    /// Least latency that falls into the bin, in nanoseconds.
    pub lower_nanoseconds: u64,
    /// Largest latency that falls into the bin, in nanoseconds.
    pub upper_nanoseconds: u64,
    /// Number of samples.
    pub count: u64,
}

/// Exact moments and a histogram of durations from 0 to one hour with three significant digits (0.1 %), in at most 300 KB.
///
/// Longer samples count as one hour in the histogram, exactly in the moments. Negative samples (clocks that differ) are
/// counted apart, are part of the moments, and rank below all others.
#[derive(Debug, Clone)]
pub struct LatencyHistogram {
    histogram: Histogram<u64>,
    negative: u64,
    summary: Summary,
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self::new()
    }
}

impl LatencyHistogram {
    /// An empty histogram.
    ///
    /// # Panics
    /// Never: three significant digits are within the limits of the histogram.
    #[must_use]
    pub fn new() -> Self {
        let histogram = Histogram::new(SIGNIFICANT_DIGITS).expect("three digits are allowed");
        Self { histogram, negative: 0, summary: Summary::default() }
    }

    /// Takes a sample in nanoseconds.
    #[expect(
        clippy::cast_precision_loss,
        reason = "samples above 2^53 ns (104 days) may lose a nanosecond"
    )]
    pub fn record(&mut self, nanoseconds: i64) {
        self.summary.record(nanoseconds as f64);
        match u64::try_from(nanoseconds) {
            Ok(nanoseconds) => self.add(nanoseconds, 1),
            Err(_) => self.negative += 1,
        }
    }

    /// Adds the samples of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for bin in other.bins() {
            self.add(bin.upper_nanoseconds, bin.count);
        }
        self.negative += other.negative;
        self.summary.merge(&other.summary);
    }

    /// Forgets all samples and keeps the memory.
    pub fn clear(&mut self) {
        self.histogram.reset();
        self.negative = 0;
        self.summary = Summary::default();
    }

    /// Number of samples, negative ones included.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.summary.count()
    }

    /// Number of negative samples.
    #[must_use]
    pub fn negative(&self) -> u64 {
        self.negative
    }

    /// Moments of all samples, in nanoseconds.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The latency in nanoseconds that `percent` of the samples do not exceed (nearest rank, upper bound of its bin).
    ///
    /// `None` without samples, for a percentage outside 0 to 100, and when the rank falls among negative samples.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count of samples stays far below 2^53, and the rank is between 1 and the count"
    )]
    pub fn percentile(&self, percent: f64) -> Option<u64> {
        if self.count() == 0 || !(0.0..=100.0).contains(&percent) {
            return None;
        }
        // The factor keeps 99.9 % of 1000 samples at rank 999 although 99.9 is not a binary fraction.
        let rank = (percent / 100.0 * self.count() as f64 * (1.0 - 1e-12)).ceil().max(1.0) as u64;
        let rank = rank.checked_sub(self.negative).filter(|rank| *rank > 0)?;
        let mut below = 0;
        self.histogram.iter_recorded().find_map(|bin| {
            below += bin.count_since_last_iteration();
            (below >= rank).then(|| self.upper(bin.value_iterated_to()))
        })
    }

    /// The non-empty bins from short to long. Negative samples are in none.
    pub fn bins(&self) -> impl Iterator<Item = Bin> {
        self.histogram.iter_recorded().map(|bin| Bin {
            lower_nanoseconds: self.histogram.lowest_equivalent(bin.value_iterated_to()),
            upper_nanoseconds: self.upper(bin.value_iterated_to()),
            count: bin.count_since_last_iteration(),
        })
    }

    /// Adds to a bin; the histogram grows until it reaches one hour.
    fn add(&mut self, nanoseconds: u64, count: u64) {
        let nanoseconds = nanoseconds.min(MAX_NANOSECONDS);
        if self.histogram.record_n(nanoseconds, count).is_err() {
            // Only where memory cannot be addressed: the largest bin that exists takes the samples.
            self.histogram.saturating_record_n(nanoseconds, count);
        }
    }

    fn upper(&self, value: u64) -> u64 {
        self.histogram.highest_equivalent(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(samples: impl IntoIterator<Item = i64>) -> LatencyHistogram {
        let mut histogram = LatencyHistogram::new();
        for sample in samples {
            histogram.record(sample);
        }
        histogram
    }

    #[test]
    fn percentiles_use_the_nearest_rank() {
        let histogram = of(1..=1000);
        assert_eq!(histogram.percentile(50.0), Some(500));
        assert_eq!(histogram.percentile(95.0), Some(950));
        assert_eq!(histogram.percentile(99.9), Some(999));
        assert_eq!(histogram.percentile(100.0), Some(1000));
        assert_eq!(histogram.percentile(0.0), Some(1));
    }

    #[test]
    fn percentiles_outside_the_scale_and_of_nothing_are_absent() {
        assert_eq!(of([]).percentile(50.0), None);
        assert_eq!(of([1]).percentile(100.1), None);
        assert_eq!(of([1]).percentile(f64::NAN), None);
    }

    #[test]
    fn negative_samples_rank_below_all_others() {
        let histogram = of([-5, -4, 10, 20]);
        assert_eq!((histogram.count(), histogram.negative()), (4, 2));
        assert_eq!(histogram.percentile(50.0), None);
        assert_eq!(histogram.percentile(75.0), Some(10));
        assert_eq!(histogram.summary().min(), Some(-5.0));
    }

    #[test]
    fn a_sample_above_one_hour_stays_exact_in_the_moments() {
        let day = 86_400_000_000_000;
        let histogram = of([day]);
        assert_eq!(histogram.summary().max(), Some(86_400_000_000_000.0));
        let bin = histogram.bins().next().unwrap();
        assert!(
            bin.lower_nanoseconds <= MAX_NANOSECONDS && MAX_NANOSECONDS <= bin.upper_nanoseconds
        );
    }

    #[test]
    fn clearing_starts_an_interval_from_nothing() {
        let mut histogram = of([1, 2, -3]);
        histogram.clear();
        assert_eq!((histogram.count(), histogram.negative(), histogram.bins().count()), (0, 0, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_sample_lies_in_its_bin_and_bins_are_narrow(sample in 0..3_600_000_000_000_i64) {
            let histogram = of([sample]);
            let bin = histogram.bins().next().unwrap();
            let sample = u64::try_from(sample).unwrap();
            prop_assert!(bin.lower_nanoseconds <= sample && sample <= bin.upper_nanoseconds);
            prop_assert!(bin.upper_nanoseconds - bin.lower_nanoseconds <= sample / 1000 + 1);
        }

        #[test]
        fn merging_equals_recording_everything_in_one(
            first in prop::collection::vec(-100_000..1_000_000_000_000_i64, 0..60),
            second in prop::collection::vec(-100_000..1_000_000_000_000_i64, 0..60),
        ) {
            let whole = of(first.iter().chain(&second).copied());
            let mut merged = of(first);
            merged.merge(&of(second));
            prop_assert_eq!(merged.bins().collect::<Vec<_>>(), whole.bins().collect::<Vec<_>>());
            prop_assert_eq!((merged.count(), merged.negative()), (whole.count(), whole.negative()));
            prop_assert_eq!(merged.percentile(90.0), whole.percentile(90.0));
        }

        #[test]
        fn bins_hold_all_samples_that_are_not_negative(samples in prop::collection::vec(-1000..1_000_000_i64, 0..100)) {
            let histogram = of(samples);
            let binned: u64 = histogram.bins().map(|bin| bin.count).sum();
            prop_assert_eq!(binned + histogram.negative(), histogram.count());
        }
    }
}
