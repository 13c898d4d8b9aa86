use std::fmt::Write as _;

/// A number as it stands in a text. It is rounded only once, after its unit was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number<'a> {
    /// Digits with an optional decimal point.
    mantissa: &'a str,
    /// Power of ten, from an `e` notation.
    exponent: i32,
}

impl<'a> Number<'a> {
    /// Splits the number off the start of `text`: digits, optionally a fraction, optionally a power of ten.
    pub(crate) fn split(text: &'a str) -> Option<(Self, &'a str)> {
        let whole = digits(text);
        if whole == 0 {
            return None;
        }
        let fraction = match text[whole..].strip_prefix('.').map(digits) {
            Some(length) if length > 0 => length + 1,
            _ => 0,
        };
        let (mantissa, rest) = text.split_at(whole + fraction);
        let (exponent, rest) = split_exponent(rest);
        Some((Self { mantissa, exponent }, rest))
    }

    /// The value times 10^`tens`, correctly rounded.
    pub(crate) fn shifted(self, tens: i32) -> f64 {
        let exponent = self.exponent.saturating_add(tens);
        format!("{}e{exponent}", self.mantissa).parse().unwrap_or(f64::INFINITY)
    }

    /// The value times `factor`, cut to an integer; `None` when it is beyond 2^127 or has more than 38 digits.
    pub(crate) fn times(self, factor: u128) -> Option<u128> {
        let (whole, fraction) = self.mantissa.split_once('.').unwrap_or((self.mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
        let places = i32::try_from(fraction.len()).ok()?;
        let product = digits.checked_mul(factor)?;
        let shift = self.exponent.checked_sub(places)?;
        match 10_u128.checked_pow(shift.unsigned_abs()) {
            _ if product == 0 => Some(0),
            Some(power) if shift >= 0 => product.checked_mul(power),
            Some(power) => Some(product / power),
            None if shift < 0 => Some(0),
            None => None,
        }
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// An `e` without digits behind it belongs to the unit, not to the number.
fn split_exponent(text: &str) -> (i32, &str) {
    let Some(tail) = text.strip_prefix(['e', 'E']) else { return (0, text) };
    let unsigned = tail.strip_prefix(['+', '-']).unwrap_or(tail);
    let length = tail.len() - unsigned.len() + digits(unsigned);
    match tail[..length].parse() {
        Ok(exponent) => (exponent, &tail[length..]),
        Err(_) => (0, text),
    }
}

/// `value` times 10^`tens` in plain decimal notation: the shortest text that [`Number::shifted`] by `-tens` reads back
/// as exactly `value`.
pub(crate) fn decimal(value: f64, tens: i32) -> String {
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    let point = exponent.parse::<i32>().unwrap_or(0).saturating_add(tens).saturating_add(1);
    let mut text = String::from(sign);
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    // Writing into a String cannot fail.
    let _ = match usize::try_from(point) {
        _ if digits == "0" => write!(text, "0"),
        Ok(point) if point > 0 && point < digits.len() => {
            write!(text, "{}.{}", &digits[..point], &digits[point..])
        }
        Ok(point) if point >= digits.len() => write!(text, "{digits:0<point$}"),
        _ => {
            let width = usize::try_from(count.saturating_sub(point)).unwrap_or(digits.len());
            write!(text, "0.{digits:0>width$}")
        }
    };
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Number<'_> {
        let (number, rest) = Number::split(text).expect("a number");
        assert_eq!(rest, "");
        number
    }

    #[test]
    fn a_number_ends_where_its_unit_begins() {
        let rest = |text| Number::split(text).map(|(_, rest)| rest);
        assert_eq!(rest("10s"), Some("s"));
        assert_eq!(rest("5..25s"), Some("..25s"));
        assert_eq!(rest("1.5 Gbit/s"), Some(" Gbit/s"));
        assert_eq!(rest("1e3 B"), Some(" B"));
        assert_eq!(rest("1e"), Some("e"));
        assert_eq!(rest("1e99999999999s"), Some("e99999999999s"));
        assert_eq!(rest("s"), None);
        assert_eq!(rest(".5"), None);
        assert_eq!(rest(""), None);
    }

    #[test]
    fn powers_of_ten_round_only_once() {
        assert_eq!(number("0.1").shifted(-2), 0.001);
        assert_eq!(number("5").shifted(-2), 0.05);
        assert_eq!(number("4.35").shifted(2), 435.0);
        assert_eq!(number("1.5e3").shifted(6), 1.5e9);
        assert_eq!(number("1").shifted(i32::MAX), f64::INFINITY);
    }

    #[test]
    fn integer_scaling_is_exact_and_cuts() {
        assert_eq!(number("1.5").times(1024), Some(1536));
        assert_eq!(number("1.3").times(1024), Some(1331));
        assert_eq!(number("0.000000001").times(1_000_000_000), Some(1));
        assert_eq!(number("2e3").times(3), Some(6000));
        assert_eq!(number("0e99").times(7), Some(0));
        assert_eq!(number("1e-99").times(7), Some(0));
        assert_eq!(number("1e99").times(7), None);
        assert_eq!(number("9".repeat(60).as_str()).times(1), None);
    }

    #[test]
    fn decimals_are_written_without_exponent() {
        assert_eq!(decimal(0.0, 5), "0");
        assert_eq!(decimal(0.05, 2), "5");
        assert_eq!(decimal(1_048_576.0, -6), "1.048576");
        assert_eq!(decimal(5e-7, 0), "0.0000005");
        assert_eq!(decimal(-1.5, 3), "-1500");
        assert_eq!(decimal(123.0, -3), "0.123");
        assert_eq!(decimal(100.0, -2), "1");
    }

    proptest! {
        #[test]
        fn a_printed_number_reads_back(value in 0.0..1e18_f64, tens in -12..=12_i32) {
            let text = decimal(value, tens);
            prop_assert_eq!(number(&text).shifted(-tens), value);
        }

        #[test]
        fn splitting_never_panics(text in "\\PC{0,12}") {
            let _ = Number::split(&text);
        }
    }
}
