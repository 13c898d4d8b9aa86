//! What will run: every case with its flows, its servers, and what they cost in time and bytes. Pure and quick.
//!
//! Start at [`make_plan`]. A [`Plan`] prints itself as text (`Display`) and as JSON (serde).

mod make;
mod planned;
mod selection;
mod server_sharing;
mod target;
mod text;

pub use make::make_plan;
pub use planned::{AddressFamily, Plan, PlannedCase, PlannedFlow, PlannedServer, Target};
pub use selection::Selection;
