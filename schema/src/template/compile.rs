use std::borrow::Cow;
use std::ops::Range;

use minijinja::value::ValueKind;
use minijinja::{Environment, Expression, Value};

use super::Scope;
use super::size::size_of;
use super::split::{Part, SplitError, split};
use super::text::text_of;
use crate::diagnostic::quoted;
use crate::suggest::did_you_mean;

/// Longest expression; a longer one is a mistake or an attack on the parser's stack.
const MAX_EXPRESSION_BYTES: usize = 1000;

/// Most expressions in one text.
const MAX_EXPRESSIONS: usize = 100;

/// A scalar's text, ready to be evaluated many times.
#[derive(Debug)]
pub(super) enum Template<'t> {
    /// The text is one expression, whose value keeps its type.
    Expression(Compiled<'t>),
    /// Text with expressions in it.
    Text(Vec<Piece<'t>>),
}

#[derive(Debug)]
pub(super) enum Piece<'t> {
    Literal(&'t str),
    Expression(Compiled<'t>),
}

#[derive(Debug)]
pub(super) struct Compiled<'t> {
    expression: Expression<'t, 't>,
    text: &'t str,
    /// Where the expression starts in the scalar's text.
    start: usize,
    /// The variables that it may look up.
    variables: Vec<String>,
}

/// Why a template has no value. Ranges are bytes of the scalar's text.
#[derive(Debug, Clone)]
pub(crate) enum TemplateError {
    /// Something to tell the user.
    Problem { code: &'static str, range: Range<usize>, message: String, help: Option<String> },
    /// What is wrong was reported before, such as the definition of a variable that it uses.
    ReportedBefore,
}

impl TemplateError {
    fn syntax(range: Range<usize>, message: impl Into<String>, help: &str) -> Self {
        Self::Problem {
            code: "template-syntax",
            range,
            message: message.into(),
            help: Some(help.to_owned()),
        }
    }
}

impl<'t> Template<'t> {
    pub(super) fn compile(
        environment: &'t Environment<'t>,
        text: &'t str,
    ) -> Result<Self, Vec<TemplateError>> {
        let parts = split(text).map_err(|error| vec![explain_split(error)])?;
        // Spaces around a lone expression do not turn its value into text.
        let is_blank = |part: &&Part| matches!(part, Part::Literal(range) if text[range.clone()].trim().is_empty());
        let mut solid = parts.iter().filter(|part| !is_blank(part));
        if let (Some(Part::Expression(range)), None) = (solid.next(), solid.next()) {
            let expression = Compiled::new(environment, text, range.clone());
            return expression.map(Self::Expression).map_err(|error| vec![error]);
        }
        if parts.len() > 2 * MAX_EXPRESSIONS {
            let message = format!("a text has at most {MAX_EXPRESSIONS} expressions");
            let error =
                TemplateError::syntax(0..text.len(), message, "build it in steps with `vars`");
            return Err(vec![error]);
        }
        all(parts.into_iter().map(|part| match part {
            Part::Literal(range) => Ok(Piece::Literal(&text[range])),
            Part::Expression(range) => {
                Compiled::new(environment, text, range).map(Piece::Expression)
            }
        }))
        .map(Self::Text)
    }

    pub(super) fn evaluate(&self, scope: &Scope) -> Result<Value, Vec<TemplateError>> {
        match self {
            Self::Expression(expression) => expression.evaluate(scope).map_err(|error| vec![error]),
            Self::Text(pieces) => {
                let pieces = all(pieces.iter().map(|piece| match piece {
                    Piece::Literal(literal) => Ok(Cow::Borrowed(*literal)),
                    Piece::Expression(expression) => {
                        expression.evaluate_as_text(scope).map(Cow::Owned)
                    }
                }))?;
                Ok(Value::from(pieces.concat()))
            }
        }
    }
}

/// All values, or all errors.
fn all<T>(
    results: impl Iterator<Item = Result<T, TemplateError>>,
) -> Result<Vec<T>, Vec<TemplateError>> {
    let mut values = Vec::new();
    let mut errors = Vec::new();
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}

impl<'t> Compiled<'t> {
    fn new(
        environment: &'t Environment<'t>,
        text: &'t str,
        range: Range<usize>,
    ) -> Result<Self, TemplateError> {
        if range.len() > MAX_EXPRESSION_BYTES {
            let message = format!("an expression has at most {MAX_EXPRESSION_BYTES} bytes");
            return Err(TemplateError::syntax(range, message, "build it in steps with `vars`"));
        }
        let start = range.start;
        let text = &text[range.clone()];
        match environment.compile_expression(text) {
            Ok(expression) => {
                let mut variables: Vec<_> =
                    expression.undeclared_variables(false).into_iter().collect();
                variables.retain(|name| !environment.globals().any(|(global, _)| global == name));
                variables.sort_unstable();
                Ok(Self { expression, text, start, variables })
            }
            Err(error) => {
                let message = format!("this is not an expression: {}", detail(&error));
                let at =
                    error.range().map_or(range, |range| start + range.start..start + range.end);
                Err(TemplateError::syntax(
                    at,
                    message,
                    "write an expression such as `{{ rate }}` or `{{ 2 * n }}`",
                ))
            }
        }
    }

    fn evaluate_as_text(&self, scope: &Scope) -> Result<String, TemplateError> {
        let value = self.evaluate(scope)?;
        match value.kind() {
            ValueKind::Bool | ValueKind::Number | ValueKind::String | ValueKind::None => {
                Ok(text_of(&value))
            }
            kind => Err(TemplateError::Problem {
                code: "template-error",
                range: self.start..self.start + self.text.len(),
                message: format!("a {kind} cannot be a part of a text"),
                help: Some(
                    "take one value of it, or put it into a text with `| join(', ')`".to_owned(),
                ),
            }),
        }
    }

    fn evaluate(&self, scope: &Scope) -> Result<Value, TemplateError> {
        if self.variables.iter().any(|name| scope.is_refused(name)) {
            return Err(TemplateError::ReportedBefore);
        }
        match self.expression.eval(scope.as_value()) {
            Ok(value) if value.is_undefined() => Err(self.undefined(scope, None)),
            Ok(value) if size_of(&value).is_none() => Err(TemplateError::Problem {
                code: "template-error",
                range: self.start..self.start + self.text.len(),
                message: "the value of this expression is too large".to_owned(),
                help: None,
            }),
            Ok(value) => Ok(value),
            Err(error) if is_about_undefined(&error) => Err(self.undefined(scope, Some(&error))),
            Err(error) if error.kind() == minijinja::ErrorKind::OutOfFuel => {
                Err(TemplateError::Problem {
                    code: "template-error",
                    range: self.start..self.start + self.text.len(),
                    message: "this expression takes too much work".to_owned(),
                    help: Some("write its value, or use smaller numbers".to_owned()),
                })
            }
            Err(error) => Err(TemplateError::Problem {
                code: "template-error",
                range: self.range_of(&error),
                message: format!("the expression has no value: {}", detail(&error)),
                help: None,
            }),
        }
    }

    /// Names the first variable that does not exist; without one, something like a missing attribute is undefined.
    fn undefined(&self, scope: &Scope, error: Option<&minijinja::Error>) -> TemplateError {
        let missing = self
            .variables
            .iter()
            .filter(|name| !scope.contains(name))
            .filter_map(|name| word(self.text, name).map(|at| (at, name)))
            .min();
        match missing {
            Some((at, name)) => {
                let (message, help) = explain_missing(name, scope);
                let range = self.start + at..self.start + at + name.len();
                TemplateError::Problem {
                    code: "undefined-variable",
                    range,
                    message,
                    help: Some(help),
                }
            }
            None => TemplateError::Problem {
                code: "template-error",
                range: error
                    .map_or(self.start..self.start + self.text.len(), |error| self.range_of(error)),
                message: "the value of this expression is undefined".to_owned(),
                help: Some("the variable has no such part".to_owned()),
            },
        }
    }

    fn range_of(&self, error: &minijinja::Error) -> Range<usize> {
        let inner = error.range().unwrap_or(0..self.text.len());
        self.start + inner.start.min(self.text.len())..self.start + inner.end.min(self.text.len())
    }
}

/// Why a variable does not exist, and what to do.
fn explain_missing(name: &str, scope: &Scope) -> (String, String) {
    let shown = quoted(name);
    match scope.pending().iter().position(|pending| pending == name) {
        Some(0) => {
            let help = "give it a value, or the name of a variable above it";
            (format!("the variable {shown} is made of itself"), help.to_owned())
        }
        Some(_) => {
            let help = format!("move {shown} up: a variable can use those above it");
            (format!("the variable {shown} is declared later"), help)
        }
        None => {
            let help = did_you_mean(name, scope.names()).unwrap_or_else(|| {
                format!("declare it under `vars`, or in the `matrix` of the test: `{name}: …`")
            });
            (format!("there is no variable {shown}"), help)
        }
    }
}

/// Where a name stands as a whole word.
fn word(text: &str, name: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        !text[..*at].chars().next_back().is_some_and(is_word)
            && !text[at + name.len()..].chars().next().is_some_and(is_word)
    })
}

fn explain_split(error: SplitError) -> TemplateError {
    match error {
        SplitError::Unclosed(range) => TemplateError::syntax(
            range,
            "`{{` is not closed by `}}`",
            "write `{{ '{{' }}` for the braces themselves",
        ),
        SplitError::Empty(range) => TemplateError::syntax(
            range,
            "there is no expression between the braces",
            "write an expression such as `{{ rate }}`",
        ),
        SplitError::Statement(range) => TemplateError::syntax(
            range,
            "statements `{% … %}` are not supported",
            "use an expression such as `{{ a if b else c }}`; write `{{ '{%' }}` for the characters themselves",
        ),
    }
}

/// Whether an evaluation failed for want of a variable or an attribute; functions say so only in words.
fn is_about_undefined(error: &minijinja::Error) -> bool {
    error.kind() == minijinja::ErrorKind::UndefinedError
        || error.detail().is_some_and(|detail| detail.contains("undefined"))
}

fn detail(error: &minijinja::Error) -> String {
    error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)
}
