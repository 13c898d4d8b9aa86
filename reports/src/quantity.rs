//! Numbers for people: four significant digits, an SI unit spelled as in an assertion.
//!
//! Four digits keep a value apart from the limit it just missed (899.7 and 900 Mbit/s). Values that are not finite
//! have no number to show and become `unknown`.

/// What is shown for a value that is not a finite number.
const UNKNOWN: &str = "unknown";

/// Significant digits of a measured value.
const DIGITS: i32 = 4;

/// A rate in bit/s: `941.2 Mbit/s`.
#[must_use]
pub fn bits_per_second(value: f64) -> String {
    scaled(
        value,
        &[(1e12, " Tbit/s"), (1e9, " Gbit/s"), (1e6, " Mbit/s"), (1e3, " kbit/s"), (1.0, " bit/s")],
    )
}

/// A number of bytes: `1.25 GB`; decimal, as rates are.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "four digits are shown")]
pub fn bytes(value: u64) -> String {
    scaled(value as f64, &[(1e12, " TB"), (1e9, " GB"), (1e6, " MB"), (1e3, " kB"), (1.0, " B")])
}

/// A span of time in seconds: `1.5 s`, `20.4 ms`, `130 us`. Long spans stay in seconds, as assertions write them.
#[must_use]
pub fn seconds(value: f64) -> String {
    if value == 0.0 {
        return "0 s".to_owned();
    }
    scaled(value, &[(1.0, " s"), (1e-3, " ms"), (1e-6, " us"), (1e-9, " ns")])
}

/// A ratio as a percentage: 0.0213 is `2.13%`.
#[must_use]
pub fn percent(ratio: f64) -> String {
    scaled(ratio * 100.0, &[(1.0, "%")])
}

/// A number of things, exact, with its noun: `1 case`, `2 cases`. `noun` must be regular.
#[must_use]
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `value` in the largest of `units` (descending, each with its factor) in which it is at least 1 after rounding.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    let rounded = round_significant(value);
    let smallest = units.last().copied().unwrap_or((1.0, ""));
    let (factor, unit) =
        units.iter().copied().find(|(factor, _)| rounded.abs() >= *factor).unwrap_or(smallest);
    format!("{}{unit}", digits(rounded / factor))
}

/// `value` rounded to [`DIGITS`] significant digits.
fn round_significant(value: f64) -> f64 {
    // The decimal writer rounds exactly; scaling by powers of ten would not.
    format!("{value:.*e}", (DIGITS - 1).unsigned_abs() as usize).parse().unwrap_or(value)
}

/// `value` with at most [`DIGITS`] significant digits, without trailing zeros.
fn digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    #[expect(clippy::cast_possible_truncation, reason = "the exponent of a float is below 400")]
    let exponent = value.abs().log10().floor() as i32;
    let decimals = (DIGITS - 1 - exponent).clamp(0, 12).unsigned_abs() as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_keep_four_digits_in_the_fitting_unit() {
        let cases = [
            (0.0, "0 bit/s"),
            (999.0, "999 bit/s"),
            (87_000.0, "87 kbit/s"),
            (899_712_345.0, "899.7 Mbit/s"),
            (999_960_000.0, "1 Gbit/s"),
            (999_940_000.0, "999.9 Mbit/s"),
            (12_345_678_901.0, "12.35 Gbit/s"),
            (5e15, "5000 Tbit/s"),
            (f64::NAN, "unknown"),
            (f64::INFINITY, "unknown"),
        ];
        for (value, expected) in cases {
            assert_eq!(bits_per_second(value), expected);
        }
    }

    #[test]
    fn spans_keep_their_sign_and_stay_in_seconds_when_long() {
        let cases = [
            (0.0, "0 s"),
            (125.25, "125.2 s"),
            (3600.0, "3600 s"),
            (1.0, "1 s"),
            (0.999_96, "1 s"),
            (0.0204, "20.4 ms"),
            (0.000_13, "130 us"),
            (4.2e-8, "42 ns"),
            (1e-10, "0.1 ns"),
            (-0.0025, "-2.5 ms"),
        ];
        for (value, expected) in cases {
            assert_eq!(seconds(value), expected);
        }
    }

    #[test]
    fn a_small_loss_is_not_shown_as_none() {
        assert_eq!(percent(0.0), "0%");
        assert_eq!(percent(0.0213), "2.13%");
        assert_eq!(percent(1.0 / 12_345_678.0), "0.0000081%");
        assert_eq!(percent(1.0), "100%");
    }

    #[test]
    fn bytes_are_decimal() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1470), "1.47 kB");
        assert_eq!(bytes(1_250_000_000), "1.25 GB");
    }

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!(count(0, "case"), "0 cases");
        assert_eq!(count(1, "case"), "1 case");
        assert_eq!(count(12_000, "datagram"), "12000 datagrams");
    }
}
