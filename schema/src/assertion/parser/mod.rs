//! Text to [`Assertion`](super::Assertion), with an error that points at the wrong token.
//!
//! ```text
//! assertion  = measure condition clause*
//! measure    = path | stat "(" path ")"
//! path       = [flow "."] [("sender" | "receiver") "."] metric
//! condition  = ("<" | "<=" | ">" | ">=" | "==" | "!=") expression | "between" expression "and" expression
//! expression = term (("+" | "-") term)*
//! term       = factor ("*" factor)*
//! factor     = quantity | measure | ("max" | "min") "(" expression ("," expression)+ ")" | "(" expression ")"
//! quantity   = ["-"] number [unit]
//! clause     = "during" quantity ".." quantity | "for" "each" ("stream" | "flow" | "interval")
//!            | "for" quantity "of" quantity "windows"
//! ```
//!
//! Names may contain `-`, so a minus sign between two names needs spaces.

mod clause;
mod condition;
mod expression;
mod lexical;
mod measure;
mod quantity;

pub(super) use clause::clauses;
pub(super) use condition::condition;
pub(super) use lexical::{Input, Parsed, expect_end, skip_space};
pub(super) use measure::measure;
