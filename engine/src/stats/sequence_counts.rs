//! What a sequence of datagrams amounts to.

/// Counts of a flow so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SequenceCounts {
    /// Data datagrams that were sent as far as the receiver can know: the highest number seen, or what the FIN says.
    pub expected: u64,
    /// Different data datagrams that came.
    pub received: u64,
    /// Of these, how many came after one with a higher number (RFC 4737 section 3).
    pub reordered: u64,
    /// Datagrams that came again (RFC 5560).
    pub duplicates: u64,
    /// Datagrams that were counted as late although they may have been duplicates, see
    /// [`SequenceTracker`](super::SequenceTracker).
    pub undecided: u64,
    /// Up to so many of the lost datagrams may be lost FINs, see [`SequenceTracker`](super::SequenceTracker).
    pub doubtful_losses: u64,
}

/// Counts of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SequenceDelta {
    /// Data datagrams by which the expected number grew.
    pub expected: u64,
    /// Different data datagrams that came, late ones of earlier intervals included.
    pub received: u64,
    /// Missing now and not before, minus those of earlier intervals that came late: negative when more came than went
    /// missing. The sum over all intervals is the loss of the flow.
    pub lost: i64,
    /// Late datagrams.
    pub reordered: u64,
    /// Datagrams that came again.
    pub duplicates: u64,
}

/// The same flow in the counts of iperf, which cannot tell late datagrams from duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IperfCounts {
    /// Gaps, minus out-of-order datagrams, not below zero: a duplicate hides a loss.
    pub lost: u64,
    /// Datagrams whose number was not above the highest before them.
    pub out_of_order: u64,
    /// Highest number, the FIN's included.
    pub highest: u64,
}

impl SequenceCounts {
    /// Datagrams that were sent and did not come (RFC 7680).
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.expected.saturating_sub(self.received)
    }

    /// What changed since `earlier`, a copy taken from the same tracker.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> SequenceDelta {
        SequenceDelta {
            expected: self.expected.saturating_sub(earlier.expected),
            received: self.received.saturating_sub(earlier.received),
            lost: self.lost().cast_signed().saturating_sub(earlier.lost().cast_signed()),
            reordered: self.reordered.saturating_sub(earlier.reordered),
            duplicates: self.duplicates.saturating_sub(earlier.duplicates),
        }
    }

    /// Adds the counts of another flow.
    pub fn merge(&mut self, other: &Self) {
        self.expected = self.expected.saturating_add(other.expected);
        self.received = self.received.saturating_add(other.received);
        self.reordered = self.reordered.saturating_add(other.reordered);
        self.duplicates = self.duplicates.saturating_add(other.duplicates);
        self.undecided = self.undecided.saturating_add(other.undecided);
        self.doubtful_losses = self.doubtful_losses.saturating_add(other.doubtful_losses);
    }
}
