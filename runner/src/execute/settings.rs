use std::time::Duration;

/// How a plan is run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Seed of everything random in the run, such as fresh permit keys.
    pub seed: u64,
    /// What a failed case means for those after it.
    pub after_failure: AfterFailure,
    /// Time that a case may take beyond what its traffic and its connections are expected to take.
    pub grace: Duration,
}

impl Settings {
    /// The usual settings with the given seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, after_failure: AfterFailure::default(), grace: Duration::from_secs(20) }
    }
}

/// What a case that failed, or could not be measured, means for the cases after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AfterFailure {
    /// They run.
    #[default]
    Continue,
    /// They are skipped.
    Stop,
}
