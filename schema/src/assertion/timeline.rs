use std::ops::Range;
use std::time::Duration;

use super::{AssertionError, Clauses, Located, Measure, Samples};
use crate::scenario::TrafficClass;
use crate::units::Seconds;

/// Intervals may start and end so much off their time, as a share of their length.
const TOLERANCE: f64 = 0.1;

/// What is left at the end of a flow counts as an interval when it is at least so much of one.
const REMAINDER: f64 = 0.5;

/// The intervals of a flow, as far as they are known before it runs.
pub(super) struct Timeline<'a> {
    flow: &'a str,
    /// Length of an interval.
    interval: Duration,
    /// How long the flow sends; unknown for a flow of so many bytes.
    time: Option<Duration>,
}

impl<'a> Timeline<'a> {
    /// None when nothing is known.
    pub(super) fn new(flow: &'a str, class: TrafficClass) -> Option<Self> {
        let interval = class.interval.filter(|interval| !interval.is_zero())?;
        Some(Self { flow, interval, time: class.time })
    }

    /// What the clauses and the statistic ask for that no run of the flow can give.
    pub(super) fn problem_with(
        &self,
        clauses: &Clauses,
        judges_parts: bool,
        measure: &Located<Measure>,
    ) -> Option<AssertionError> {
        let mut rows = self.rows();
        if let Some(during) = &clauses.during {
            let (from, to) = (during.from.si(), during.to.si());
            match self.rows_within(from, to) {
                Ok(inside) => rows = inside,
                Err((message, hint)) => {
                    return Some(AssertionError::new(during.range.clone(), message, hint));
                }
            }
        }
        if let Some(windows) = clauses.windows.as_ref().filter(|_| judges_parts) {
            return self.problem_with_windows(windows.length(), &windows.range, rows);
        }
        self.problem_with_statistic(measure, rows)
    }

    fn interval_seconds(&self) -> f64 {
        self.interval.as_secs_f64()
    }

    /// Number of intervals of the whole flow.
    fn rows(&self) -> Option<f64> {
        let rows = self.time?.as_secs_f64() / self.interval_seconds();
        Some((rows + (1.0 - REMAINDER) + 1e-9).floor())
    }

    /// Number of intervals that lie inside these seconds.
    fn rows_within(&self, from: f64, to: f64) -> Result<Option<f64>, (String, String)> {
        let length = self.interval_seconds();
        let (interval, flow) = (Seconds(self.interval), self.flow);
        let first = (from / length - TOLERANCE).ceil();
        let end = (to / length + TOLERANCE).floor();
        if let (Some(time), Some(rows)) = (self.time, self.rows())
            && (rows * length).min(time.as_secs_f64()) <= to - length * (1.0 - TOLERANCE)
        {
            let message = format!("`{flow}` sends for {}, which ends before this", Seconds(time));
            let hint = "give it a longer `time`, or move `during`".to_owned();
            return Err((message, hint));
        }
        if end - first < 1.0 {
            let message = format!("no interval of {interval} of `{flow}` lies inside this time");
            let hint = "set a shorter `interval`, or start and end on its multiples".to_owned();
            return Err((message, hint));
        }
        Ok(Some(self.rows().map_or(end, |rows| rows.min(end)) - first))
    }

    fn problem_with_windows(
        &self,
        window: Duration,
        range: &Range<usize>,
        rows: Option<f64>,
    ) -> Option<AssertionError> {
        let times = window.as_secs_f64() / self.interval_seconds();
        let (message, hint) = if times.round() < 1.0 || (times - times.round()).abs() > 1e-6 * times
        {
            let interval = Seconds(self.interval);
            let what = format!(
                "windows of {} are no multiple of the interval of {interval}",
                Seconds(window)
            );
            (
                what,
                format!(
                    "choose windows such as {}, or another `interval`",
                    Seconds(self.interval * 2)
                ),
            )
        } else if rows.is_some_and(|rows| rows < times.round()) {
            let message = format!(
                "a window of {} is longer than the {} that are judged of `{}`",
                Seconds(window),
                self.judged(rows),
                self.flow
            );
            (message, "choose shorter windows, or a longer time".to_owned())
        } else {
            return None;
        };
        Some(AssertionError::new(range.clone(), message, hint))
    }

