use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Samples of a duration, summarised in constant space: exact moments and a sparse histogram.
///
/// One-way latencies between unsynchronised clocks may be negative; those samples are in the moments and are counted
/// in `negative`, and not in `bins`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    /// Number of samples.
    pub samples: u64,
    /// Number of samples below zero.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub negative: u64,
    /// Arithmetic mean.
    pub mean_seconds: f64,
    /// Smallest sample.
    pub min_seconds: f64,
    /// Largest sample.
    pub max_seconds: f64,
    /// Sample standard deviation (divided by n − 1); 0 for a single sample.
    pub stdev_seconds: f64,
    /// Non-empty bins in ascending order; relative width at most 0.1 %.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bins: Vec<Bin>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A bin of a [`Distribution`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bin {
    /// Highest value that falls into this bin, in nanoseconds.
    pub upper_nanoseconds: u64,
    /// Number of samples.
    pub count: u64,
}

impl Distribution {
    /// The value below or at which `percent` of the samples lie (nearest rank), in seconds.
    ///
    /// `percent` is in 0..=100. `None` without samples or bins. Never above the largest sample; where the rank falls
    /// on a negative sample the smallest sample is the answer, the conservative one for a lower bound being unknown.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "sample counts stay far below 2^52, and the product is not negative"
    )]
    pub fn percentile(&self, percent: f64) -> Option<f64> {
        if self.samples == 0 || !(0.0..=100.0).contains(&percent) {
            return None;
        }
        let rank = ((percent / 100.0 * self.samples as f64).ceil() as u64).clamp(1, self.samples);
        if rank <= self.negative {
            return Some(self.min_seconds);
        }
        let mut seen = self.negative;
        for bin in &self.bins {
            seen += bin.count;
            if seen >= rank {
                return Some((bin.upper_nanoseconds as f64 / 1e9).min(self.max_seconds));
            }
        }
        None
    }

    /// Pools several distributions into one, moments by the parallel form of Welford's method (Chan et al. 1979).
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "sample counts stay far below 2^52")]
    pub fn merge<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut merged: Option<Self> = None;
        let mut bins = std::collections::BTreeMap::<u64, u64>::new();
        for part in parts.into_iter().filter(|part| part.samples > 0) {
            for bin in &part.bins {
                *bins.entry(bin.upper_nanoseconds).or_default() += bin.count;
            }
            merged = Some(match merged {
                None => part.clone(),
                Some(sum) => {
                    let (n, m) = (sum.samples as f64, part.samples as f64);
                    let delta = part.mean_seconds - sum.mean_seconds;
                    let squares = sum.stdev_seconds.powi(2) * (n - 1.0)
                        + part.stdev_seconds.powi(2) * (m - 1.0)
                        + delta * delta * n * m / (n + m);
                    Self {
                        samples: sum.samples + part.samples,
                        negative: sum.negative + part.negative,
                        mean_seconds: sum.mean_seconds + delta * m / (n + m),
                        min_seconds: sum.min_seconds.min(part.min_seconds),
                        max_seconds: sum.max_seconds.max(part.max_seconds),
                        stdev_seconds: (squares / (n + m - 1.0)).max(0.0).sqrt(),
                        bins: Vec::new(),
                    }
                }
            });
        }
        merged.map(|sum| Self {
            bins: bins
                .into_iter()
                .map(|(upper_nanoseconds, count)| Bin { upper_nanoseconds, count })
                .collect(),
            ..sum
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::cast_possible_truncation, reason = "the samples are milliseconds")]
    fn of(samples: &[f64]) -> Distribution {
        let n = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / n;
        let squares = samples.iter().map(|s| (s - mean).powi(2)).sum::<f64>();
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Distribution {
            samples: samples.len() as u64,
            negative: 0,
            mean_seconds: mean,
            min_seconds: sorted[0],
            max_seconds: sorted[sorted.len() - 1],
            stdev_seconds: if n > 1.0 { (squares / (n - 1.0)).sqrt() } else { 0.0 },
            bins: sorted
                .iter()
                .map(|s| Bin { upper_nanoseconds: (s * 1e9).round() as u64, count: 1 })
                .collect(),
        }
    }

    #[test]
    fn percentiles_use_the_nearest_rank() {
        let d = of(&[0.001, 0.002, 0.003, 0.004]);
        assert_eq!(d.percentile(50.0), Some(0.002));
        assert_eq!(d.percentile(75.0), Some(0.003));
        assert_eq!(d.percentile(76.0), Some(0.004));
        assert_eq!(d.percentile(100.0), Some(0.004));
        assert_eq!(d.percentile(0.0), Some(0.001));
        assert_eq!(Distribution::default().percentile(50.0), None);
    }

    #[test]
    fn merging_equals_one_pass_over_all_samples() {
        let (a, b) = ([0.001, 0.005, 0.002], [0.010, 0.003]);
        let merged = Distribution::merge([&of(&a), &of(&b)]).expect("has samples");
        let whole = of(&[0.001, 0.005, 0.002, 0.010, 0.003]);
        assert!((merged.mean_seconds - whole.mean_seconds).abs() < 1e-12);
        assert!((merged.stdev_seconds - whole.stdev_seconds).abs() < 1e-12);
        assert_eq!(merged.bins, whole.bins);
        assert_eq!((merged.samples, merged.max_seconds), (5, 0.010));
        assert!(Distribution::merge([]).is_none());
    }
}
