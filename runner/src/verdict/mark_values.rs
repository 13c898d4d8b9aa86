//! How often datagrams had each value of a mark.

use std::collections::BTreeMap;

use linerate_schema::assertion::Stat;
use linerate_schema::results::ReceivedMarks;
use linerate_schema::units::Dimension;

use super::figure::count;

/// So many different values are listed; what is beyond that is only counted.
const LISTED: usize = 5;

/// The values of a mark, and how many datagrams had each; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkValues(BTreeMap<u8, u64>);

impl MarkValues {
    /// `None` when no datagram told its DSCP.
    pub(super) fn of_dscps(marks: &ReceivedMarks) -> Option<Self> {
        Self::of(marks.dscp.iter().map(|(dscp, count)| (dscp.number(), *count)))
    }

    /// `None` when no datagram told its time to live.
    pub(super) fn of_times_to_live(marks: &ReceivedMarks) -> Option<Self> {
        Self::of(marks.ttl.iter().map(|(ttl, count)| (*ttl, *count)))
    }

    fn of(counts: impl Iterator<Item = (u8, u64)>) -> Option<Self> {
        let counts: BTreeMap<_, _> = counts.filter(|(_, count)| *count > 0).collect();
        (!counts.is_empty()).then_some(Self(counts))
    }

    /// Those of several streams together.
    pub(super) fn merge<'a>(parts: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let mut sum = BTreeMap::<u8, u64>::new();
        for (value, count) in parts.flat_map(|part| &part.0) {
            let seen = sum.entry(*value).or_default();
            *seen = seen.saturating_add(*count);
        }
        Self::of(sum.into_iter())
    }

    /// The values that were seen, ascending.
    pub(super) fn values(&self) -> impl Iterator<Item = f64> {
        self.0.keys().map(|value| f64::from(*value))
    }

    /// Number of datagrams.
    pub(super) fn total(&self) -> u64 {
        self.0.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The value of most datagrams.
    pub(super) fn most_frequent(&self) -> f64 {
        let most = self.0.iter().max_by_key(|(_, count)| **count);
        most.map_or(f64::NAN, |(value, _)| f64::from(*value))
    }

    /// A statistic over the datagrams, percentiles by nearest rank.
    pub(super) fn statistic(&self, stat: Stat) -> f64 {
        let total = count(self.total());
        let each = || self.0.iter().map(|(value, seen)| (f64::from(*value), count(*seen)));
        let mean = each().map(|(value, seen)| value * seen).sum::<f64>() / total;
        match stat {
            Stat::Mean => mean,
            Stat::Min => self.values().fold(f64::INFINITY, f64::min),
            Stat::Max => self.values().fold(f64::NEG_INFINITY, f64::max),
            Stat::Stdev => {
                let squares = each().map(|(value, seen)| (value - mean).powi(2) * seen);
                (squares.sum::<f64>() / (total - 1.0).max(1.0)).sqrt()
            }
            Stat::Median => self.percentile(50.0),
            Stat::Percentile(percent) => self.percentile(percent),
        }
    }

    fn percentile(&self, percent: f64) -> f64 {
        let rank = (percent / 100.0 * count(self.total()) - 1e-9).ceil().max(1.0);
        let mut seen = 0.0;
        let reached = self.0.iter().find(|(_, datagrams)| {
            seen += count(**datagrams);
            seen >= rank
        });
        reached.map_or(f64::NAN, |(value, _)| f64::from(*value))
    }

    /// `ef in all 1000 datagrams`, `ef in 990 and cs0 in 10 of 1000 datagrams`; the most frequent first.
    pub(super) fn text(&self, dimension: Dimension) -> String {
        let mut values: Vec<(u8, u64)> =
            self.0.iter().map(|(value, seen)| (*value, *seen)).collect();
        values.sort_by_key(|(_, seen)| std::cmp::Reverse(*seen));
        let name = |value: u8| dimension.format(f64::from(value));
        let total = self.total();
        if let [(value, seen)] = values[..] {
            return match seen {
                1 => format!("{} in the only datagram", name(value)),
                _ => format!("{} in all {total} datagrams", name(value)),
            };
        }
        let mut parts: Vec<String> = values
            .iter()
            .take(LISTED)
            .map(|(value, seen)| format!("{} in {seen}", name(*value)))
            .collect();
        let rest: u64 = values.iter().skip(LISTED).map(|(_, seen)| *seen).sum();
        if rest > 0 {
            parts.push(format!("{} others in {rest}", values.len() - LISTED));
        }
        let last = parts.pop().unwrap_or_default();
        format!("{} and {last} of {total} datagrams", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(counts: &[(u8, u64)]) -> MarkValues {
        MarkValues::of(counts.iter().copied()).unwrap()
    }

    #[test]
    fn statistics_are_those_of_the_single_datagrams() {
        // 60, 60, 62, 64: mean 61.5, sum of squared deviations 11.
        let marks = of(&[(60, 2), (62, 1), (64, 1)]);
        assert_eq!(marks.statistic(Stat::Mean), 61.5);
        assert_eq!((marks.statistic(Stat::Min), marks.statistic(Stat::Max)), (60.0, 64.0));
        assert!((marks.statistic(Stat::Stdev) - (11.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(marks.statistic(Stat::Median), 60.0);
        assert_eq!(marks.statistic(Stat::Percentile(75.0)), 62.0);
        assert_eq!(marks.statistic(Stat::Percentile(75.1)), 64.0);
        assert_eq!(of(&[(7, 1)]).statistic(Stat::Stdev), 0.0);
    }

    #[test]
    fn values_are_told_with_the_most_frequent_first() {
        let text = |counts: &[(u8, u64)]| of(counts).text(Dimension::Dscp);
        assert_eq!(text(&[(46, 1)]), "ef in the only datagram");
        assert_eq!(text(&[(46, 1000)]), "ef in all 1000 datagrams");
        assert_eq!(text(&[(0, 10), (46, 990)]), "ef in 990 and cs0 in 10 of 1000 datagrams");
        let many: Vec<_> = (0..9).map(|value| (value, 10 - u64::from(value))).collect();
        assert_eq!(
            text(&many),
            "cs0 in 10, le in 9, 2 in 8, 3 in 7, 4 in 6 and 4 others in 14 of 54 datagrams"
        );
        assert_eq!(of(&[(63, 5)]).text(Dimension::Count), "63 in all 5 datagrams");
    }

    #[test]
    fn nothing_merges_to_nothing_and_counts_add() {
        assert_eq!(MarkValues::merge([].into_iter()), None);
        assert_eq!(
            MarkValues::merge([&of(&[(1, 2)]), &of(&[(1, 3), (2, 1)])].into_iter()),
            Some(of(&[(1, 5), (2, 1)]))
        );
    }
}
