//! The summary at the end of a run, for the person who started it.

mod screen;
mod summary;

pub use screen::Coloring;
pub use summary::Terminal;
