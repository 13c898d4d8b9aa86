use std::time::Duration;

use linerate_reports::quantity;
use linerate_schema::results::{
    AssertionResult, CaseResult, FlowResult, Measurement, ScenarioSummary, Severity,
    SourceLocation, Verdict,
};
use linerate_schema::scenario::Way;

use super::flow_board::Reading;
use super::span_of_time::span_of_time;
use super::{FlowGauge, Painter};
use crate::event::{RunEvent, RunEventKind};

/// How much is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// A line when a case begins, one when it is over, and what was wrong with it.
    Cases,
    /// Also each interval of each flow and every assertion that passed.
    Intervals,
}

/// Turns run events into the lines that stay on the screen or in a log.
#[derive(Debug, Clone)]
pub struct CaseLines {
    painter: Painter,
    detail: Detail,
    /// Cases that will run.
    cases: usize,
    /// Cases that have begun.
    begun: usize,
}

/// Flows whose figures fit into a verdict line.
const FLOWS_IN_ONE_LINE: usize = 3;

/// Comparisons shown of an assertion that has one for each stream or interval.
const COMPARISONS_SHOWN: usize = 3;

impl CaseLines {
    /// Lines in the manner of `painter`.
    #[must_use]
    pub fn new(painter: Painter, detail: Detail) -> Self {
        Self { painter, detail, cases: 0, begun: 0 }
    }

    /// The lines that an event adds. `intervals` are those that the event ended.
    pub fn of(&mut self, event: &RunEvent, intervals: &[(String, Reading)]) -> Vec<String> {
        let mut lines = Vec::new();
        if self.detail == Detail::Intervals {
            lines.extend(intervals.iter().map(|(flow, reading)| self.interval(flow, reading)));
        }
        match &event.kind {
            RunEventKind::RunStarted { cases, expected } => {
                self.cases = *cases;
                self.begun = 0;
                lines.extend(self.run_started(*expected));
            }
            RunEventKind::CaseStarted { id, expected, .. } => {
                self.begun += 1;
                lines.push(self.case_started(id, *expected));
            }
            RunEventKind::CaseFinished { result, .. } => {
                // Hundreds of cases may have been left out on purpose; the reports list them.
                if result.verdict != Verdict::Skipped || self.detail == Detail::Intervals {
                    lines.extend(self.case_finished(result));
                }
            }
            RunEventKind::FlowStarted { .. }
            | RunEventKind::Interval { .. }
            | RunEventKind::RunFinished { .. } => {}
        }
        lines
    }

    /// The line of a flow that is running.
    #[must_use]
    pub fn live(&self, gauge: &FlowGauge) -> String {
        match gauge.reading() {
            Some(reading) => self.interval(&gauge.flow, &reading),
            None => {
                let flow = self.painter.foreign(&gauge.flow);
                format!("    {flow}  {}", self.painter.dim("started"))
            }
        }
    }

    /// The line above the cases of a scenario that is one of several.
    pub(super) fn heading(&self, scenario: &ScenarioSummary) -> String {
        let name = self.painter.strong(&self.painter.foreign(&scenario.name));
        let file = self.painter.foreign(&scenario.file);
        format!("{name}{}", self.painter.dim(&format!(" ({file})")))
    }

    fn run_started(&self, expected: Option<Duration>) -> Option<String> {
        if self.cases < 2 {
            return None;
        }
        let length = expected.map_or_else(String::new, |time| {
            format!("{}about {}", self.painter.separator(), span_of_time(time))
        });
        Some(format!("{} cases{length}", self.cases))
    }

    fn case_started(&self, id: &str, expected: Option<Duration>) -> String {
        let position = format!("[{}/{}]", self.begun, self.cases.max(self.begun));
        let length = expected.map_or_else(String::new, |time| format!(" ({})", span_of_time(time)));
        let mark = self.painter.start_mark();
        self.painter.dim(&format!("{mark} {position} {}{length}", self.painter.foreign(id)))
    }

