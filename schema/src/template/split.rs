use std::ops::Range;

/// A part of a scalar's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Text that stands for itself.
    Literal(Range<usize>),
    /// What stands between `{{` and `}}`, without the surrounding spaces.
    Expression(Range<usize>),
}

/// Why a text cannot be split, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SplitError {
    /// `{{` without `}}`.
    Unclosed(Range<usize>),
    /// Nothing between `{{` and `}}`.
    Empty(Range<usize>),
    /// `{% … %}`.
    Statement(Range<usize>),
}

/// Whether a text has anything to split.
pub(crate) fn has_template(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

/// Splits a text at its expressions.
pub(super) fn split(text: &str) -> Result<Vec<Part>, SplitError> {
    let mut parts = Vec::new();
    let mut at = 0;
    loop {
        let open = text[at..].find("{{").map(|offset| at + offset);
        let literal = at..open.unwrap_or(text.len());
        if let Some(offset) = text[literal.clone()].find("{%") {
            let start = literal.start + offset;
            return Err(SplitError::Statement(start..start + 2));
        }
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        let Some(open) = open else { return Ok(parts) };
        let Some(length) = expression_length(&text[open + 2..]) else {
            return Err(SplitError::Unclosed(open..open + 2));
        };
        let inner = &text[open + 2..open + 2 + length];
        let end = open + 2 + length + 2;
        let trimmed = inner.trim();
        if trimmed.is_empty() {
            return Err(SplitError::Empty(open..end));
        }
        let start = open + 2 + (inner.len() - inner.trim_start().len());
        parts.push(Part::Expression(start..start + trimmed.len()));
        at = end;
    }
}

/// Length of the expression before the `}}` that closes it: the first one outside quotes and inner braces.
fn expression_length(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(open), byte) if *byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'{') => depth += 1,
            (None, b'}') if depth > 0 => depth -= 1,
            (None, b'}') if bytes.get(index + 1) == Some(&b'}') => return Some(index),
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        match split(text) {
            Ok(parts) => parts
                .iter()
                .map(|part| match part {
                    Part::Literal(range) => format!("<{}>", &text[range.clone()]),
                    Part::Expression(range) => format!("({})", &text[range.clone()]),
                })
                .collect(),
            Err(error) => format!("{error:?}"),
        }
    }

    #[test]
    fn expressions_end_outside_quotes_and_braces() {
        let table = [
            ("", ""),
            ("plain", "<plain>"),
            ("{{ a }}", "(a)"),
            ("{{a}}b{{ c+1 }}", "(a)<b>(c+1)"),
            ("{{ '}}' }}", "('}}')"),
            (r#"{{ "\"}}" }}!"#, r#"("\"}}")<!>"#),
            ("{{ {'a': {'b': 1}}['a'] }}", "({'a': {'b': 1}}['a'])"),
            ("} } }}", "<} } }}>"),
            ("a {{ b", "Unclosed(2..4)"),
            ("a {{ 'b }}", "Unclosed(2..4)"),
            ("a {{  }}", "Empty(2..8)"),
            ("a {% if b %}", "Statement(2..4)"),
            ("{{ '{%' }}", "('{%')"),
        ];
        for (text, expected) in table {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_splits_into_ranges_in_order(text in "[a{}%'\"\\\\ ü]{0,24}") {
            if let Ok(parts) = split(&text) {
                let mut at = 0;
                for part in parts {
                    let (Part::Literal(range) | Part::Expression(range)) = part;
                    prop_assert!(at <= range.start && range.start < range.end);
                    prop_assert!(text.get(range.clone()).is_some());
                    at = range.end;
                }
            }
        }
    }
}
