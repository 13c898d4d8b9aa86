//! How many end markers were lost before the one that came.

/// Time after which an iperf client repeats a FIN that nobody answers; more passes when it is busy.
const REPETITION_NANOSECONDS: i64 = 10_000_000;

/// How many FINs a client sent before the one that came: at least and at most.
///
/// iperf numbers each repetition one higher but stamps it with the time of the first, so only its transit time tells a
/// repetition from a first FIN. Recorded first repetitions came 10 to 28 ms after the first FIN, later ones 10 to 25 ms
/// after each other: the time bounds their number, it does not give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FinRepetitions {
    /// So many were sent for certain.
    pub least: u64,
    /// No more than this were sent.
    pub most: u64,
}

impl FinRepetitions {
    /// The FIN is the first, or its sender does not number repetitions.
    pub const NONE: Self = Self { least: 0, most: 0 };

    /// Bounds from the transit time (receive time − send time) of a FIN and the shortest and longest of the data before it.
    #[must_use]
    pub fn from_transit(
        fin_nanoseconds: i64,
        shortest_nanoseconds: i64,
        longest_nanoseconds: i64,
    ) -> Self {
        let after_longest = fin_nanoseconds.saturating_sub(longest_nanoseconds);
        let after_shortest = fin_nanoseconds.saturating_sub(shortest_nanoseconds);
        let least = u64::from(after_longest >= REPETITION_NANOSECONDS);
        let most = u64::try_from(after_shortest / REPETITION_NANOSECONDS).unwrap_or(0);
        Self { least, most: most.max(least) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    #[test]
    fn a_fin_as_fast_as_the_data_is_the_first() {
        assert_eq!(FinRepetitions::from_transit(9 * MS, 0, 2 * MS), FinRepetitions::NONE);
        assert_eq!(FinRepetitions::from_transit(-500 * MS, 0, 2 * MS), FinRepetitions::NONE);
    }

    // The transit times of real repetitions, from the captures of 2.1.8 and 2.2.1 clients.
    #[test]
    fn bounds_hold_for_recorded_repetitions() {
        let recorded = [
            (1, 20_030),
            (1, 10_186),
            (2, 23_737),
            (3, 49_140),
            (4, 61_476),
            (1, 28_037),
            (1, 12_459),
        ];
        for (repetitions, microseconds) in recorded {
            let bounds = FinRepetitions::from_transit(microseconds * 1000, 0, 0);
            assert!(
                bounds.least <= repetitions && repetitions <= bounds.most,
                "{microseconds} µs: {bounds:?}"
            );
            assert!(bounds.least > 0);
        }
    }

    #[test]
    fn a_queue_that_drains_leaves_the_number_open() {
        let bounds = FinRepetitions::from_transit(30 * MS, MS, 50 * MS);
        assert_eq!(bounds, FinRepetitions { least: 0, most: 2 });
    }
}
