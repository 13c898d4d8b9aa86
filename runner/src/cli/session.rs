use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, mpsc};
use std::thread;
use std::time::Instant;

use linerate_engine::cancel::Cancel;
use linerate_schema::results::{RunResult, Verdict};

use super::event_log::EventLog;
use super::{CommandError, interrupt};
use crate::display::Progress;
use crate::event::RunEvent;
use crate::execute::{self, AfterFailure, Settings};
use crate::plan::Plan;

/// What the scenarios of one command share while they run.
pub(super) struct Session {
    settings: Settings,
    cancel: Cancel,
    progress: Arc<Mutex<Progress>>,
    interruption: Arc<Once>,
    events: Option<EventLog>,
    started: Instant,
}

impl Session {
    /// Listens for signals from now on.
    pub(super) fn start(
        settings: Settings,
        progress: Progress,
        events: Option<EventLog>,
    ) -> Result<Self, CommandError> {
        let session = Self {
            settings,
            cancel: Cancel::new(),
            progress: Arc::new(Mutex::new(progress)),
            interruption: Arc::new(Once::new()),
            events,
            started: Instant::now(),
        };
        let (progress, told) = (Arc::clone(&session.progress), Arc::clone(&session.interruption));
        interrupt::watch(session.cancel.clone(), move || tell_interruption(&told, &progress))
            .map_err(|error| CommandError::Signals { reason: error.to_string() })?;
        Ok(session)
    }

    /// Runs plans one after the other. After an interrupt, or a failure that is to end the run, the cases of those
    /// that are left are in the results as skipped.
    pub(super) fn run_all(&mut self, plans: Vec<Plan>) -> Vec<RunResult> {
        let several = plans.len() > 1;
        let mut runs: Vec<RunResult> = Vec::new();
        for mut plan in plans {
            if self.is_over(&runs) {
                skip_all(&mut plan);
            }
            if several {
                lock(&self.progress).heading(&plan.scenario);
            }
            runs.push(self.run_one(&plan));
        }
        if self.cancel.is_cancelled() {
            tell_interruption(&self.interruption, &self.progress);
        }
        runs
    }

    /// Closes the event log.
    ///
    /// # Errors
    /// When an event could not be written to it.
    pub(super) fn finish(self) -> Result<(), CommandError> {
        self.events.map_or(Ok(()), EventLog::finish)
    }

    fn is_over(&self, runs: &[RunResult]) -> bool {
        let failed = runs.iter().any(|run| matches!(run.verdict, Verdict::Fail | Verdict::Error));
        failed && self.settings.after_failure == AfterFailure::Stop
    }

    /// Events are shown on a thread of their own, so that a slow terminal never slows traffic down.
    fn run_one(&mut self, plan: &Plan) -> RunResult {
        let (sender, receiver) = mpsc::channel::<RunEvent>();
        let offset = self.started.elapsed();
        let (progress, log) = (&self.progress, &mut self.events);
        thread::scope(|scope| {
            scope.spawn(move || {
                for event in receiver {
                    if let Some(log) = log {
                        log.write(&plan.scenario.file, offset, &event);
                    }
                    lock(progress).show(&event);
                }
            });
            // The receiver only ends when this sender is dropped.
            let tell = move |event| drop(sender.send(event));
            execute::run(plan, &self.settings, tell, &self.cancel)
        })
    }
}

/// Tells once that the run was interrupted, whoever comes first.
fn tell_interruption(told: &Once, progress: &Mutex<Progress>) {
    told.call_once(|| {
        lock(progress)
            .note("interrupted: stopping the traffic; interrupt again to leave without reports");
    });
}

fn skip_all(plan: &mut Plan) {
    for case in &mut plan.cases {
        case.skip.get_or_insert_with(|| {
            "a case of an earlier scenario did not pass (--fail-fast)".to_owned()
        });
    }
}

fn lock(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
