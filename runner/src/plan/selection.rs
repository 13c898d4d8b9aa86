use globset::{Glob, GlobMatcher};
use linerate_schema::scenario::Case;

/// Which cases of a scenario to run. The default selects all.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    only: Vec<Pattern>,
    tags: Vec<String>,
    skip_tags: Vec<String>,
}

/// A name, or a glob over names.
#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    glob: Option<GlobMatcher>,
}

impl Selection {
    /// Selects the cases whose id or test name matches one of the globs `only`, that have one of `tags`, and none of
    /// `skip_tags`. An empty list of globs or tags does not restrict.
    ///
    /// `*` matches any text, `?` one character, `[ab]` one of them, `{a,b}` either. A pattern that is literally an id
    /// or a name always matches it, brackets included; one that is no glob matches only literally.
    #[must_use]
    pub fn new(only: Vec<String>, tags: Vec<String>, skip_tags: Vec<String>) -> Self {
        let only = only.into_iter().map(Pattern::new).collect();
        Self { only, tags, skip_tags }
    }

    /// Why the case is not selected; `None` when it is.
    pub(super) fn refusal(&self, case: &Case) -> Option<String> {
        if !self.only.is_empty() && !self.only.iter().any(|pattern| pattern.matches(case)) {
            return Some("not selected by --only".to_owned());
        }
        if !self.tags.is_empty() && !self.tags.iter().any(|tag| case.tags.contains(tag)) {
            return Some(format!("has no tag {}", self.tags.join(" or ")));
        }
        let skipped = self.skip_tags.iter().find(|tag| case.tags.contains(tag))?;
        Some(format!("has the skipped tag {skipped}"))
    }

    /// The patterns that match none of the cases, likely typing errors.
    pub(super) fn unmatched(&self, cases: &[Case]) -> Vec<String> {
        let idle = self.only.iter().filter(|p| !cases.iter().any(|case| p.matches(case)));
        idle.map(|pattern| pattern.text.clone()).collect()
    }
}

impl Pattern {
    fn new(text: String) -> Self {
        let glob = Glob::new(&text).ok().map(|glob| glob.compile_matcher());
        Self { text, glob }
    }

    fn matches(&self, case: &Case) -> bool {
        [&case.id, &case.test].into_iter().any(|name| {
            *name == self.text || self.glob.as_ref().is_some_and(|glob| glob.is_match(name))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn case(id: &str, tags: &[&str]) -> Case {
        let mut case = fixtures::case(id, Vec::new());
        case.tags = tags.iter().map(ToString::to_string).collect();
        case
    }

    fn selects(only: &[&str], tags: &[&str], skip_tags: &[&str], case: &Case) -> bool {
        let owned = |words: &[&str]| words.iter().map(ToString::to_string).collect();
        Selection::new(owned(only), owned(tags), owned(skip_tags)).refusal(case).is_none()
    }

    #[test]
    fn everything_is_selected_by_default() {
        assert!(selects(&[], &[], &[], &case("upload", &[])));
    }

    #[test]
    fn globs_match_the_id_or_the_name_of_the_test() {
        let cell = case("window sweep [window=64K]", &[]);
        for pattern in
            ["window sweep", "window*", "*64K?", "*{32,64}K]", "window sweep [window=64K]"]
        {
            assert!(selects(&[pattern], &[], &[], &cell), "{pattern}");
        }
        for pattern in ["window", "sweep*", "*[window=64k]", "window sweep [window=128K]", ""] {
            assert!(!selects(&[pattern], &[], &[], &cell), "{pattern}");
        }
        assert!(selects(&["nothing", "window*"], &[], &[], &cell));
        assert!(selects(&["lan/wan*"], &[], &[], &case("lan/wan/x", &[])));
    }

    #[test]
    fn a_pattern_that_is_no_glob_matches_literally() {
        assert!(selects(&["sweep [rate=9-1]"], &[], &[], &case("sweep [rate=9-1]", &[])));
        assert!(selects(&["odd [name"], &[], &[], &case("odd [name", &[])));
        assert!(!selects(&["odd [name"], &[], &[], &case("odd n", &[])));
    }

    #[test]
    fn one_wanted_tag_is_enough_and_one_skipped_tag_too_many() {
        let tagged = case("a", &["smoke", "wan"]);
        assert!(selects(&[], &["lan", "wan"], &[], &tagged));
        assert!(!selects(&[], &["lan"], &[], &tagged));
        assert!(!selects(&[], &["wan"], &["smoke"], &tagged));
        assert!(selects(&[], &[], &["slow"], &tagged));
    }
}