    fn interval(&self, flow: &str, reading: &Reading) -> String {
        let end = span_of_time(reading.end);
        let rate = quantity::bits_per_second(reading.bits_per_second);
        let loss = reading.loss.map_or_else(String::new, |ratio| {
            format!("{}loss {}", self.painter.separator(), quantity::percent(ratio))
        });
        let flow = self.painter.foreign(flow);
        format!("    {flow}  {end}  {rate}{loss}")
    }

    fn case_finished(&self, case: &CaseResult) -> Vec<String> {
        let id = self.painter.strong(&self.painter.foreign(&case.id));
        let mut headline = format!("{} {id}", self.painter.verdict(case.verdict));
        if case.started_at.is_some() {
            let seconds = Duration::try_from_secs_f64(case.duration_seconds);
            let time = span_of_time(seconds.unwrap_or_default());
            headline.push_str(&self.painter.dim(&format!(" ({time})")));
        }
        let figures = self.figures(&case.flows);
        if !figures.is_empty() {
            headline.push_str("  ");
            headline.push_str(&figures);
        }
        let mut lines = vec![headline];
        if let Some(reason) = &case.reason {
            lines.push(format!("    {}", self.painter.foreign(reason)));
            lines.push(self.place(&case.location));
        }
        for flow in &case.flows {
            lines.extend(self.flow_problem(flow));
        }
        let flow_failed = case.flows.iter().any(|flow| flow.verdict == Verdict::Error);
        for assertion in &case.assertions {
            match assertion.verdict {
                // The flow has said why there is nothing to judge.
                Verdict::Error if flow_failed => lines.push(self.assertion_headline(assertion)),
                _ => lines.extend(self.assertion(assertion)),
            }
        }
        lines
    }

    /// What the receivers of the first flows got.
    fn figures(&self, flows: &[FlowResult]) -> String {
        let mut parts: Vec<String> = flows
            .iter()
            .take(FLOWS_IN_ONE_LINE)
            .filter_map(|flow| {
                let ways: Vec<String> = flow
                    .direction
                    .ways()
                    .iter()
                    .filter_map(|way| way_figures(flow, *way))
                    .collect();
                if ways.is_empty() {
                    return None;
                }
                let name = match flows {
                    [_] => String::new(),
                    _ => format!("{} ", self.painter.foreign(&flow.name)),
                };
                let caveat = if flow.verdict == Verdict::Error { " (partial)" } else { "" };
                Some(format!("{name}{}{caveat}", ways.join(", ")))
            })
            .collect();
        if flows.len() > FLOWS_IN_ONE_LINE {
            parts.push(format!("{} more flows", flows.len() - FLOWS_IN_ONE_LINE));
        }
        parts.join(self.painter.separator())
    }

    fn flow_problem(&self, flow: &FlowResult) -> Vec<String> {
        let Some(failure) = &flow.failure else {
            return Vec::new();
        };
        let verdict = self.painter.verdict(flow.verdict);
        let problem = self.painter.foreign(&format!("flow {}: {}", flow.name, failure.message));
        vec![format!("    {verdict} {problem}"), self.place(&flow.location)]
    }

    fn assertion(&self, assertion: &AssertionResult) -> Vec<String> {
        let shown = match assertion.verdict {
            Verdict::Pass | Verdict::Skipped => self.detail == Detail::Intervals,
            Verdict::Fail | Verdict::Error | Verdict::Inconclusive => true,
        };
        if !shown {
            return Vec::new();
        }
        let mut lines = vec![self.assertion_headline(assertion)];
        match assertion.verdict {
            Verdict::Fail | Verdict::Pass if !assertion.comparisons.is_empty() => {
                lines.extend(self.comparisons(assertion));
            }
            _ => lines.push(format!("        {}", self.painter.foreign(&assertion.message))),
        }
        if let Some(because) = &assertion.because {
            lines.push(format!("        because: {}", self.painter.foreign(because)));
        }
        if assertion.verdict != Verdict::Pass {
            lines.push(self.place(&assertion.location));
        }
        lines
    }

