//! The real iperf 2 binaries that the interop tests talk to.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::process::Running;

/// An installed iperf 2.
#[derive(Debug, Clone)]
pub struct Iperf {
    /// Path of the binary.
    pub path: PathBuf,
    /// Its version, such as `2.1.8`.
    pub version: String,
}

/// Every iperf named in `LINERATE_IPERF_PEERS` (paths joined by `:`), or the `iperf` on the path.
///
/// # Panics
/// When one cannot be run or is not iperf 2: a test without its peer fails, it is not skipped.
#[must_use]
pub fn peers() -> Vec<Iperf> {
    let list = std::env::var("LINERATE_IPERF_PEERS").unwrap_or_else(|_| "iperf".into());
    list.split(':').filter(|path| !path.is_empty()).map(|path| probe(path.into())).collect()
}

fn probe(path: PathBuf) -> Iperf {
    let output = Command::new(&path).arg("--version").output().unwrap_or_else(|error| {
        panic!("iperf 2 is needed for this test and {} cannot be run: {error}", path.display())
    });
    // 2.1.x prints its version on stdout, some builds on stderr.
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let version = text
        .split_whitespace()
        .skip_while(|word| *word != "version")
        .nth(1)
        .filter(|version| version.starts_with("2."))
        .unwrap_or_else(|| panic!("{} is not iperf 2; it says: {text}", path.display()))
        .to_owned();
    Iperf { path, version }
}

impl Iperf {
    /// Starts it with these arguments.
    #[must_use]
    pub fn start(&self, arguments: &[&str]) -> Running {
        Running::start(Command::new(&self.path).args(arguments))
    }

    /// Starts a server on a free port and waits until it listens. Gives the port.
    ///
    /// # Panics
    /// When it does not come up.
    #[must_use]
    pub fn start_server(&self, arguments: &[&str]) -> (Running, u16) {
        let udp = arguments.contains(&"-u");
        let port = crate::port::free(udp);
        let port_text = port.to_string();
        let server = self.start(&[&["-s", "-p", &port_text], arguments].concat());
        crate::port::wait_until_bound(port, udp, Duration::from_secs(5));
        (server, port)
    }
}

/// One row of `iperf -y C`, columns as in protocol page `iperf2-reports`, section 9.1.
#[derive(Debug, Clone, PartialEq)]
pub struct CsvRow {
    /// Transfer id; −1 for a sum.
    pub id: i64,
    /// Start and end in seconds.
    pub interval: (f64, f64),
    /// Bytes.
    pub bytes: u64,
    /// Jitter in milliseconds, lost, total datagrams and out of order: receiver rows of UDP only.
    pub datagrams: Option<CsvDatagrams>,
}

/// The UDP columns of a [`CsvRow`].
#[derive(Debug, Clone, PartialEq)]
pub struct CsvDatagrams {
    /// Jitter in milliseconds.
    pub jitter_ms: f64,
    /// Lost datagrams.
    pub lost: u64,
    /// Datagrams in all.
    pub total: u64,
    /// Out of order.
    pub out_of_order: u64,
}

/// Reads the rows of `iperf -y C`; other lines are ignored.
#[must_use]
pub fn csv_rows(text: &str) -> Vec<CsvRow> {
    text.lines().filter_map(csv_row).collect()
}

fn csv_row(line: &str) -> Option<CsvRow> {
    let columns: Vec<&str> = line.trim().split(',').collect();
    let (start, end) = columns.get(6)?.split_once('-')?;
    let datagrams = match columns.as_slice() {
        [_, _, _, _, _, _, _, _, _, jitter, lost, total, _percent, out_of_order, ..] => {
            // A sender's row has these columns, too, with a total of −1.
            total.parse().ok().and_then(|total| {
                Some(CsvDatagrams {
                    jitter_ms: jitter.parse().ok()?,
                    lost: lost.parse().ok()?,
                    total,
                    out_of_order: out_of_order.parse().ok()?,
                })
            })
        }
        _ => None,
    };
    Some(CsvRow {
        id: columns[5].parse().ok()?,
        interval: (start.parse().ok()?, end.parse().ok()?),
        bytes: columns.get(7)?.parse().ok()?,
        datagrams,
    })
}

/// A figure row of `iperf -f B`, which prints exact bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextRow {
    /// Whether it repeats the report that a UDP server sent.
    pub server_report: bool,
    /// Bytes.
    pub bytes: u64,
    /// Lost and total datagrams: receiver rows of UDP only.
    pub lost_and_total: Option<(u64, u64)>,
}

/// Reads the figure rows of `iperf -f B`, sums left out; other lines are ignored.
#[must_use]
pub fn text_rows(text: &str) -> Vec<TextRow> {
    let mut server_report = false;
    let mut rows = Vec::new();
    for line in text.lines() {
        if line.contains("Server Report:") {
            server_report = true;
        } else if let Some(row) = text_row(line, server_report) {
            rows.push(row);
            server_report = false;
        }
    }
    rows
}

fn text_row(line: &str, server_report: bool) -> Option<TextRow> {
    if line.starts_with("[SUM") {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let before = |unit: &str| {
        let at = words.iter().position(|word| *word == unit)?;
        words.get(at.checked_sub(1)?).copied()
    };
    before("sec")?;
    let lost_and_total = words.iter().find_map(|word| {
        let (lost, total) = word.split_once('/')?;
        Some((lost.parse().ok()?, total.parse().ok()?))
    });
    Some(TextRow { server_report, bytes: before("Bytes")?.parse().ok()?, lost_and_total })
}
