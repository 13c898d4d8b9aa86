use linerate_schema::scenario::Way;

use super::column::{Column, text, whole};

/// Columns that say what a row is about, the same in every file, for joining them.
pub(super) const IDENTITY: &[Column] = &[
    Column::new("scenario", "Name of the scenario.", |row| text(row.run.scenario.name.as_str())),
    Column::new(
        "case",
        "Identity of the case: the test and its matrix cell; unique in the run.",
        |row| text(row.case.id.as_str()),
    ),
    Column::new("test", "Name of the test.", |row| text(row.case.test.as_str())),
    Column::new(
        "matrix",
        "The matrix cell as `name=value`, joined by `; `; empty without a matrix.",
        |row| {
            let cell: Vec<_> =
                row.case.matrix.iter().map(|m| format!("{}={}", m.name, m.value)).collect();
            text(cell.join("; ").as_str())
        },
    ),
    Column::new("flow", "Name of the flow; empty on the row of a case that has none.", |row| {
        text(row.flow.map(|flow| flow.name.as_str()))
    }),
    Column::new(
        "stream",
        "Number of the stream within the flow, from 1; empty on the flow's row.",
        |row| whole(row.stream.map(|stream| u64::from(stream.stream))),
    ),
    Column::new("transport", "`tcp` or `udp`.", |row| {
        row.flow.map(|flow| flow.transport.to_string()).unwrap_or_default()
    }),
    Column::new(
        "direction",
        "`forward`: the client sends; `reverse`: the server sends; `full-duplex`: both.",
        |row| row.flow.map(|flow| flow.direction.to_string()).unwrap_or_default(),
    ),
    Column::new(
        "way",
        "The way of the data that the row is about: `forward` or `reverse`. Flows that send both ways have rows for each.",
        |row| text(row.way.map(Way::as_str)),
    ),
];
