use std::cell::Cell;

/// What all values that are decoded may hold together: bytes of text, and some for each value.
pub(crate) const MAX_DECODED: u64 = 256 << 20;

/// What a scalar or a key costs beside its text.
pub(crate) const VALUE_COST: u64 = 32;

/// Bounds the memory that a small file can ask for by decoding its parts many times.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    spent: Cell<u64>,
}

impl Budget {
    /// Spends on a value with this much text; whether anything is left.
    pub(super) fn spend(&self, text: usize) -> bool {
        let cost = u64::try_from(text).unwrap_or(u64::MAX).saturating_add(VALUE_COST);
        self.spent.set(self.spent.get().saturating_add(cost));
        !self.is_spent()
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.spent.get() > MAX_DECODED
    }
}
