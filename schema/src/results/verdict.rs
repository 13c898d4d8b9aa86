use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was concluded about an assertion, a flow, a case or a whole run.
///
/// The order of severity for a summary is `error` and `fail` first: see [`Verdict::worst`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Measured, trustworthy, and within the limit.
    Pass,
    /// Not run, with a reason.
    Skipped,
    /// Measured, but the number cannot be trusted enough to compare it.
    Inconclusive,
    /// Could not be measured: no data, flow died, host lost.
    Error,
    /// Measured, and outside the limit.
    Fail,
}

impl Verdict {
    /// Every verdict, in the order in which reports count them.
    pub const ALL: [Self; 5] =
        [Self::Pass, Self::Fail, Self::Error, Self::Inconclusive, Self::Skipped];

    /// The verdict that stands for both: fail over error over inconclusive over pass over skipped.
    ///
    /// Something that passed beside something that was skipped is a pass.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        if self.rank() >= other.rank() { self } else { other }
    }

    fn rank(self) -> u8 {
        match self {
            Self::Skipped => 0,
            Self::Pass => 1,
            Self::Inconclusive => 2,
            Self::Error => 3,
            Self::Fail => 4,
        }
    }

    /// The word used in every report and in `results.json`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Skipped => "skipped",
            Self::Inconclusive => "inconclusive",
            Self::Error => "error",
            Self::Fail => "fail",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_verdict_wins_whatever_the_order() {
        let order =
            [Verdict::Skipped, Verdict::Pass, Verdict::Inconclusive, Verdict::Error, Verdict::Fail];
        for (low, a) in order.iter().enumerate() {
            for b in &order[low..] {
                assert_eq!(a.worst(*b), *b);
                assert_eq!(b.worst(*a), *b);
            }
        }
    }
}
