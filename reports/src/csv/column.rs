use std::fmt::Write as _;

use super::row::Row;
use crate::RenderError;
use crate::plain_text::single_line;

/// A column of a CSV file.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// The name in the header row, with the unit.
    pub name: &'static str,
    /// What the cells mean, and when they are empty.
    pub doc: &'static str,
    cell: fn(&Row<'_>) -> String,
}

impl Column {
    pub(super) const fn new(
        name: &'static str,
        doc: &'static str,
        cell: fn(&Row<'_>) -> String,
    ) -> Self {
        Self { name, doc, cell }
    }
}

/// The columns of a CSV file, in groups that belong together.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    groups: &'static [&'static [Column]],
}

impl Table {
    pub(super) const fn new(groups: &'static [&'static [Column]]) -> Self {
        Self { groups }
    }

    /// The columns in the order of the file.
    pub fn columns(&self) -> impl Iterator<Item = &'static Column> + use<> {
        self.groups.iter().copied().flatten()
    }

    /// The documentation of the columns as a Markdown table.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut text = String::from("| Column | Meaning |\n|---|---|\n");
        for column in self.columns() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "| `{}` | {} |", column.name, column.doc);
        }
        text
    }

    pub(super) fn write<'a>(
        &self,
        rows: impl IntoIterator<Item = Row<'a>>,
    ) -> Result<Vec<u8>, RenderError> {
        let mut writer =
            csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
        writer.write_record(self.columns().map(|column| column.name))?;
        for row in rows {
            writer.write_record(self.columns().map(|column| (column.cell)(&row)))?;
        }
        writer.into_inner().map_err(|error| csv::Error::from(error.into_error()).into())
    }
}

/// A text cell: on one line, empty when absent.
pub(super) fn text<'a>(value: impl Into<Option<&'a str>>) -> String {
    value.into().map(|value| single_line(value).into_owned()).unwrap_or_default()
}

/// A number with a fraction; empty when absent or not finite.
pub(super) fn real(value: impl Into<Option<f64>>) -> String {
    value
        .into()
        .filter(|value| value.is_finite())
        .map(|value| value.to_string())
        .unwrap_or_default()
}

/// A whole number; empty when absent.
pub(super) fn whole(value: impl Into<Option<u64>>) -> String {
    value.into().map(|value| value.to_string()).unwrap_or_default()
}