    fn comparisons(&self, assertion: &AssertionResult) -> Vec<String> {
        let told = assertion.comparisons.iter().filter(|c| c.verdict == assertion.verdict);
        let mut lines = Vec::new();
        for comparison in told.clone().take(COMPARISONS_SHOWN) {
            let scope = match comparison.scope.as_str() {
                "" => String::new(),
                scope => format!("{}: ", self.painter.foreign(scope)),
            };
            lines.push(format!(
                "        {scope}measured {}, limit {}",
                comparison.measured_text, comparison.limit_text
            ));
        }
        match told.count().saturating_sub(COMPARISONS_SHOWN) {
            0 => {}
            more => lines.push(format!("        and {more} more")),
        }
        lines
    }

    fn assertion_headline(&self, assertion: &AssertionResult) -> String {
        let mark = match (assertion.severity, assertion.verdict) {
            (Severity::Warn, Verdict::Fail | Verdict::Error | Verdict::Inconclusive) => {
                self.painter.warning(&format!("warning: {}", assertion.verdict))
            }
            (Severity::Warn | Severity::Error, verdict) => self.painter.verdict(verdict),
        };
        let text = self.painter.strong(&self.painter.foreign(&assertion.text));
        format!("    {mark} {text}")
    }

    fn place(&self, location: &SourceLocation) -> String {
        let file = self.painter.foreign(&location.file);
        self.painter.dim(&format!("        at {file}:{}", location.line))
    }
}

/// What the receivers got of the data that went this way.
fn way_figures(flow: &FlowResult, way: Way) -> Option<String> {
    let received = flow.way(way)?.receiver?;
    let rate = quantity::bits_per_second(received.throughput_bits_per_second);
    let loss = loss_of(received)
        .map_or_else(String::new, |ratio| format!(", loss {}", quantity::percent(ratio)));
    Some(match flow.direction.only_way() {
        Some(_) => format!("{rate}{loss}"),
        None => format!("{way} {rate}{loss}"),
    })
}