    fn judged(&self, rows: Option<f64>) -> Seconds {
        let seconds = rows.unwrap_or_default().max(0.0) * self.interval_seconds();
        Seconds(Duration::try_from_secs_f64(seconds).unwrap_or_default())
    }

    /// Statistics over intervals need enough of them.
    #[expect(clippy::cast_precision_loss, reason = "the numbers are far below 2^52")]
    fn problem_with_statistic(
        &self,
        measure: &Located<Measure>,
        rows: Option<f64>,
    ) -> Option<AssertionError> {
        let stat = measure.stat.filter(|_| measure.metric.facts().samples == Samples::Intervals)?;
        let needed = stat.samples_needed();
        let rows = rows.filter(|rows| *rows < needed as f64)?;
        let message = format!(
            "`{stat}` needs {needed} intervals, and `{}` has only {rows} of {}",
            self.flow,
            Seconds(self.interval)
        );
        let hint = "set a shorter `interval`, or a longer `time`";
        Some(AssertionError::new(measure.range.clone(), message, hint))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Assertion;
    use super::super::tests::picture;
    use super::*;
    use crate::scenario::{Direction, Transport};

    const CLASS: TrafficClass = TrafficClass {
        transport: Transport::Tcp,
        direction: Direction::Forward,
        trip_times: true,
        intervals: true,
        interval: Some(Duration::from_millis(100)),
        time: Some(Duration::from_secs(1)),
        external_server: false,
    };

    fn problems(text: &str, class: TrafficClass) -> Vec<AssertionError> {
        Assertion::parse(text).expect(text).problems(&[("up", class)])
    }

    #[test]
    fn what_no_run_can_give_is_known_before_it() {
        let pictures: Vec<String> = [
            "throughput > 1 bit/s during 5s..25s",
            "throughput > 1 bit/s during 0.5s..1.2s",
            "throughput > sender.throughput during 0.05s..0.15s",
            "throughput > 1 bit/s for 95% of 150ms windows",
            "throughput > 1 bit/s for 95% of 50ms windows",
            "throughput > 1 bit/s for 95% of 10s windows",
            "throughput > 1 bit/s for 95% of 500ms windows during 0.2s..0.6s",
            "p99(throughput) > 1 bit/s",
            "p75(throughput) > 1 bit/s during 0.2s..0.5s",
            "stdev(throughput) < 1 Mbit/s during 0.2s..0.3s",
            "throughput > p1(sender.throughput)",
        ]
        .iter()
        .flat_map(|text| {
            let problems = problems(text, CLASS);
            assert_eq!(problems.len(), 1, "{text}");
            problems.into_iter().map(|problem| picture(text, &problem)).collect::<Vec<_>>()
        })
        .collect();
        insta::assert_snapshot!(pictures.join("\n"));
    }

    #[test]
    fn what_a_run_may_give_is_judged_after_it() {
        for text in [
            "throughput > 1 bit/s during 0s..1s",
            "throughput > 1 bit/s during 0.5s..1.05s",
            "throughput > 1 bit/s for 95% of 100ms windows",
            "throughput > 1 bit/s for 95% of 1s windows",
            "throughput > 1 bit/s for 95% of 300ms windows during 0.2s..0.5s",
            "p90(throughput) > 1 bit/s",
            "p99(latency) < 5 ms",
            "mean(throughput) > 1 bit/s during 0.2s..0.3s",
        ] {
            assert_eq!(problems(text, CLASS), [], "{text}");
        }
        let unknown = TrafficClass { interval: None, time: None, ..CLASS };
        assert_eq!(problems("p99(throughput) > 1 bit/s during 5s..25s", unknown), []);
        let bytes = TrafficClass { time: None, ..CLASS };
        assert_eq!(problems("p99(throughput) > 1 bit/s during 5s..25s", bytes), []);
        let short = TrafficClass { time: Some(Duration::from_millis(950)), ..CLASS };
        assert_eq!(
            problems("throughput > 1 bit/s for 50% of 500ms windows during 0s..1s", short),
            []
        );
    }
}
