use super::reader::Reader;
use crate::Spanned;
use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::results::Severity;
use crate::scenario::{AssertionEntry, AssertionItem, Presence};
use crate::validate::{DraftFlow, check_assertion, parse_assertion};

/// About what an assertion takes in memory, for the budget of a scenario.
const ASSERTION_BYTES: usize = 500;

impl Reader<'_, '_> {
    /// The items of `assert`, checked against the traffic of their test; none for one that was reported as wrong.
    pub(super) fn read_assertions(
        &self,
        entries: Vec<Spanned<AssertionEntry>>,
        flows: &[DraftFlow],
    ) -> Vec<Option<AssertionItem>> {
        let Context { findings, document, .. } = *self.context;
        let entries = entries.into_iter().take_while(|_| {
            !findings.is_full() && self.context.spend(document.root(), ASSERTION_BYTES).is_ok()
        });
        entries.map(|entry| self.read_assertion(entry, flows)).collect()
    }

    fn read_assertion(
        &self,
        entry: Spanned<AssertionEntry>,
        flows: &[DraftFlow],
    ) -> Option<AssertionItem> {
        let (text, severity, because) = match entry.value {
            AssertionEntry::Check(text) => {
                (Spanned::new(text, entry.span), Severity::default(), None)
            }
            AssertionEntry::Detailed(details) => {
                if details.check.is_missing() {
                    self.context.findings.add(
                        Diagnostic::error("missing-key", entry.span, "the key `check` is missing")
                            .help("add the assertion: `check: throughput >= 900 Mbit/s`"),
                    );
                }
                let text = match details.check {
                    Presence::Given(text) => text,
                    Presence::Missing | Presence::Refused => return None,
                };
                (text, details.severity.unwrap_or_default(), details.because)
            }
        };
        let assertion = parse_assertion(self.context.source, &text, self.context.findings)?;
        let Context { source, findings, .. } = self.context;
        check_assertion(source, &text, &assertion, flows, &self.hosts, findings);
        Some(AssertionItem { text, assertion, severity, because })
    }
}
