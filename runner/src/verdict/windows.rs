use linerate_schema::assertion::Windows;
use linerate_schema::results::{Comparison, Verdict};
use linerate_schema::units::{Dimension, Seconds};

use super::figure::count;
use super::judge::{Judged, not_judged};
use super::limit::Limit;
use super::scope::{Bench, Scope};
use super::sentence::{span_text, subject_text};
use super::series::Part;

/// How the windows of a run came out.
#[derive(Debug, Default)]
struct Tally {
    holding: usize,
    failing: usize,
    doubtful: usize,
    unmeasured: usize,
    /// Why the first doubtful or unmeasured window is one.
    reason: Option<String>,
    /// The worst measured value and where it was.
    worst: Option<(f64, String)>,
}

impl<'a> Bench<'a> {
    /// Judges a share of the windows of a scope.
    pub(super) fn judge_windows(&self, scope: &Scope<'a>, windows: &Windows) -> Judged {
        let text = |limit: &str| format!("{limit} {windows}");
        let limit = match self.limit(scope.subject.flow) {
            Ok(limit) => limit,
            Err(why) => return not_judged(scope, text(&self.assertion.condition.to_string()), why),
        };
        match self.windows_of(scope, windows) {
            Ok(parts) => self.judge_parts(scope, windows, &parts, &limit),
            Err(why) => not_judged(scope, text(&limit.text), why),
        }
    }

    fn windows_of(&self, scope: &Scope<'a>, windows: &Windows) -> Result<Vec<Part>, String> {
        let left = &self.assertion.left;
        let during = self.assertion.clauses.during.as_ref().map(|during| &during.value);
        let side = left.side().ok_or_else(|| format!("`{}` has no intervals", left.metric))?;
        scope.subject.series(side, during)?.windows(windows.length.si())
    }

    fn judge_parts(
        &self,
        scope: &Scope<'a>,
        windows: &Windows,
        parts: &[Part],
        limit: &Limit,
    ) -> Judged {
        let left = &self.assertion.left;
        let mut tally = Tally::default();
        for part in parts {
            tally.add(scope.subject.measure_part(left, part), part, limit, left.metric.dimension());
        }
        let verdict = match tally.verdict(windows.share.si()) {
            Verdict::Pass | Verdict::Fail if limit.doubt.is_some() => Verdict::Inconclusive,
            verdict => verdict,
        };
        let name = subject_text(left, &scope.subject);
        let dimension = left.metric.dimension();
        let length = Seconds(windows.length());
        let (held, share) = (tally.held(), tally.share());
        let mut sentence = format!(
            "{name} {} held in {held} of {length} ({share}), required {}",
            limit.text, windows.share
        );
        if let Some((value, place)) = &tally.worst {
            sentence.push_str(&format!("; the worst was {} in {place}", dimension.format(*value)));
        }
        let judged = matches!(verdict, Verdict::Pass | Verdict::Fail);
        let reason = limit.doubt.as_ref().or(tally.reason.as_ref()).filter(|_| !judged);
        if let Some(reason) = reason {
            sentence.push_str(&format!("; {reason}"));
        }
        Judged {
            comparison: Comparison {
                scope: scope.label.clone(),
                verdict,
                measured: tally.worst.as_ref().map(|(value, _)| *value),
                measured_text: format!("{held} ({share})"),
                limit: limit.single(),
                limit_text: format!("{} {windows}", limit.text),
                samples: Some(tally.total() as u64),
            },
            sentence,
            nearness: None,
        }
    }
}

impl Tally {
    fn add(
        &mut self,
        answer: super::measured::Answer,
        part: &Part,
        limit: &Limit,
        dimension: Dimension,
    ) {
        let place = || span_text(part.start, part.end);
        let measured = match answer {
            Ok(measured) => measured,
            Err(why) => {
                self.unmeasured += 1;
                self.reason.get_or_insert_with(|| format!("in {}: {why}", place()));
                return;
            }
        };
        let value = measured.against(limit);
        if self.worst.as_ref().is_none_or(|(worst, _)| limit.is_worse(value, *worst)) {
            self.worst = Some((value, place()));
        }
        match measured.doubt_about(limit, dimension) {
            Some(doubt) => {
                self.doubtful += 1;
                self.reason.get_or_insert_with(|| format!("in {}: {doubt}", place()));
            }
            None if limit.holds(value) => self.holding += 1,
            None => self.failing += 1,
        }
    }

    fn total(&self) -> usize {
        self.holding + self.failing + self.doubtful + self.unmeasured
    }

    /// A pass needs enough windows that hold; a fail, so many that do not hold that the rest cannot make up for them.
    fn verdict(&self, share: f64) -> Verdict {
        let enough =
            |windows: usize| count(windows as u64) + 1e-9 >= share * count(self.total() as u64);
        if enough(self.holding) {
            Verdict::Pass
        } else if enough(self.holding + self.doubtful) {
            Verdict::Inconclusive
        } else if enough(self.holding + self.doubtful + self.unmeasured) {
            Verdict::Error
        } else {
            Verdict::Fail
        }
    }

    fn share(&self) -> String {
        let total = count(self.total().max(1) as u64);
        Dimension::Ratio.format(count(self.holding as u64) / total)
    }

    fn held(&self) -> String {
        let total = self.total();
        let windows = if total == 1 { "window" } else { "windows" };
        format!("{} of {total} {windows}", self.holding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_windows_that_hold_make_a_pass() {
        let verdict = |holding, failing, doubtful, unmeasured, share| {
            Tally { holding, failing, doubtful, unmeasured, ..Tally::default() }.verdict(share)
        };
        assert_eq!(verdict(19, 1, 0, 0, 0.95), Verdict::Pass);
        assert_eq!(verdict(18, 2, 0, 0, 0.95), Verdict::Fail);
        assert_eq!(verdict(18, 1, 1, 0, 0.95), Verdict::Inconclusive);
        assert_eq!(verdict(18, 1, 0, 1, 0.95), Verdict::Error);
        assert_eq!(verdict(17, 2, 0, 1, 0.95), Verdict::Fail);
        assert_eq!(verdict(10, 0, 0, 0, 1.0), Verdict::Pass);
        assert_eq!(verdict(9, 1, 0, 0, 1.0), Verdict::Fail);
        assert_eq!(verdict(7, 3, 0, 0, 0.7), Verdict::Pass);
    }
}
