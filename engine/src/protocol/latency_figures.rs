//! Latency figures as events carry them.

use crate::event::Latency;
use crate::stats::LatencyHistogram;

const NANOSECONDS_PER_SECOND: f64 = 1e9;

/// The figures of a histogram. Without samples all figures are zero, and so is the standard deviation of one sample.
#[must_use]
pub fn latency_figures(histogram: &LatencyHistogram) -> Latency {
    let summary = histogram.summary();
    let seconds = |nanoseconds: Option<f64>| nanoseconds.unwrap_or(0.0) / NANOSECONDS_PER_SECOND;
    Latency {
        count: histogram.count(),
        negative: histogram.negative(),
        mean: seconds(summary.mean()),
        min: seconds(summary.min()),
        max: seconds(summary.max()),
        stdev: seconds(summary.standard_deviation()),
        bins: histogram.bins().map(|bin| (bin.upper_nanoseconds, bin.count)).collect(),
    }
}
