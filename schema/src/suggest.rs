//! What a user may have meant by a word that does not exist.

/// `did you mean …?` with the name that is closest, if one is close.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    closest(word, names).map(|name| format!("did you mean `{name}`?"))
}

/// In words this short one other letter makes another word: `band` is not `bind`.
const SHORT: usize = 4;

/// Whether words of equal length differ in more than the order of their letters.
fn is_replaced(word: &str, name: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    word.chars().count() == name.chars().count() && sorted(word) != sorted(name)
}

/// The name that differs least, of those that differ in no more than a third of their letters.
fn closest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Long words cost quadratic time and are no typing mistake.
    if word.len() > 64 {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace(['_', ' '], "-");
    let wanted = plain(word);
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&wanted, &plain(name)), name))
        .filter(|(distance, name)| *distance <= (name.len().max(word.len()) / 3).max(1))
        .filter(|(distance, name)| *distance < name.chars().count())
        .filter(|(_, name)| wanted.len() > SHORT || !is_replaced(&wanted, &plain(name)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_close_names_are_suggested() {
        let names = ["bitrate", "bind", "bytes", "trip-times", "p"];
        let table = [
            ("bitrat", Some("bitrate")),
            ("Bit_Rate", Some("bitrate")),
            ("trip_times", Some("trip-times")),
            ("tirp-times", Some("trip-times")),
            ("byte", Some("bytes")),
            ("band", None),
            ("bidn", Some("bind")),
            ("bnd", Some("bind")),
            ("colour", None),
            ("x", None),
            ("", None),
        ];
        for (word, expected) in table {
            assert_eq!(closest(word, names), expected, "{word}");
        }
    }
}
