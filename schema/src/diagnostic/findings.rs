use std::cell::RefCell;
use std::collections::HashMap;

use super::Diagnostic;
use crate::Span;

/// Reading ends after this many problems: nobody reads more, and a hostile file could have millions.
const MOST: usize = 1000;

/// Collects the problems of a file.
///
/// The same file is looked at many times, once for each cell of each matrix. A problem found again in a later pass
/// (same code, place and message) is the same mistake of the user and is kept once; two problems of one pass are both kept.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    kept: Vec<Diagnostic>,
    pass: Pass,
    /// The pass in which a problem was seen first.
    seen: HashMap<(&'static str, Option<Span>, String), u32>,
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
        if state.kept.len() >= MOST {
            return;
        }
        let key = (diagnostic.code, diagnostic.span, diagnostic.message.clone());
        let first = *state.seen.entry(key).or_insert(pass);
        if first != pass {
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

    /// Whether there is no use in looking for more.
    pub(crate) fn is_full(&self) -> bool {
        self.state.borrow().kept.len() >= MOST
    }

    /// Everything found, sorted by place, with the name of the file.
    pub(crate) fn close(self, file: &str) -> Vec<Diagnostic> {
        let is_full = self.is_full();
        let mut kept = self.state.into_inner().kept;
        kept.sort_by_key(|diagnostic| diagnostic.span.map(|span| (span.start, span.end)));
        if is_full {
            let message = format!("reading ended after {MOST} problems; there may be more");
            kept.push(Diagnostic::error("too-many-problems", None, message));
        }
        for diagnostic in &mut kept {
            file.clone_into(&mut diagnostic.file);
        }
        kept
    }
}
