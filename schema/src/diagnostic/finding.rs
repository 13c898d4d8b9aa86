use serde::Serialize;

use crate::Span;

/// One problem of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Kebab-case name of the kind of problem; stable between versions.
    pub code: &'static str,
    /// How bad it is.
    pub level: Level,
    /// Path of the file as it was given.
    pub file: String,
    /// The place; absent when the problem is one of the file as a whole or does not come from it.
    pub span: Option<Span>,
    /// What is wrong: lower-case, one sentence, without final period.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Other places that belong to the problem.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// The file cannot be used.
    Error,
    /// The file can be used, but probably does not say what was meant.
    Warning,
}

/// Another place that belongs to a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Related {
    /// The place.
    pub span: Span,
    /// What is there.
    pub label: String,
}

impl Diagnostic {
    /// An error at a place. The file's name is filled in when the findings of a file are closed.
    pub(crate) fn error(
        code: &'static str,
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            level: Level::Error,
            file: String::new(),
            // Line 0 marks a value that does not come from the file.
            span: span.into().filter(|span| span.line > 0),
            message: message.into(),
            help: None,
            related: Vec::new(),
        }
    }

    /// Says what to do about it.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what to do about it, if that is known.
    pub(crate) fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// Points at another place that belongs to the problem; nothing for a place outside the file.
    pub(crate) fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        if span.line > 0 {
            self.related.push(Related { span, label: label.into() });
        }
        self
    }
}
