//! Expressions in `{{ … }}` inside scalars.
//!
//! A scalar that is one expression keeps the type of its value; anything else becomes text. Only expressions exist: no
//! statements, no files, no loops, and the work of each evaluation is bounded.

mod compile;
mod engine;
mod scope;
mod size;
mod split;
mod text;

pub(crate) use compile::TemplateError;
pub(crate) use engine::{Templates, environment};
pub(crate) use scope::{Scope, is_variable_name};
pub(crate) use size::size_of;
pub(crate) use text::text_of;
