//! Tables for spreadsheets, data frames and databases: `results.csv` and `intervals.csv`.
//!
//! RFC 4180: UTF-8, comma, CR LF, one header row, every row with the same columns, quotes where needed. Columns never
//! change their meaning or order; a newer program may add some, so read them by name. Units are in the names, numbers are plain decimals with a point and no thousands separator. An empty cell means that the value does not exist for
//! this row; it never means zero. Text cells are on one line, control characters spelled out.
//!
//! The columns are documented by [`RESULT_COLUMNS`] and [`INTERVAL_COLUMNS`], from which the files are also written.

mod column;
mod identity;
mod intervals;
mod results;
mod row;

pub use column::{Column, Table};
pub use intervals::{INTERVAL_COLUMNS, IntervalsCsv};
pub use results::{RESULT_COLUMNS, ResultsCsv};
