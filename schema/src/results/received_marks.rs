use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Dscp;

/// What the IP headers of received datagrams said. Counted are the data datagrams of a span, duplicates included; a field
/// that the receiver's system did not tell has no counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceivedMarks {
    /// Number of datagrams by DSCP: its name, or its number where it has none (RFC 2474).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub dscp: BTreeMap<Dscp, u64>,
    /// Number of datagrams with ECN "congestion experienced" (RFC 3168).
    #[serde(default)]
    pub ecn_ce: u64,
    /// Number of datagrams with ECN capability ECT(0).
    #[serde(default)]
    pub ecn_ect0: u64,
    /// Number of datagrams with ECN capability ECT(1).
    #[serde(default)]
    pub ecn_ect1: u64,
    /// Number of datagrams by time to live (IPv6: hop limit) on arrival.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ttl: BTreeMap<u8, u64>,
}

impl ReceivedMarks {
    /// The marks of datagrams whose type-of-service bytes and times to live were seen so often.
    #[must_use]
    pub fn from_counts(tos: &[(u8, u64)], ttl: &[(u8, u64)]) -> Self {
        let mut marks = Self::default();
        for &(byte, count) in tos {
            let seen = marks.dscp.entry(Dscp::of_byte(byte)).or_default();
            *seen = seen.saturating_add(count);
            let ecn = match byte & 0b11 {
                0b01 => &mut marks.ecn_ect1,
                0b10 => &mut marks.ecn_ect0,
                0b11 => &mut marks.ecn_ce,
                _ => continue,
            };
            *ecn = ecn.saturating_add(count);
        }
        marks.ttl = ttl.iter().copied().collect();
        marks
    }

    /// Number of datagrams whose DSCP and ECN are known.
    #[must_use]
    pub fn datagrams(&self) -> u64 {
        self.dscp.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The counts of several spans or streams together; `None` without any.
    #[must_use]
    pub fn merge<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        parts.into_iter().fold(None, |sum, part| Some(sum.unwrap_or_default().with(part)))
    }

    fn with(mut self, other: &Self) -> Self {
        add(&mut self.dscp, &other.dscp);
        add(&mut self.ttl, &other.ttl);
        self.ecn_ce = self.ecn_ce.saturating_add(other.ecn_ce);
        self.ecn_ect0 = self.ecn_ect0.saturating_add(other.ecn_ect0);
        self.ecn_ect1 = self.ecn_ect1.saturating_add(other.ecn_ect1);
        self
    }
}

fn add<K: Ord + Copy>(sum: &mut BTreeMap<K, u64>, more: &BTreeMap<K, u64>) {
    for (value, count) in more {
        let seen = sum.entry(*value).or_default();
        *seen = seen.saturating_add(*count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dscp(name: &str) -> Dscp {
        name.parse().unwrap()
    }

    #[test]
    fn bytes_are_split_into_dscp_and_ecn() {
        let marks = ReceivedMarks::from_counts(
            &[(0x00, 1), (0x03, 2), (0xb8, 4), (0xb9, 8), (0xba, 16)],
            &[],
        );
        assert_eq!(marks.dscp, BTreeMap::from([(dscp("cs0"), 3), (dscp("ef"), 28)]));
        assert_eq!((marks.ecn_ce, marks.ecn_ect0, marks.ecn_ect1), (2, 16, 8));
        assert_eq!(marks.datagrams(), 31);
    }

    #[test]
    fn merging_adds_and_nothing_merges_to_nothing() {
        let a = ReceivedMarks::from_counts(&[(0xb8, 4)], &[(63, 4)]);
        let b = ReceivedMarks::from_counts(&[(0xbb, 1), (0, 1)], &[(63, 1), (62, 1)]);
        let merged = ReceivedMarks::merge([&a, &b]).unwrap();
        assert_eq!(merged.dscp, BTreeMap::from([(dscp("cs0"), 1), (dscp("ef"), 5)]));
        assert_eq!(merged.ttl, BTreeMap::from([(62, 1), (63, 5)]));
        assert_eq!((merged.ecn_ce, merged.datagrams()), (1, 6));
        assert_eq!(ReceivedMarks::merge([]), None);
    }

    #[test]
    fn results_name_the_marks_and_read_back() {
        let marks = ReceivedMarks::from_counts(&[(0x04, 7), (0xb8, 4), (0xfc, 1)], &[(63, 12)]);
        let json = serde_json::to_string(&marks).unwrap();
        assert_eq!(
            json,
            r#"{"dscp":{"le":7,"ef":4,"63":1},"ecn_ce":0,"ecn_ect0":0,"ecn_ect1":0,"ttl":{"63":12}}"#
        );
        assert_eq!(serde_json::from_str::<ReceivedMarks>(&json).unwrap(), marks);
    }
}
