use std::fmt;

use linerate_reports::quantity;
use linerate_schema::scenario::Direction;

use super::planned::{Plan, PlannedCase, PlannedFlow};

/// Who runs what, from where to where, for how long, how fast.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ({})", self.scenario.name, self.scenario.file)?;
        for (_, case) in self.selected() {
            writeln!(f)?;
            write_case(f, case)?;
        }
        writeln!(f)?;
        self.write_summary(f)
    }
}

impl Plan {
    fn write_summary(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let selected = self.selected().count();
        writeln!(
            f,
            "{}, {}, {}",
            quantity::count(selected as u64, "case"),
            time(self.expected().map(|time| time.as_secs_f64())),
            bytes(self.expected_bytes())
        )?;
        let skipped = self.cases.len() - selected;
        if skipped > 0 {
            writeln!(f, "{} not selected", quantity::count(skipped as u64, "case"))?;
        }
        for pattern in &self.unmatched {
            writeln!(f, "no case matches {pattern:?}")?;
        }
        Ok(())
    }
}

fn write_case(f: &mut fmt::Formatter<'_>, case: &PlannedCase) -> fmt::Result {
    let expected = case.expected.map(|time| time.as_secs_f64());
    writeln!(f, "{}: {}, {}", case.id, time(expected), bytes(case.expected_bytes))?;
    for flow in &case.flows {
        writeln!(f, "  {}", flow_line(flow))?;
        if let Some(problem) = &flow.problem {
            writeln!(f, "    cannot run: {problem}")?;
        }
    }
    let assertions = case.case.assertions.len() as u64;
    writeln!(f, "  {}", quantity::count(assertions, "assertion"))
}

fn flow_line(flow: &PlannedFlow) -> String {
    let arrow = match flow.direction {
        Direction::Forward => "->",
        Direction::Reverse => "<-",
        Direction::FullDuplex => "<->",
    };
    let target = &flow.target;
    let server = match (&target.server, target.started) {
        (Some(name), _) => format!(" (server {name})"),
        (None, Some(_)) => String::new(),
        (None, None) => " (external server)".to_owned(),
    };
    let port = target.ports.map_or_else(|| "auto".to_owned(), |port| port.to_string());
    let mut parts = vec![
        format!("{}: {} {arrow} {}{server}", flow.name, flow.host, target.host),
        format!("{} {} port {port}", flow.transport, target.address),
    ];
    if flow.streams > 1 {
        parts.push(format!("{} streams", flow.streams));
    }
    if !flow.start.is_zero() {
        parts.push(format!("starts after {}", quantity::seconds(flow.start.as_secs_f64())));
    }
    parts.push(time(flow.expected.map(|time| time.as_secs_f64())));
    parts.push(match flow.bits_per_second {
        Some(rate) => quantity::bits_per_second(rate),
        None => "as fast as it can".to_owned(),
    });
    parts.push(bytes(flow.expected_bytes));
    parts.join(", ")
}

fn time(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| "unknown time".to_owned(), quantity::seconds)
}

fn bytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "unknown bytes".to_owned(), quantity::bytes)
}
