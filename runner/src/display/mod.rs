//! What a person sees while a run goes on: run events, folded into lines.
//!
//! [`CaseLines`] says what is written once and stays (pure), [`FlowBoard`] what is happening right now (pure), and
//! [`Progress`] puts both on standard error. Nothing here decides about verdicts or exit codes.

mod case_lines;
mod flow_board;
mod paint;
mod progress;
mod span_of_time;
mod surface;

pub use case_lines::{CaseLines, Detail};
pub use flow_board::{FlowBoard, FlowGauge};
pub use paint::Painter;
pub use progress::{Progress, ProgressStyle};
pub use surface::{Charset, Color, ColorChoice, Reader, Surface};
