use std::fmt;

/// A statistic over samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stat {
    /// Arithmetic mean.
    Mean,
    /// Smallest sample.
    Min,
    /// Largest sample.
    Max,
    /// Sample standard deviation.
    Stdev,
    /// The 50th percentile.
    Median,
    /// The value below or at which so many percent of the samples lie; above 0 and below 100.
    Percentile(f64),
}

impl Stat {
    /// The names of the statistics, `p95` standing for all percentiles.
    pub(super) const NAMES: [&'static str; 6] = ["mean", "min", "max", "stdev", "median", "p95"];

    /// What people call a statistic elsewhere, and its name here.
    pub(super) const OTHER_NAMES: &'static [(&'static str, &'static str)] = &[
        ("avg", "mean"),
        ("average", "mean"),
        ("minimum", "min"),
        ("maximum", "max"),
        ("std", "stdev"),
        ("stddev", "stdev"),
        ("sd", "stdev"),
        ("percentile", "p95"),
        ("quantile", "p95"),
    ];

    /// The statistic that is named without a number.
    pub(super) fn find(name: &str) -> Option<Self> {
        Some(match name {
            "mean" => Self::Mean,
            "min" => Self::Min,
            "max" => Self::Max,
            "stdev" => Self::Stdev,
            "median" => Self::Median,
            _ => return None,
        })
    }

    /// The percentage below which the samples are asked for, of a percentile or the median.
    #[must_use]
    pub fn percent(self) -> Option<f64> {
        match self {
            Self::Median => Some(50.0),
            Self::Percentile(percent) => Some(percent),
            Self::Mean | Self::Min | Self::Max | Self::Stdev => None,
        }
    }

    /// How many samples it takes to trust it: `1/(1 − p)` for a percentile above the median, `1/p` below, 2 for a
    /// deviation.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the smallest share is above 0; a cast from f64 saturates"
    )]
    pub fn samples_needed(self) -> u64 {
        match self {
            Self::Mean | Self::Min | Self::Max => 1,
            Self::Stdev => 2,
            Self::Median => 2,
            // The tolerance keeps 100 − 99.9 from asking for 1001 samples.
            Self::Percentile(percent) => {
                (100.0 / percent.min(100.0 - percent) - 1e-6).ceil().max(1.0) as u64
            }
        }
    }
}

impl fmt::Display for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => f.pad("mean"),
            Self::Min => f.pad("min"),
            Self::Max => f.pad("max"),
            Self::Stdev => f.pad("stdev"),
            Self::Median => f.pad("median"),
            Self::Percentile(percent) => f.pad(&format!("p{percent}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_needs_samples_beyond_it() {
        for (percent, needed) in [
            (95.0, 20),
            (99.0, 100),
            (99.9, 1000),
            (99.99, 10_000),
            (50.0, 2),
            (5.0, 20),
            (90.0, 10),
        ] {
            assert_eq!(Stat::Percentile(percent).samples_needed(), needed, "p{percent}");
        }
    }
}
