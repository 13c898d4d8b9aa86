use super::error::DecodeError;

/// Keys and values of the format that this version does not have. They are refused by name, so that nobody takes a
/// working word for a typing mistake.
const PLANNED: &[&str] = &[
    "abort",
    "bounceback",
    "burst",
    "connect-sync",
    "count",
    "cpus",
    "dual-test",
    "exec",
    "expect",
    "fq-rate",
    "histograms",
    "ignore-shutdown",
    "include",
    "increment",
    "ipg",
    "isochronous",
    "jitter-histograms",
    "kubernetes",
    "lab",
    "local-only",
    "near-congestion",
    "netns",
    "only",
    "packets",
    "payload",
    "quickack",
    "realtime",
    "repeat",
    "retry-every",
    "retry-for",
    "search",
    "setup",
    "skip",
    "ssh",
    "sync-transfer-id",
    "tcp-tx-delay",
    "teardown",
    "trade-off",
    "txstart",
    "udp-fin",
    "working-load",
    "write-prefetch",
    "write-times",
];

/// The problem with a word that only a later version will know.
pub(super) fn planned(word: &str) -> Option<DecodeError> {
    PLANNED.contains(&word).then(|| {
        DecodeError::problem("unsupported", format!("`{word}` is not supported by this version"))
            .help("remove it, or use a version of linerate that has it")
    })
}

#[cfg(test)]
mod tests {
    use super::PLANNED;

    #[test]
    fn planned_words_are_sorted_and_unique() {
        assert!(PLANNED.is_sorted_by(|a, b| a < b));
    }
}
