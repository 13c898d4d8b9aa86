use linerate_engine::config::PermitKey;
use rand::RngExt;
use rand::distr::Alphanumeric;
use rand::rngs::StdRng;

/// The word that asks for a fresh key.
const AUTO: &str = "auto";

/// Length of a fresh key, in characters.
const FRESH_LENGTH: usize = 24;

/// What a flow says about its permit key.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum KeyChoice {
    /// A fresh key for each case, known to both ends.
    Fresh,
    /// This key.
    Given(String),
}

impl KeyChoice {
    /// Reads the option's text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        if text == AUTO { Self::Fresh } else { Self::Given(text.to_owned()) }
    }

    /// The key itself; a fresh one is made from `random`.
    pub fn key(&self, random: &mut StdRng) -> PermitKey {
        match self {
            Self::Fresh => fresh_permit_key(random),
            Self::Given(key) => PermitKey(key.clone()),
        }
    }
}

/// Hides the key.
impl std::fmt::Debug for KeyChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Fresh => "Fresh",
            Self::Given(_) => "Given(…)",
        })
    }
}

/// A key of 24 letters and digits.
pub fn fresh_permit_key(random: &mut StdRng) -> PermitKey {
    PermitKey(random.sample_iter(Alphanumeric).take(FRESH_LENGTH).map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn fresh_keys_fit_the_protocol_differ_and_repeat_with_the_seed() {
        let mut random = StdRng::seed_from_u64(7);
        let (first, second) = (fresh_permit_key(&mut random), fresh_permit_key(&mut random));
        assert_eq!(first.0.len(), 24);
        assert!(first.0.chars().all(|c| c.is_ascii_alphanumeric()));
        assert_ne!(first, second);
        assert_eq!(fresh_permit_key(&mut StdRng::seed_from_u64(7)), first);
    }

    #[test]
    fn a_key_does_not_show_in_debug_output() {
        assert_eq!(format!("{:?}", KeyChoice::of("hunter2")), "Given(…)");
        assert_eq!(KeyChoice::of("auto"), KeyChoice::Fresh);
    }
}
