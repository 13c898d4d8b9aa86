//! Exact moments of a series of samples.

/// Count, mean, extremes and standard deviation of a series, by Welford's method (Knuth, *The Art of Computer Programming*,
/// volume 2, section 4.2.2). The unit is that of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    count: u64,
    sum: f64,
    mean: f64,
    squares: f64,
    min: f64,
    max: f64,
    last_deviation: f64,
}

impl Summary {
    /// Takes a sample. Samples that are no finite number are ignored.
    #[expect(clippy::cast_precision_loss, reason = "a count of samples stays far below 2^53")]
    pub fn record(&mut self, sample: f64) {
        if !sample.is_finite() {
            return;
        }
        self.min = if self.count == 0 { sample } else { self.min.min(sample) };
        self.max = if self.count == 0 { sample } else { self.max.max(sample) };
        self.count += 1;
        self.sum += sample;
        self.last_deviation = sample - self.mean;
        self.mean += self.last_deviation / self.count as f64;
        self.squares += self.last_deviation * (sample - self.mean);
    }

    /// Adds the samples of another series (Chan, Golub and LeVeque, *Updating formulae and a pairwise algorithm for
    /// computing sample variances*, 1979).
    #[expect(clippy::cast_precision_loss, reason = "a count of samples stays far below 2^53")]
    pub fn merge(&mut self, other: &Self) {
        if self.count == 0 || other.count == 0 {
            if self.count == 0 {
                *self = *other;
            }
            return;
        }
        let (ours, theirs) = (self.count as f64, other.count as f64);
        let difference = other.mean - self.mean;
        self.mean += difference * theirs / (ours + theirs);
        self.squares += other.squares + difference * difference * ours * theirs / (ours + theirs);
        self.sum += other.sum;
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.last_deviation = other.last_deviation;
    }

    /// Number of samples.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Sum of the samples.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Mean; `None` without samples.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// Smallest sample; `None` without samples.
    #[must_use]
    pub fn min(&self) -> Option<f64> {
        (self.count > 0).then_some(self.min)
    }

    /// Largest sample; `None` without samples.
    #[must_use]
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    /// Sample standard deviation (divided by count − 1); `None` below two samples.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a count of samples stays far below 2^53")]
    pub fn standard_deviation(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.squares.max(0.0) / (self.count - 1) as f64).sqrt())
    }

    /// Sum of the squared deviations from the mean (M2).
    #[must_use]
    pub fn squared_deviations(&self) -> f64 {
        self.squares
    }

    /// Last sample − mean of those before it, as the UDP report has it.
    #[must_use]
    pub fn last_deviation(&self) -> f64 {
        self.last_deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(samples: &[f64]) -> Summary {
        let mut summary = Summary::default();
        for sample in samples {
            summary.record(*sample);
        }
        summary
    }

    // Deviations from the mean 5: 9, 1, 1, 1, 0, 0, 4, 16 → 32; sample variance 32/7.
    #[test]
    fn moments_match_the_values_computed_by_hand() {
        let summary = of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((summary.count(), summary.mean(), summary.sum()), (8, Some(5.0), 40.0));
        assert_eq!((summary.min(), summary.max()), (Some(2.0), Some(9.0)));
        assert!((summary.squared_deviations() - 32.0).abs() < 1e-12);
        assert!((summary.standard_deviation().unwrap() - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn extremes_of_negative_samples_are_not_zero() {
        let summary = of(&[-3.0, -1.0]);
        assert_eq!((summary.min(), summary.max()), (Some(-3.0), Some(-1.0)));
    }

    #[test]
    fn too_few_samples_give_no_figure_rather_than_zero() {
        assert_eq!((of(&[]).mean(), of(&[]).min(), of(&[]).max()), (None, None, None));
        assert_eq!(of(&[1.0]).standard_deviation(), None);
        assert_eq!(of(&[f64::NAN, f64::INFINITY]).count(), 0);
    }

    // The textbook formula (sum of squares − square of sum) gives 0 or worse here.
    #[test]
    fn a_large_offset_does_not_drown_the_deviation() {
        let summary = of(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]);
        assert!((summary.standard_deviation().unwrap() - 30.0_f64.sqrt()).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn merging_two_parts_equals_one_series(
            first in prop::collection::vec(-1e6..1e6, 0..40),
            second in prop::collection::vec(-1e6..1e6, 0..40),
        ) {
            let whole = of(&[first.clone(), second.clone()].concat());
            let mut merged = of(&first);
            merged.merge(&of(&second));
            prop_assert_eq!(merged.count(), whole.count());
            prop_assert_eq!((merged.min(), merged.max()), (whole.min(), whole.max()));
            let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
                (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * (1.0 + b.abs()),
                (a, b) => a == b,
            };
            prop_assert!(close(merged.mean(), whole.mean()));
            prop_assert!(close(merged.standard_deviation(), whole.standard_deviation()));
        }
    }
}
