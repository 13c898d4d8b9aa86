use std::path::Path;

use super::Overrides;
use super::reader::read_document;
use crate::Span;
use crate::decode::{Budget, Context};
use crate::diagnostic::{self, Coloring, Diagnostic, Findings, Level};
use crate::document::{self, NodeKind};
use crate::scenario::Scenario;
use crate::source_file::SourceFile;
use crate::template::{Templates, environment};

/// What reading a scenario came to.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The scenario; absent when there is any error.
    pub scenario: Option<Scenario>,
    /// Every problem of the file, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The text that the diagnostics point into; empty when it could not be read.
    pub source: SourceFile,
}

impl Outcome {
    /// The diagnostics as people read them, an empty line between each two; empty without any.
    #[must_use]
    pub fn render(&self, coloring: Coloring) -> String {
        let pictures = self.diagnostics.iter().map(|diagnostic| {
            let mut picture = diagnostic::render(diagnostic, &self.source, coloring);
            picture.push('\n');
            picture
        });
        pictures.collect::<Vec<_>>().join("\n")
    }
}

/// Reads and checks the scenario in a file.
#[must_use]
pub fn read_scenario(path: &Path, overrides: &Overrides) -> Outcome {
    match SourceFile::read(path) {
        Ok(source) => read_source(source, overrides),
        Err(diagnostic) => {
            let source = SourceFile::new(path.display().to_string(), "");
            let findings = Findings::default();
            findings.add(*diagnostic);
            Outcome { scenario: None, diagnostics: findings.close(source.name()), source }
        }
    }
}

/// Reads and checks the scenario in a text; `file` is the name that diagnostics show.
#[must_use]
pub fn read_text(file: &str, text: &str, overrides: &Overrides) -> Outcome {
    read_source(SourceFile::new(file, text), overrides)
}

fn read_source(source: SourceFile, overrides: &Overrides) -> Outcome {
    let findings = Findings::default();
    let scenario = read_into(&source, overrides, &findings);
    let diagnostics = findings.close(source.name());
    let is_usable = !diagnostics.iter().any(|diagnostic| diagnostic.level == Level::Error);
    Outcome { scenario: scenario.filter(|_| is_usable), diagnostics, source }
}

fn read_into(source: &SourceFile, overrides: &Overrides, findings: &Findings) -> Option<Scenario> {
    let document = match document::parse(source, findings) {
        Some(document) => document,
        None if findings.count() > 0 => return None,
        None => {
            findings.add(not_a_scenario(None, "the file is empty"));
            return None;
        }
    };
    let root = document.node(document.root());
    if !matches!(root.kind, NodeKind::Mapping(_)) {
        findings.add(not_a_scenario(Some(root.span), "this is not a scenario"));
        return None;
    }
    let environment = environment();
    let templates = Templates::new(&environment, &document);
    let budget = Budget::default();
    let context =
        Context { source, document: &document, templates: &templates, findings, budget: &budget };
    read_document(&context, overrides)
}

fn not_a_scenario(span: Option<Span>, message: &str) -> Diagnostic {
    Diagnostic::error("not-a-scenario", span, message)
        .help("a scenario is a mapping that starts with `linerate: 1`")
}
