use std::cell::RefCell;
use std::collections::HashMap;

use super::Diagnostic;
use crate::Span;

/// More problems than this are counted, not kept: nobody reads them, and a hostile file could have millions.
const KEPT: usize = 1000;

/// Collects the problems of a file.
///
/// The same file is looked at many times, once for each cell of each matrix. A problem found again in a later pass
/// (same code, same place) is the same mistake of the user and is kept once; two problems of one pass are both kept.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    kept: Vec<Diagnostic>,
    dropped: usize,
    pass: Pass,
    /// The pass in which a problem was seen first.
    seen: HashMap<(&'static str, Option<Span>), u32>,
    reported: usize,
}

#[derive(Debug, Default)]
struct Pass {
    number: u32,
    note: Option<String>,
}

impl Findings {
    /// Starts the next pass; `note` names it in the help of what is found in it.
    pub(crate) fn start_pass(&self, note: Option<String>) {
        let mut state = self.state.borrow_mut();
        state.pass.number += 1;
        state.pass.note = note;
    }

    /// Adds a problem.
    pub(crate) fn add(&self, mut diagnostic: Diagnostic) {
        let mut state = self.state.borrow_mut();
        state.reported += 1;
        let pass = state.pass.number;
        let first = *state.seen.entry((diagnostic.code, diagnostic.span)).or_insert(pass);
        if first != pass {
            return;
        }
        if state.kept.len() >= KEPT {
            state.dropped += 1;
            return;
        }
        if let Some(note) = &state.pass.note {
            diagnostic.message = format!("{} ({note})", diagnostic.message);
        }
        state.kept.push(diagnostic);
    }

    /// Number of problems so far, repeated ones included, to see whether a step found any.
    pub(crate) fn count(&self) -> usize {
        self.state.borrow().reported
    }

    /// Everything found, sorted by place, with the name of the file.
    pub(crate) fn close(self, file: &str) -> Vec<Diagnostic> {
        let State { mut kept, dropped, .. } = self.state.into_inner();
        kept.sort_by_key(|diagnostic| diagnostic.span.map(|span| (span.start, span.end)));
        if dropped > 0 {
            kept.push(Diagnostic::error(
                "too-many-problems",
                None,
                format!("{dropped} more problems are not shown"),
            ));
        }
        for diagnostic in &mut kept {
            file.clone_into(&mut diagnostic.file);
        }
        kept
    }
}
