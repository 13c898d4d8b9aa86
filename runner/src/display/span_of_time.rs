use std::time::Duration;

/// How long something takes, as people read it at a glance: `10.0 s`, `5 min 20 s` or `2 h 05 min`.
pub(super) fn span_of_time(span: Duration) -> String {
    let seconds = span.as_secs_f64();
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = span.as_secs() + u64::from(span.subsec_millis() >= 500);
    if whole < 3600 {
        format!("{} min {:02} s", whole / 60, whole % 60)
    } else {
        format!("{} h {:02} min", whole / 3600, whole % 3600 / 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_use_the_two_largest_units() {
        for (milliseconds, expected) in [
            (0, "0.0 s"),
            (10_049, "10.0 s"),
            (59_970, "1 min 00 s"),
            (320_000, "5 min 20 s"),
            (7_500_000, "2 h 05 min"),
        ] {
            assert_eq!(span_of_time(Duration::from_millis(milliseconds)), expected);
        }
    }
}
