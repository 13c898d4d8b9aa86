use linerate_schema::results::{
    AssertionResult, CaseResult, FlowResult, RunResult, Severity, SourceLocation, Verdict,
};

/// Something in a run that did not pass, and that a reader must hear of before anything else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub(crate) case: &'a CaseResult,
    pub(crate) subject: Subject<'a>,
}

/// What did not pass.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// The case as a whole; none of its flows or assertions says why.
    Case,
    /// A flow that did not run to its end or moved no data.
    Flow(&'a FlowResult),
    /// An assertion.
    Assertion(&'a AssertionResult),
}

impl<'a> Problem<'a> {
    /// Everything that did not pass: what fails the run by verdict, then the warnings; otherwise in order of the plan.
    pub(crate) fn all_of(run: &'a RunResult) -> Vec<Self> {
        let mut problems: Vec<_> = run.cases.iter().flat_map(Self::of_case).collect();
        problems.sort_by_key(|problem| problem.rank());
        problems
    }

    fn of_case(case: &'a CaseResult) -> impl Iterator<Item = Self> {
        let case_itself = is_unexplained(case).then_some(Self { case, subject: Subject::Case });
        let flows = case.flows.iter().map(move |flow| Self { case, subject: Subject::Flow(flow) });
        let assertions =
            case.assertions.iter().map(move |a| Self { case, subject: Subject::Assertion(a) });
        case_itself.into_iter().chain(flows).chain(assertions).filter(|p| is_problem(p.verdict()))
    }

    pub(crate) fn verdict(&self) -> Verdict {
        match self.subject {
            Subject::Case => self.case.verdict,
            Subject::Flow(flow) => flow.verdict,
            Subject::Assertion(assertion) => assertion.verdict,
        }
    }

    pub(crate) fn severity(&self) -> Severity {
        match self.subject {
            Subject::Case | Subject::Flow(_) => Severity::Error,
            Subject::Assertion(assertion) => assertion.severity,
        }
    }

    pub(crate) fn location(&self) -> &'a SourceLocation {
        match self.subject {
            Subject::Case => &self.case.location,
            Subject::Flow(flow) => &flow.location,
            Subject::Assertion(assertion) => &assertion.location,
        }
    }

    /// One sentence: what happened.
    pub(crate) fn message(&self) -> &'a str {
        match self.subject {
            Subject::Case => case_message(self.case),
            Subject::Flow(flow) => flow_message(flow),
            Subject::Assertion(assertion) => &assertion.message,
        }
    }

    fn rank(&self) -> u8 {
        match (self.severity(), self.verdict()) {
            (Severity::Error, Verdict::Fail) => 0,
            (Severity::Error, Verdict::Error) => 1,
            (Severity::Error, _) => 2,
            (Severity::Warn, _) => 3,
        }
    }
}

/// Why the case has its verdict, when that is not in a flow or an assertion.
pub(crate) fn case_message(case: &CaseResult) -> &str {
    case.reason.as_deref().unwrap_or("no reason was recorded")
}

/// Why the flow has its verdict.
pub(crate) fn flow_message(flow: &FlowResult) -> &str {
    flow.failure.as_ref().map_or("no reason was recorded", |failure| &failure.message)
}

/// Whether a reader must be told: neither passed nor left out on purpose.
pub(crate) fn is_problem(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Fail | Verdict::Error | Verdict::Inconclusive => true,
        Verdict::Pass | Verdict::Skipped => false,
    }
}

/// Whether a case did not pass although none of its flows and assertions has a verdict as bad.
pub(crate) fn is_unexplained(case: &CaseResult) -> bool {
    let flows = case.flows.iter().map(|flow| flow.verdict);
    let assertions =
        case.assertions.iter().filter(|a| a.severity == Severity::Error).map(|a| a.verdict);
    is_problem(case.verdict) && !flows.chain(assertions).any(|verdict| verdict == case.verdict)
}
