use std::fmt;
use std::str::FromStr;

use winnow::error::ErrMode;

use super::{AssertionError, Clauses, Condition, Located, Measure, parser};

/// A parsed assertion. Equality ignores where its parts stand; display gives text that parses to an equal one.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    /// What is judged.
    pub left: Located<Measure>,
    /// What it is compared with.
    pub condition: Condition,
    /// Over what the comparison is made.
    pub clauses: Clauses,
}

/// Bounds the work and the depth of an assertion, in bytes.
const LONGEST: usize = 1000;

impl Assertion {
    /// Parses one assertion, such as `p95(call.latency) < 20 ms during 5s..25s`.
    ///
    /// # Errors
    /// The first thing that is wrong with the text, with its place and what to write instead.
    pub fn parse(text: &str) -> Result<Self, AssertionError> {
        if text.len() > LONGEST {
            let message = format!("the assertion is longer than {LONGEST} bytes");
            return Err(AssertionError::new(0..text.len(), message, "split it into several"));
        }
        let mut input = parser::Input::new(text);
        whole(&mut input).map_err(|error| match error {
            ErrMode::Backtrack(error) | ErrMode::Cut(error) => error,
            ErrMode::Incomplete(_) => {
                AssertionError::new(text.len()..text.len(), "the assertion is incomplete", "go on")
            }
        })
    }
}

fn whole(input: &mut parser::Input<'_>) -> parser::Parsed<Assertion> {
    parser::skip_space(input)?;
    let left = parser::measure(input)?;
    let condition = parser::condition(input, &left)?;
    let clauses = parser::clauses(input, &left, &condition)?;
    parser::expect_end(input)?;
    Ok(Assertion { left, condition, clauses })
}

impl FromStr for Assertion {
    type Err = AssertionError;

    fn from_str(text: &str) -> Result<Self, AssertionError> {
        Self::parse(text)
    }
}

impl fmt::Display for Assertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.left, self.condition, self.clauses)
    }
}
