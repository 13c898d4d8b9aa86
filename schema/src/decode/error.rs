use std::fmt;

use serde::de::{Error, Expected, Unexpected};

use super::fields::fields_of;
use super::foreign::foreign;
use super::planned::planned;
use super::ranges::range_of;
use crate::diagnostic::quoted;
use crate::scenario::{ClientOptions, HostEntry, ScenarioDocument, ServerOptions, TestEntry};
use crate::suggest::did_you_mean;

/// Why a value could not be decoded.
#[derive(Debug)]
pub(super) enum DecodeError {
    /// Something to tell the user, at the place of the value.
    Problem { code: &'static str, message: String, help: Option<String> },
    /// It was told already.
    Reported,
    /// There is no value, because it was told already why it cannot be used.
    Absent,
}

impl DecodeError {
    pub(super) fn problem(code: &'static str, message: impl Into<String>) -> Self {
        Self::Problem { code, message: message.into(), help: None }
    }

    pub(super) fn wrong_type(expected: &str, found: &str) -> Self {
        Self::problem("wrong-type", format!("expected {expected}, found {found}"))
    }

    pub(super) fn help(self, text: impl Into<String>) -> Self {
        match self {
            Self::Problem { code, message, .. } => {
                Self::Problem { code, message, help: Some(text.into()) }
            }
            other => other,
        }
    }
}

impl DecodeError {
    /// The same about the value of this key.
    pub(super) fn about(self, key: &str) -> Self {
        match self {
            Self::Problem { code: "out-of-range", message, help } => {
                let (Some(number), Some(range)) =
                    (message.strip_suffix(OUT_OF_RANGE), range_of(key))
                else {
                    return Self::Problem { code: "out-of-range", message, help };
                };
                let help = match range.start() == range.end() {
                    true => format!("write {}", range.start()),
                    false => format!("write {} to {}", range.start(), range.end()),
                };
                let message = format!("`{key}` cannot be {number}");
                Self::problem("out-of-range", message).help(help)
            }
            Self::Problem { code: "wrong-type", message, .. } if key == "tests" => {
                Self::problem("wrong-type", message).help(
                    "write a list of tests, such as `- { name: upload, client: { server: {} } }`",
                )
            }
            other => other,
        }
    }

    /// The same about an element of a list.
    pub(super) fn in_list(self) -> Self {
        match self {
            Self::Problem { code: "missing-value", .. } => {
                Self::problem("missing-value", "this entry of the list has no value")
                    .help("give it one, or remove it")
            }
            other => other,
        }
    }
}

/// The end of the message about a number that its type does not hold.
pub(super) const OUT_OF_RANGE: &str = " is out of range";

impl Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let message = message.to_string();
        match split_help(&message) {
            Some((message, help)) => Self::problem("invalid-value", message).help(help),
            None => Self::problem("invalid-value", message),
        }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::wrong_type(&expected.to_string(), &describe(found))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::problem("invalid-value", format!("expected {expected}, found {}", describe(found)))
    }

    fn unknown_variant(word: &str, expected: &'static [&'static str]) -> Self {
        if let Some(problem) = planned(word) {
            return problem;
        }
        let choices: Vec<_> = expected.iter().map(|choice| format!("`{choice}`")).collect();
        Self::problem("unknown-value", format!("{} is not one of the choices", quoted(word))).help(
            did_you_mean(word, expected.iter().copied())
                .unwrap_or_else(|| format!("write {}", choices.join(" or "))),
        )
    }

    fn unknown_field(key: &str, expected: &'static [&'static str]) -> Self {
        if let Some(problem) = planned(key) {
            return problem;
        }
        let known = || format!("known here: {}", expected.join(", "));
        let help = foreign(key, expected)
            .or_else(|| did_you_mean(key, expected.iter().copied()))
            .or_else(|| elsewhere(key));
        Self::problem("unknown-key", format!("unknown key {}", quoted(key)))
            .help(help.unwrap_or_else(known))
    }
}

/// Where a key belongs that is right, but not here.
fn elsewhere(key: &str) -> Option<String> {
    let places = [
        ("a client", fields_of::<ClientOptions>()),
        ("a server", fields_of::<ServerOptions>()),
        ("a test", fields_of::<TestEntry>()),
        ("a host", fields_of::<HostEntry>()),
        ("the top level of the file", fields_of::<ScenarioDocument>()),
    ];
    let (place, _) = places.iter().find(|(_, fields)| fields.contains(&key))?;
    Some(format!("`{key}` belongs to {place}"))
}

/// Values that read themselves say what is wrong, a semicolon, and what to do; the user's text is in backticks.
fn split_help(message: &str) -> Option<(&str, &str)> {
    let outside = |at: &usize| message[..*at].matches('`').count().is_multiple_of(2);
    let at = message.match_indices("; ").map(|(at, _)| at).find(outside)?;
    Some((&message[..at], &message[at + 2..]))
}

/// What a user wrote, in a user's words.
pub(super) fn describe(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(value) => format!("the number {value}"),
        Unexpected::Signed(value) => format!("the number {value}"),
        Unexpected::Float(value) => format!("the number {value}"),
        Unexpected::Str(text) => format!("the text {}", quoted(text)),
        Unexpected::Unit | Unexpected::Option => "no value".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a mapping".to_owned(),
        other => other.to_string(),
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Problem { message, .. } => f.write_str(message),
            Self::Reported => f.write_str("reported already"),
            Self::Absent => f.write_str("no value"),
        }
    }
}

impl std::error::Error for DecodeError {}
