use super::ScalarValue;

/// The value of a plain scalar by the YAML 1.2 core schema: `yes`, `on` and `017` are not special.
///
/// <https://yaml.org/spec/1.2.2/#103-core-schema>
pub(crate) fn resolve_plain(text: &str) -> ScalarValue {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ScalarValue::Null,
        "true" | "True" | "TRUE" => ScalarValue::Bool(true),
        "false" | "False" | "FALSE" => ScalarValue::Bool(false),
        ".nan" | ".NaN" | ".NAN" => ScalarValue::Float(f64::NAN),
        _ if text.len() > LONGEST_NUMBER => ScalarValue::Text,
        _ => number(text).unwrap_or(ScalarValue::Text),
    }
}

/// More digits than any number needs.
const LONGEST_NUMBER: usize = 400;

fn number(text: &str) -> Option<ScalarValue> {
    if let Some(digits) = text.strip_prefix("0x") {
        return based(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return based(digits, 8);
    }
    let (negative, unsigned) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Some(ScalarValue::Float(if negative { f64::NEG_INFINITY } else { f64::INFINITY }));
    }
    if !is_decimal(unsigned) {
        return None;
    }
    let integer = if unsigned.bytes().all(|b| b.is_ascii_digit()) {
        text.parse().ok().map(ScalarValue::Integer)
    } else {
        None
    };
    integer.or_else(|| text.parse().ok().map(ScalarValue::Float))
}

fn based(digits: &str, radix: u32) -> Option<ScalarValue> {
    // `from_str_radix` would also take a sign.
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    i128::from_str_radix(digits, radix).ok().map(ScalarValue::Integer)
}

/// `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_is_fine = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent_is_fine
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_core_schema_is_special() {
        use ScalarValue::{Bool, Float, Integer, Null, Text};
        let table = [
            ("", Null),
            ("~", Null),
            ("null", Null),
            ("true", Bool(true)),
            ("FALSE", Bool(false)),
            ("yes", Text),
            ("on", Text),
            ("n", Text),
            ("0", Integer(0)),
            ("-17", Integer(-17)),
            ("+3", Integer(3)),
            ("017", Integer(17)),
            ("0x1F", Integer(31)),
            ("0o17", Integer(15)),
            ("0x-1", Text),
            ("0o8", Text),
            ("0x", Text),
            ("1.5", Float(1.5)),
            (".5", Float(0.5)),
            ("5.", Float(5.0)),
            ("1e3", Float(1000.0)),
            ("1e", Text),
            (".", Text),
            ("-", Text),
            ("e3", Text),
            ("1_000", Text),
            ("10:30", Text),
            ("-.inf", Float(f64::NEG_INFINITY)),
            ("inf", Text),
            ("nan", Text),
            ("18446744073709551616", Integer(18_446_744_073_709_551_616)),
            ("10 Mbit/s", Text),
        ];
        for (text, value) in table {
            assert_eq!(resolve_plain(text), value, "{text}");
        }
        assert!(matches!(resolve_plain(".nan"), Float(number) if number.is_nan()));
        assert!(matches!(resolve_plain(&"9".repeat(50)), Float(number) if number > 1e49));
    }
}
