use csv::StringRecord;
use linerate_reports::Format;
use linerate_reports::csv::{INTERVAL_COLUMNS, RESULT_COLUMNS, Table};
use linerate_schema::results::{FlowResult, RunResult};

use crate::fixtures;

/// The rows of a CSV file, read by a reader that refuses rows of different lengths.
pub(crate) fn read(format: Format, run: &RunResult) -> Vec<StringRecord> {
    let bytes = format.render(run).expect("renders");
    csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(bytes.as_slice())
        .into_records()
        .collect::<Result<_, _>>()
        .expect("every row has the same columns")
}

fn cell<'a>(rows: &'a [StringRecord], row: &'a StringRecord, column: &str) -> &'a str {
    let index = rows[0].iter().position(|name| name == column).expect("column exists");
    &row[index]
}

#[test]
fn the_header_is_the_documented_table() {
    let documented = |table: Table| table.columns().map(|c| c.name).collect::<Vec<_>>();
    let header = |format| read(format, &fixtures::empty()).remove(0);
    assert_eq!(header(Format::Csv), documented(RESULT_COLUMNS));
    assert_eq!(header(Format::Intervals), documented(INTERVAL_COLUMNS));
}

#[test]
fn column_names_are_unique_and_documented() {
    for table in [RESULT_COLUMNS, INTERVAL_COLUMNS] {
        let mut names: Vec<_> = table.columns().map(|column| column.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(table.columns().all(|c| c.doc.ends_with('.') && !c.doc.contains(['|', '\n'])));
    }
}

#[test]
fn there_is_a_row_for_each_flow_stream_and_flowless_case() {
    let run = fixtures::rich();
    let rows = read(Format::Csv, &run);
    let of_kind =
        |kind: &str| rows[1..].iter().filter(|row| cell(&rows, row, "row") == kind).count();
    let flows = || run.cases.iter().flat_map(|case| &case.flows);
    let ways = |flow: &FlowResult| flow.direction.ways().len();
    assert_eq!(of_kind("flow"), flows().map(ways).sum::<usize>());
    assert_eq!(
        of_kind("stream"),
        flows().map(|flow| flow.streams.len() * ways(flow)).sum::<usize>()
    );
    assert_eq!(of_kind("case"), run.cases.iter().filter(|case| case.flows.is_empty()).count());
}

#[test]
fn the_streams_of_a_flow_add_up_to_its_row() {
    let rows = read(Format::Csv, &fixtures::rich());
    let transfer = |kind: &str| -> u64 {
        rows[1..]
            .iter()
            .filter(|row| cell(&rows, row, "case") == "upload" && cell(&rows, row, "row") == kind)
            .map(|row| cell(&rows, row, "receiver_transfer_bytes").parse::<u64>().expect("a count"))
            .sum()
    };
    assert_eq!(transfer("flow"), transfer("stream"));
    assert_eq!(transfer("flow"), 1_176_000_000);
}

#[test]
fn each_way_of_a_flow_has_figures_of_its_own() {
    let rows = read(Format::Csv, &fixtures::rich());
    let lost = |way: &str| {
        let of_way = |row: &&StringRecord| {
            cell(&rows, row, "flow") == "talk" && cell(&rows, row, "way") == way
        };
        let lost =
            rows.iter().filter(of_way).map(|row| cell(&rows, row, "receiver_datagrams_lost"));
        lost.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lost("forward"), ["0", "0"]);
    assert_eq!(lost("reverse"), ["30", "30"]);
    let intervals = read(Format::Intervals, &fixtures::rich());
    let of_reverse = intervals[1..].iter().filter(|row| {
        cell(&intervals, row, "flow") == "talk" && cell(&intervals, row, "way") == "reverse"
    });
    assert_eq!(of_reverse.count(), 4);
}

#[test]
fn a_percentile_with_too_few_samples_is_empty() {
    let rows = read(Format::Csv, &fixtures::rich());
    let row = rows
        .iter()
        .find(|row| cell(&rows, row, "receiver_latency_samples") == "200")
        .expect("the flow with 200 samples");
    assert_eq!(cell(&rows, row, "receiver_latency_p99_seconds"), "0.0307");
    assert_eq!(cell(&rows, row, "receiver_latency_p99_9_seconds"), "");
}

#[test]
fn a_receiver_that_nothing_is_known_of_is_empty_and_not_zero() {
    let rows = read(Format::Csv, &fixtures::rich());
    let row = rows.iter().find(|row| cell(&rows, row, "flow") == "upload").expect("the flow");
    assert_ne!(cell(&rows, row, "sender_transfer_bytes"), "");
    for column in
        ["receiver_source", "receiver_transfer_bytes", "receiver_throughput_bits_per_second"]
    {
        assert_eq!(cell(&rows, row, column), "", "{column}");
    }
}

#[test]
fn lines_end_as_rfc_4180_wants_and_hold_one_row_each() {
    for format in [Format::Csv, Format::Intervals] {
        let text = String::from_utf8(format.render(&fixtures::rich()).expect("renders"))
            .expect("is UTF-8");
        let lines: Vec<_> = text.split("\r\n").collect();
        assert_eq!(lines.len(), read(format, &fixtures::rich()).len() + 1);
        assert!(lines.iter().all(|line| !line.contains(['\r', '\n'])));
    }
}
