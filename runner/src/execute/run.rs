use std::time::{Duration, Instant};

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use linerate_engine::cancel::Cancel;
use linerate_schema::results::{
    CaseResult, FlowFailureKind, FlowResult, RESULTS_VERSION, RunResult, Tool, Verdict,
    VerdictCounts,
};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::case_result::{ran_case, skipped_case};
use super::case_run::{STOP_PATIENCE, Surroundings, run_flows};
use super::external_silence::ExternalSilence;
use super::open_hosts::{OpenHost, OpenHosts};
use super::settings::{AfterFailure, Settings};
use super::stopping::StoppingServers;
use crate::event::{RunEvent, RunEventKind};
use crate::exit_code::ExitCode;
use crate::hosts;
use crate::plan::Plan;
use crate::verdict::overall_verdict;

/// Why cases after an interruption are skipped.
const INTERRUPTED: &str = "interrupted";

/// Runs a plan to its end, telling `events` what happens, and returns the result.
///
/// Blocks. Cases run one after another; the flows of a case run together. `cancel` ends the traffic at once: what was
/// measured until then stays in the result, the case at hand is an error (interrupted), and the cases after it are
/// skipped. Cases that never began have no events of their own.
pub fn run(
    plan: &Plan,
    settings: &Settings,
    events: impl Fn(RunEvent) + Send + Sync,
    cancel: &Cancel,
) -> RunResult {
    run_on(plan, settings, &hosts::open, events, cancel)
}

/// [`run`], on hosts that `open` gives.
pub fn run_on(
    plan: &Plan,
    settings: &Settings,
    open: OpenHost<'_>,
    events: impl Fn(RunEvent) + Send + Sync,
    cancel: &Cancel,
) -> RunResult {
    let began = Instant::now();
    let started_at = now();
    let tell = |kind| events(RunEvent { elapsed: began.elapsed(), kind });
    tell(RunEventKind::RunStarted { cases: plan.selected().count(), expected: plan.expected() });
    let hosts = OpenHosts::of_plan(plan, open);
    let around = Surroundings { plan, hosts: &hosts, settings, cancel, tell: &tell };
    let cases = run_cases(&around);
    let interrupted = cases.iter().any(was_interrupted);
    let counts = VerdictCounts::of(cases.iter().map(|case| case.verdict));
    let result = RunResult {
        results_version: RESULTS_VERSION,
        tool: Tool { name: "linerate".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        scenario: plan.scenario.clone(),
        seed: settings.seed,
        started_at,
        duration_seconds: began.elapsed().as_secs_f64(),
        verdict: overall_verdict(&cases),
        exit_code: ExitCode::of_verdicts(counts, interrupted).as_u8(),
        interrupted,
        counts,
        hosts: hosts.facts(),
        cases,
    };
    tell(RunEventKind::RunFinished { result: Box::new(result.clone()) });
    result
}

fn run_cases(around: &Surroundings<'_>) -> Vec<CaseResult> {
    let mut random = StdRng::seed_from_u64(around.settings.seed);
    let mut stopping = StoppingServers::new();
    let mut silence = ExternalSilence::default();
    let mut skip_rest: Option<String> = None;
    let mut results = Vec::with_capacity(around.plan.cases.len());
    for (index, case) in around.plan.cases.iter().enumerate() {
        if skip_rest.is_none() && around.cancel.is_cancelled() {
            skip_rest = Some(INTERRUPTED.to_owned());
        }
        if let Some(reason) = case.skip.as_ref().or(skip_rest.as_ref()) {
            results.push(skipped_case(case, around.plan, reason));
            continue;
        }
        let result = run_case(around, index, &mut random, (&mut stopping, &mut silence));
        let failed = matches!(result.verdict, Verdict::Fail | Verdict::Error);
        if failed && around.settings.after_failure == AfterFailure::Stop {
            skip_rest.get_or_insert(format!("{} failed and the run stops at a failure", case.id));
        }
        results.push(result);
    }
    stopping.wait(STOP_PATIENCE);
    results
}

fn run_case(
    around: &Surroundings<'_>,
    index: usize,
    random: &mut StdRng,
    (stopping, silence): (&mut StoppingServers, &mut ExternalSilence),
) -> CaseResult {
    let case = &around.plan.cases[index];
    (around.tell)(RunEventKind::CaseStarted {
        index,
        id: case.id.clone(),
        expected: case.expected,
    });
    let began = Instant::now();
    let started_at = now();
    let flows: Vec<FlowResult> = run_flows(around, index, random, (stopping, silence));
    let took: Duration = began.elapsed();
    let result = ran_case(case, around.plan, started_at, took, flows);
    (around.tell)(RunEventKind::CaseFinished { index, result: Box::new(result.clone()) });
    result
}

/// Whether the case did not run, or not to its end, because of an interruption.
fn was_interrupted(case: &CaseResult) -> bool {
    let failures = case.flows.iter().filter_map(|flow| flow.failure.as_ref());
    case.reason.as_deref() == Some(INTERRUPTED)
        || failures.into_iter().any(|failure| failure.kind == FlowFailureKind::Interrupted)
}

/// The present time, RFC 3339 in UTC, to the millisecond.
fn now() -> String {
    let now = Timestamp::now();
    let to_millisecond = TimestampRound::new().smallest(Unit::Millisecond).mode(RoundMode::Trunc);
    now.round(to_millisecond).unwrap_or(now).to_string()
}
