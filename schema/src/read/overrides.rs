use std::path::Path;

use indexmap::IndexMap;
use minijinja::Value;

use crate::decode::{Budget, Context};
use crate::diagnostic::{Diagnostic, Findings, Level, quoted};
use crate::document::{self, NodeKind, ScalarValue, resolve_plain};
use crate::source_file::SourceFile;
use crate::template::{Scope, Templates, environment};

/// Code of the diagnostic about an override that the scenario has no variable for.
pub const UNKNOWN_OVERRIDE: &str = "unknown-override";

/// Values for the variables of a scenario that come from outside the file. What is set later wins.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    values: IndexMap<String, Override>,
    unknown: Unknown,
}

/// What an override means that the scenario has no variable for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Unknown {
    /// A typing error.
    #[default]
    Error,
    /// Perhaps the variable of another scenario.
    Warning,
}

#[derive(Debug, Clone)]
pub(crate) struct Override {
    pub(crate) value: Value,
    /// Where it comes from, such as `--var rate=5`.
    pub(crate) origin: String,
}

impl Overrides {
    /// Sets a variable from text, which is typed like an unquoted value of the file: `5` is a number.
    /// `origin` names the place it comes from in messages, such as `--var`.
    pub fn set(&mut self, name: &str, text: &str, origin: &str) {
        let value = match resolve_plain(text) {
            ScalarValue::Bool(value) => Value::from(value),
            // Only a number that prints as it was written may change its type.
            ScalarValue::Integer(number) if number.to_string() == text => Value::from(number),
            ScalarValue::Float(number) if number.to_string() == text => Value::from(number),
            _ => Value::from(text),
        };
        self.insert(name, value, format!("{origin} {name}"));
    }

    /// Sets the variables that the environment has as `LINERATE_VAR_name`; `variables` are its names and values.
    pub fn set_from_environment(&mut self, variables: impl IntoIterator<Item = (String, String)>) {
        for (variable, text) in variables {
            if let Some(name) = variable.strip_prefix("LINERATE_VAR_") {
                self.set(name, &text, &format!("the environment's {variable} sets"));
            }
        }
    }

    /// Sets the variables of a YAML file that is a mapping of names and values.
    ///
    /// # Errors
    /// Every problem of the file, with its text to show them in.
    pub fn set_from_file(&mut self, path: &Path) -> Result<(), (Vec<Diagnostic>, SourceFile)> {
        let findings = Findings::default();
        let source = match SourceFile::read(path) {
            Ok(source) => source,
            Err(diagnostic) => {
                findings.add(*diagnostic);
                SourceFile::new(path.display().to_string(), "")
            }
        };
        if findings.count() == 0 {
            self.read_source(&source, &findings);
        }
        match findings.count() {
            0 => Ok(()),
            _ => Err((findings.close(source.name()), source)),
        }
    }

    /// Lets an override that a scenario has no variable for be a warning (code [`UNKNOWN_OVERRIDE`]): with several
    /// scenarios not each needs every variable.
    pub fn tolerate_unknown(&mut self) {
        self.unknown = Unknown::Warning;
    }

    pub(super) fn unknown_level(&self) -> Level {
        match self.unknown {
            Unknown::Error => Level::Error,
            Unknown::Warning => Level::Warning,
        }
    }

    fn read_source(&mut self, source: &SourceFile, findings: &Findings) {
        let Some(document) = document::parse(source, findings) else { return };
        let root = document.root();
        let NodeKind::Mapping(entries) = &document.node(root).kind else {
            findings.add(
                Diagnostic::error("wrong-type", document.span(root), "this is not a mapping")
                    .help("write one `name: value` per line"),
            );
            return;
        };
        let environment = environment();
        let templates = Templates::new(&environment, &document);
        let budget = Budget::default();
        let context = Context {
            source,
            document: &document,
            templates: &templates,
            findings,
            budget: &budget,
        };
        for entry in entries {
            if let Ok(value) = context.value(entry.value, &Scope::default()) {
                let origin = format!("{}:{} sets", source.name(), entry.key.span.line);
                self.insert(&entry.key, value, format!("{origin} {}", quoted(&entry.key)));
            }
        }
    }

    fn insert(&mut self, name: &str, value: Value, origin: String) {
        self.values.insert(name.to_owned(), Override { value, origin });
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Override)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value))
    }

    pub(crate) fn of(&self, name: &str) -> Option<&Value> {
        self.values.get(name).map(|value| &value.value)
    }
}
