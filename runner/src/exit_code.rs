//! Every exit code of the program.

use linerate_schema::results::{RunResult, VerdictCounts};

/// What a pipeline learns from the program's exit code. The numbers are a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExitCode {
    /// 0: everything that ran passed; or the command did what it was asked to do.
    Passed,
    /// 1: an assertion failed.
    Failed,
    /// 2: the command line or the scenario is wrong; nothing was run.
    Usage,
    /// 3: something could not be measured: a host, a permission, no data; or a report could not be written.
    CouldNotRun,
    /// 4: measured, but not trustworthy enough to judge; nothing failed.
    Inconclusive,
    /// 5: nothing was selected, or all that was selected was skipped.
    NothingSelected,
    /// 130: interrupted; reports of what was measured until then are still written.
    Interrupted,
}

impl ExitCode {
    /// Every code, in the order of the numbers.
    pub const ALL: [Self; 7] = [
        Self::Passed,
        Self::Failed,
        Self::Usage,
        Self::CouldNotRun,
        Self::Inconclusive,
        Self::NothingSelected,
        Self::Interrupted,
    ];

    /// The number given to the system.
    #[must_use]
    pub fn as_u8(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::CouldNotRun => 3,
            Self::Inconclusive => 4,
            Self::NothingSelected => 5,
            Self::Interrupted => 130,
        }
    }

    /// What the code means, as help texts say it.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Passed => "all passed",
            Self::Failed => "an assertion failed",
            Self::Usage => "usage error or invalid scenario",
            Self::CouldNotRun => "could not run or measure: host, permission, no data",
            Self::Inconclusive => "measured, but not trustworthy enough to judge",
            Self::NothingSelected => "nothing was selected, or all of it was skipped",
            Self::Interrupted => "interrupted; reports of what was measured are written",
        }
    }

    /// The code of a run with these cases: an interruption over a failure over an error over inconclusive.
    #[must_use]
    pub fn of_verdicts(counts: VerdictCounts, interrupted: bool) -> Self {
        if interrupted {
            Self::Interrupted
        } else if counts.fail > 0 {
            Self::Failed
        } else if counts.error > 0 {
            Self::CouldNotRun
        } else if counts.inconclusive > 0 {
            Self::Inconclusive
        } else if counts.pass > 0 {
            Self::Passed
        } else {
            Self::NothingSelected
        }
    }

    /// The code of a finished run.
    #[must_use]
    pub fn of_run(result: &RunResult) -> Self {
        let counts = VerdictCounts::of(result.cases.iter().map(|case| case.verdict));
        Self::of_verdicts(counts, result.interrupted)
    }

    /// This code when something else could not be done besides: a failure and an interruption stay what they are.
    #[must_use]
    pub fn or_could_not_run(self) -> Self {
        match self {
            Self::Failed | Self::Interrupted | Self::Usage => self,
            Self::Passed | Self::CouldNotRun | Self::Inconclusive | Self::NothingSelected => {
                Self::CouldNotRun
            }
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.as_u8())
    }
}

#[cfg(test)]
mod tests {
    use linerate_schema::results::Verdict;

    use super::*;

    fn of(verdicts: &[Verdict], interrupted: bool) -> u8 {
        let counts = VerdictCounts::of(verdicts.iter().copied());
        ExitCode::of_verdicts(counts, interrupted).as_u8()
    }

    #[test]
    fn the_code_follows_the_worst_verdict() {
        use Verdict::*;
        let table: [(&[Verdict], u8); 9] = [
            (&[Pass, Pass], 0),
            (&[Pass, Skipped], 0),
            (&[Pass, Fail], 1),
            (&[Error, Fail, Inconclusive], 1),
            (&[Pass, Error, Inconclusive], 3),
            (&[Error], 3),
            (&[Pass, Inconclusive], 4),
            (&[Skipped], 5),
            (&[], 5),
        ];
        for (verdicts, code) in table {
            assert_eq!(of(verdicts, false), code, "{verdicts:?}");
            assert_eq!(of(verdicts, true), 130, "{verdicts:?}");
        }
    }

    #[test]
    fn every_code_has_its_own_number_and_meaning() {
        assert_eq!(ExitCode::ALL.map(ExitCode::as_u8), [0, 1, 2, 3, 4, 5, 130]);
        for (index, code) in ExitCode::ALL.iter().enumerate() {
            assert!(ExitCode::ALL[..index].iter().all(|other| other.meaning() != code.meaning()));
        }
    }

    #[test]
    fn a_report_that_could_not_be_written_spoils_only_a_pass() {
        for (code, expected) in [
            (ExitCode::Passed, ExitCode::CouldNotRun),
            (ExitCode::Inconclusive, ExitCode::CouldNotRun),
            (ExitCode::Failed, ExitCode::Failed),
            (ExitCode::Interrupted, ExitCode::Interrupted),
        ] {
            assert_eq!(code.or_could_not_run(), expected);
        }
    }
}
