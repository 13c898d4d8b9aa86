//! What the IP headers of received datagrams said.

/// What the IP header of a datagram said, as far as the system told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    /// Type-of-service byte (IPv6: traffic class): DSCP in the upper six bits, ECN in the lower two (RFC 2474, RFC 3168).
    pub tos: Option<u8>,
    /// Time to live (IPv6: hop limit) on arrival.
    pub ttl: Option<u8>,
}

/// How often each mark was seen. A field that no datagram told stays empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkCounts {
    /// Of type-of-service bytes.
    pub tos: ByteCounts,
    /// Of times to live.
    pub ttl: ByteCounts,
}

/// How often each value of a byte was seen, for few different values that come in long runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByteCounts {
    /// Ascending by value.
    counts: Vec<(u8, u64)>,
    /// Where the value of the last call stands.
    last: usize,
}

impl MarkCounts {
    /// Counts a datagram.
    pub fn record(&mut self, marks: Marks) {
        if let Some(tos) = marks.tos {
            self.tos.record(tos);
        }
        if let Some(ttl) = marks.ttl {
            self.ttl.record(ttl);
        }
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tos.counts.is_empty() && self.ttl.counts.is_empty()
    }

    /// Forgets all counts.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

impl ByteCounts {
    /// Counts a value.
    pub fn record(&mut self, value: u8) {
        match self.counts.get_mut(self.last) {
            Some((same, count)) if *same == value => *count = count.saturating_add(1),
            _ => self.record_other(value),
        }
    }

    /// The values that were seen and how often, ascending by value.
    #[must_use]
    pub fn as_slice(&self) -> &[(u8, u64)] {
        &self.counts
    }

    #[cold]
    fn record_other(&mut self, value: u8) {
        match self.counts.binary_search_by_key(&value, |(value, _)| *value) {
            Ok(index) => {
                if let Some((_, count)) = self.counts.get_mut(index) {
                    *count = count.saturating_add(1);
                }
                self.last = index;
            }
            Err(index) => {
                self.counts.insert(index, (value, 1));
                self.last = index;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_counted_each_for_itself() {
        let mut counts = MarkCounts::default();
        assert!(counts.is_empty());
        counts.record(Marks::default());
        assert!(counts.is_empty());
        counts.record(Marks { tos: Some(0xb8), ttl: Some(63) });
        counts.record(Marks { tos: Some(0), ttl: None });
        counts.record(Marks { tos: Some(0xb8), ttl: Some(63) });
        assert_eq!(counts.tos.as_slice(), [(0, 1), (0xb8, 2)]);
        assert_eq!(counts.ttl.as_slice(), [(63, 2)]);
        counts.clear();
        assert!(counts.is_empty());
    }

    proptest! {
        #[test]
        fn any_order_of_values_gives_their_numbers(values in prop::collection::vec(0_u8..9, 0..200)) {
            let mut counts = ByteCounts::default();
            values.iter().for_each(|value| counts.record(*value));
            let expected: Vec<(u8, u64)> = (0..9)
                .map(|value| (value, values.iter().filter(|seen| **seen == value).count() as u64))
                .filter(|(_, count)| *count > 0)
                .collect();
            prop_assert_eq!(counts.as_slice(), expected);
        }
    }
}
