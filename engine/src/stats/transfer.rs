//! Bytes and calls.

/// What was moved by read or write calls. Counts saturate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Transfer {
    /// Bytes of payload, headers of the protocol included.
    pub bytes: u64,
    /// Calls that moved data. On UDP: datagrams.
    pub calls: u64,
    /// Calls that failed without ending the stream.
    pub errors: u64,
}

impl Transfer {
    /// Counts one call that moved `bytes`.
    pub fn record(&mut self, bytes: u64) {
        self.record_calls(1, bytes);
    }

    /// Counts `calls` calls that moved `bytes` together.
    pub fn record_calls(&mut self, calls: u64, bytes: u64) {
        self.calls = self.calls.saturating_add(calls);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Counts one call that failed.
    pub fn record_error(&mut self) {
        self.errors = self.errors.saturating_add(1);
    }

    /// What was added since `earlier`, a copy taken from the same counter.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(earlier.bytes),
            calls: self.calls.saturating_sub(earlier.calls),
            errors: self.errors.saturating_sub(earlier.errors),
        }
    }

    /// Adds the counts of another stream.
    pub fn merge(&mut self, other: &Self) {
        self.record_calls(other.calls, other.bytes);
        self.errors = self.errors.saturating_add(other.errors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_of_two_copies_is_what_an_interval_moved() {
        let mut transfer = Transfer::default();
        transfer.record(1470);
        let boundary = transfer;
        transfer.record(1000);
        transfer.record_error();
        assert_eq!(transfer.since(&boundary), Transfer { bytes: 1000, calls: 1, errors: 1 });
        assert_eq!(transfer, Transfer { bytes: 2470, calls: 2, errors: 1 });
    }

    #[test]
    fn merging_adds_every_count() {
        let mut sum = Transfer { bytes: 1, calls: 2, errors: 3 };
        sum.merge(&Transfer { bytes: 10, calls: 20, errors: u64::MAX });
        assert_eq!(sum, Transfer { bytes: 11, calls: 22, errors: u64::MAX });
    }
}