#[expect(clippy::cast_precision_loss, reason = "datagram counts stay far below 2^52")]
fn loss_of(received: &Measurement) -> Option<f64> {
    let counts = received.datagrams?;
    let lost = counts.lost?;
    (counts.sent > 0).then(|| lost as f64 / counts.sent as f64)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::display::{Charset, Color, Reader, Surface};

    fn location(line: u32) -> Value {
        json!({ "file": "wan.yaml", "line": line, "column": 7 })
    }

    fn flow(name: &str, verdict: &str, failure: Value) -> Value {
        json!({
            "name": name,
            "client": { "host": "local" },
            "server": { "host": "local", "port": 5001 },
            "transport": "udp",
            "direction": "forward",
            "options": {},
            "iperf_client_command": "iperf -c 127.0.0.1 -u",
            "verdict": verdict,
            "failure": failure,
            "receiver": {
                "duration_seconds": 10.0,
                "transfer_bytes": 52_625_000,
                "throughput_bits_per_second": 42_100_000.0,
                "datagrams": { "sent": 1000, "received": 987, "lost": 13 }
            },
            "streams": [],
            "location": location(9)
        })
    }

    fn comparison(scope: &str, verdict: &str) -> Value {
        json!({
            "scope": scope,
            "verdict": verdict,
            "measured_text": "42.1 Mbit/s",
            "limit_text": ">= 900 Mbit/s"
        })
    }

    fn assertion(severity: &str, verdict: &str, comparisons: &[Value]) -> Value {
        json!({
            "text": "throughput >= 900 Mbit/s",
            "because": "the contract says so",
            "severity": severity,
            "verdict": verdict,
            "message": "no sample at all; raise `time`",
            "comparisons": comparisons,
            "location": location(12)
        })
    }

    fn case(verdict: &str, flows: &[Value], assertions: &[Value]) -> RunEvent {
        let result = serde_json::from_value(json!({
            "id": "upload [window=64K]",
            "test": "upload",
            "location": location(7),
            "started_at": "2026-01-02T03:04:05Z",
            "duration_seconds": 10.04,
            "verdict": verdict,
            "flows": flows,
            "assertions": assertions
        }))
        .expect("a valid case");
        let kind = RunEventKind::CaseFinished { index: 0, result: Box::new(result) };
        RunEvent { elapsed: Duration::ZERO, kind }
    }

    fn lines(charset: Charset, detail: Detail, events: &[RunEvent]) -> String {
        let surface = Surface { color: Color::Plain, charset, reader: Reader::Pipe };
        let mut lines = CaseLines::new(Painter::new(surface), detail);
        events.iter().flat_map(|event| lines.of(event, &[])).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_run_is_told_case_by_case() {
        let events = [
            RunEventKind::RunStarted { cases: 2, expected: Some(Duration::from_secs(20)) },
            RunEventKind::CaseStarted {
                index: 0,
                id: "upload [window=64K]".to_owned(),
                expected: Some(Duration::from_secs(10)),
            },
        ]
        .map(|kind| RunEvent { elapsed: Duration::ZERO, kind });
        let passed = case(
            "pass",
            &[flow("call", "pass", Value::Null), flow("bulk", "pass", Value::Null)],
            &[assertion("error", "pass", &[comparison("", "pass")])],
        );
        let events = [&events[..], &[passed]].concat();
        insta::assert_snapshot!(lines(Charset::Unicode, Detail::Cases, &events), @r##"
        2 cases · about 20.0 s
        ▸ [1/2] upload [window=64K] (10.0 s)
        ✔ pass upload [window=64K] (10.0 s)  call 42.1 Mbit/s, loss 1.3% · bulk 42.1 Mbit/s, loss 1.3%
        "##);
    }

    #[test]
    fn a_failure_names_assertion_measured_limit_and_line() {
        let failed = case(
            "fail",
            &[flow("client", "pass", Value::Null)],
            &[
                assertion("error", "pass", &[comparison("", "pass")]),
                assertion(
                    "error",
                    "fail",
                    &[comparison("stream 1", "pass"), comparison("stream 2", "fail")],
                ),
                assertion("warn", "fail", &[comparison("", "fail")]),
            ],
        );
        insta::assert_snapshot!(lines(Charset::Unicode, Detail::Cases, &[failed]), @r##"
        ✘ fail upload [window=64K] (10.0 s)  42.1 Mbit/s, loss 1.3%
            ✘ fail throughput >= 900 Mbit/s
                stream 2: measured 42.1 Mbit/s, limit >= 900 Mbit/s
                because: the contract says so
                at wan.yaml:12
            warning: fail throughput >= 900 Mbit/s
                measured 42.1 Mbit/s, limit >= 900 Mbit/s
                because: the contract says so
                at wan.yaml:12
        "##);
    }

    #[test]
    fn errors_say_why_nothing_could_be_judged_and_ascii_is_enough() {
        let failure = json!({ "kind": "refused", "message": "connection refused; start a server" });
        let broken =
            case("error", &[flow("client", "error", failure)], &[assertion("error", "error", &[])]);
        let text = lines(Charset::Ascii, Detail::Cases, &[broken]);
        assert!(text.is_ascii());
        insta::assert_snapshot!(text, @r##"
        ! error upload [window=64K] (10.0 s)  42.1 Mbit/s, loss 1.3% (partial)
            ! error flow client: connection refused; start a server
                at wan.yaml:9
            ! error throughput >= 900 Mbit/s
        "##);
    }

    #[test]
    fn the_detailed_form_also_shows_what_passed() {
        let passed = case(
            "pass",
            &[flow("client", "pass", Value::Null)],
            &[assertion("error", "pass", &[comparison("", "pass")])],
        );
        insta::assert_snapshot!(lines(Charset::Unicode, Detail::Intervals, &[passed]), @r##"
        ✔ pass upload [window=64K] (10.0 s)  42.1 Mbit/s, loss 1.3%
            ✔ pass throughput >= 900 Mbit/s
                measured 42.1 Mbit/s, limit >= 900 Mbit/s
                because: the contract says so
        "##);
    }
}
