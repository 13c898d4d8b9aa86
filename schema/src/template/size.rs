use minijinja::Value;
use minijinja::value::ValueKind;

/// Largest value that a template may have.
const MAX_SIZE: usize = 1 << 20;

/// How deep lists and mappings may be nested in a value.
const MAX_DEPTH: usize = 32;

/// Size of a value: its bytes of text, and some for each value in it. None when it is too large or nested too deep.
///
/// A value shares what it was made of, so that a small one in memory can be endless when it is written out.
pub(crate) fn size_of(value: &Value) -> Option<usize> {
    let mut left = MAX_SIZE;
    take(value, MAX_DEPTH, &mut left)?;
    Some(MAX_SIZE - left)
}

fn take(value: &Value, depth: usize, left: &mut usize) -> Option<()> {
    let own = value.as_str().map_or(0, str::len) + 32;
    *left = left.checked_sub(own)?;
    if matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
        let depth = depth.checked_sub(1)?;
        for item in value.try_iter().ok()? {
            take(&item, depth, left)?;
            if value.kind() == ValueKind::Map {
                take(&value.get_item(&item).ok()?, depth, left)?;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_count_text_and_values() {
        assert_eq!(size_of(&Value::from("abc")), Some(35));
        assert_eq!(size_of(&Value::from(vec![1, 2])), Some(96));
        assert_eq!(size_of(&Value::from_pairs([("ab", 1)])), Some(3 * 32 + 2));
    }

    #[test]
    fn large_deep_and_doubling_values_have_no_size() {
        assert_eq!(size_of(&Value::from("x".repeat(MAX_SIZE))), None);
        let mut deep = Value::from(1);
        let mut doubling = Value::from(1);
        for _ in 0..MAX_DEPTH {
            deep = Value::from(vec![deep]);
            doubling = Value::from(vec![doubling.clone(), doubling]);
        }
        assert!(size_of(&deep).is_some());
        assert_eq!(size_of(&Value::from(vec![deep])), None);
        assert_eq!(size_of(&doubling), None);
    }
}
