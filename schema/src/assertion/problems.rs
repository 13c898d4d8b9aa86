use std::ops::Range;

use super::timeline::Timeline;
use super::{Assertion, AssertionError, Each, Located, Measure, Metric, Samples, Side, Traffic};
use crate::scenario::{TrafficClass, Transport, Way};
use crate::suggest::did_you_mean;

/// A flow of the test: its name and, if that is known, what traffic it is.
pub(crate) type NamedFlow<'a> = (&'a str, Option<TrafficClass>);

/// A flow whose traffic is known.
type KnownFlow<'a> = (&'a str, TrafficClass);

impl Assertion {
    /// What cannot work with the flows of a test: an unknown or missing flow name, a metric that the traffic does not
    /// have, intervals that are not recorded, an end that nobody measures. Empty when nothing is wrong.
    #[must_use]
    pub fn problems(&self, flows: &[(&str, TrafficClass)]) -> Vec<AssertionError> {
        let flows: Vec<_> = flows.iter().map(|(name, class)| (*name, Some(*class))).collect();
        self.known_problems(&flows)
    }

    /// The problems that are certain when not every flow's traffic is known.
    pub(crate) fn known_problems(&self, flows: &[NamedFlow<'_>]) -> Vec<AssertionError> {
        let right = self.condition.expressions().flat_map(|expression| expression.measures());
        let mut problems: Vec<AssertionError> = Vec::new();
        for measure in std::iter::once(&self.left).chain(right) {
            match self.flows_of(measure, flows) {
                Err(problem) => problems.push(problem),
                Ok(named) => {
                    // A metric that no flow has is said once, not for each flow.
                    problems.extend(
                        named.iter().find_map(|(name, class)| {
                            self.problem_with(measure, &(name, (*class)?))
                        }),
                    );
                }
            }
        }
        // Both sides can have the same problem with a clause.
        let mut known: Vec<AssertionError> = Vec::new();
        problems.retain(|problem| {
            let is_new = !known.contains(problem);
            known.push(problem.clone());
            is_new
        });
        problems
    }

    /// The flows whose figure is meant.
    fn flows_of<'a>(
        &self,
        measure: &Located<Measure>,
        flows: &[NamedFlow<'a>],
    ) -> Result<Vec<NamedFlow<'a>>, AssertionError> {
        let names = || flows.iter().map(|(name, _)| *name);
        if let Some(wanted) = &measure.flow {
            let found = flows.iter().find(|(name, _)| *name == wanted.value);
            return found.map(|flow| vec![*flow]).ok_or_else(|| {
                let hint = did_you_mean(&wanted.value, names())
                    .unwrap_or_else(|| format!("the flows are {}", listed(names())));
                AssertionError::new(wanted.range.clone(), format!("unknown flow `{wanted}`"), hint)
            });
        }
        let each_flow = self.clauses.each.as_ref().is_some_and(|each| each.value == Each::Flow);
        if flows.is_empty() {
            let (message, hint) = ("the test has no flow", "give it a `client`");
            return Err(AssertionError::new(measure.range.clone(), message, hint));
        }
        if each_flow || flows.len() == 1 {
            return Ok(flows.to_vec());
        }
        let first = flows.first().map_or("", |(name, _)| *name);
        let named =
            Measure { flow: Some(Located::new(first.to_owned(), 0..0)), ..measure.value.clone() };
        let message = format!("`{}` can mean any of the flows {}", measure.value, listed(names()));
        let hint = format!("name one, such as `{named}`, or add `for each flow`");
        Err(AssertionError::new(measure.range.clone(), message, hint))
    }

    fn problem_with(
        &self,
        measure: &Located<Measure>,
        flow: &KnownFlow<'_>,
    ) -> Option<AssertionError> {
        missing_metric(measure, flow)
            .or_else(|| unclear_way(measure, flow))
            .or_else(|| unknown_end(measure, flow))
            .or_else(|| self.missing_intervals(measure, flow))
            .or_else(|| {
                let timeline = Timeline::new(flow.0, flow.1)?;
                timeline.problem_with(&self.clauses, self.judges_parts(measure), measure)
            })
    }

    /// Whether the clauses that judge parts of the flow concern this metric; the right side is that of the whole flow.
    fn judges_parts(&self, measure: &Located<Measure>) -> bool {
        measure.range == self.left.range
    }

    /// Statistics over intervals and most clauses need recorded intervals, and those of our own end.
    fn missing_intervals(
        &self,
        measure: &Located<Measure>,
        (name, class): &KnownFlow<'_>,
    ) -> Option<AssertionError> {
        let reason = self.reason_for_intervals(measure)?;
        if !class.intervals {
            let message = format!("this needs intervals, and `{name}` records none");
            let hint = "add `interval: 1s` to the client";
            return Some(AssertionError::new(reason, message, hint));
        }
        if end_is_external(measure, *class) {
            let message = format!(
                "this needs intervals of the {}, and an external server reports only totals",
                measure.side().map_or("", Side::as_str),
            );
            let hint = "judge the whole run, or run the server with linerate";
            return Some(AssertionError::new(reason, message, hint));
        }
        None
    }

    /// The part of the text that makes this metric a matter of intervals.
    fn reason_for_intervals(&self, measure: &Located<Measure>) -> Option<Range<usize>> {
        if measure.stat.is_some() && measure.metric.facts().samples == Samples::Intervals {
            return Some(measure.range.clone());
        }
        if let Some(during) = &self.clauses.during {
            return Some(during.range.clone());
        }
        if !self.judges_parts(measure) {
            return None;
        }
        let each = self.clauses.each.as_ref().filter(|each| each.value == Each::Interval);
        let windows = self.clauses.windows.as_ref().map(|windows| windows.range.clone());
        each.map(|each| each.range.clone()).or(windows)
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The traffic does not have the metric at all.
fn missing_metric(
    measure: &Located<Measure>,
    (name, class): &KnownFlow<'_>,
) -> Option<AssertionError> {
    let metric = measure.metric;
    let (message, hint) = match (metric.facts().traffic, class.transport) {
        (Traffic::Udp, Transport::Tcp) => {
            let hint = match metric {
                Metric::Loss | Metric::Lost | Metric::OutOfOrder | Metric::Duplicates => {
                    "set `transport: udp`, or judge `retransmits`"
                }
                Metric::Jitter => "set `transport: udp`, or judge `tcp-rtt`",
                Metric::ReceivedDscp | Metric::ReceivedEcnCe | Metric::ReceivedTtl => {
                    "send a UDP flow with the same `tos`: the system does not tell how the segments of a connection \
                     are marked"
                }
                _ => "set `transport: udp`, or judge `throughput`",
            };
            (format!("`{metric}` needs UDP, and `{name}` is TCP"), hint)
        }
        (Traffic::Tcp, Transport::Udp) => {
            let hint = match metric {
                Metric::TcpRtt => {
                    "judge `latency` of a flow with `trip-times: true`, or a TCP flow"
                }
                Metric::Retransmits => "judge `loss`, or a TCP flow",
                _ => "judge a TCP flow",
            };
            (format!("`{metric}` needs TCP, and `{name}` is UDP"), hint)
        }
        (Traffic::TripTimes, _) if !class.trip_times => (
            format!("`{metric}` needs time stamps, and `{name}` sends none"),
            "add `trip-times: true` to the client",
        ),
        _ => return None,
    };
    Some(AssertionError::new(measure.range.clone(), message, hint))
}

/// The figure belongs to an end that is somebody else's and does not report it.
fn unknown_end(
    measure: &Located<Measure>,
    (name, class): &KnownFlow<'_>,
) -> Option<AssertionError> {
    let side = measure.side()?;
    if !end_is_external(measure, *class) {
        return None;
    }
    let metric = measure.metric;
    let reported = side == Side::Receiver
        && class.has_server_report()
        && !matches!(
            metric,
            Metric::Reads
                | Metric::Duplicates
                | Metric::ReceivedDscp
                | Metric::ReceivedEcnCe
                | Metric::ReceivedTtl
        );
    if reported {
        return None;
    }
    let other = match side {
        Side::Sender => Side::Receiver,
        Side::Receiver => Side::Sender,
    };
    let message =
        format!("the {side} of `{name}` is an external server, which does not report `{metric}`");
    let hint = if metric.is_known_by(other) {
        let other = Measure { side: Some(other), ..measure.value.clone() };
        format!("judge `{other}`, or run the server with linerate")
    } else {
        "run the server with linerate".to_owned()
    };
    Some(AssertionError::new(measure.range.clone(), message, hint))
}

/// The way is missing where data goes both ways, or no data goes the way that is named.
fn unclear_way(
    measure: &Located<Measure>,
    (name, class): &KnownFlow<'_>,
) -> Option<AssertionError> {
    measure.side()?;
    let metric = measure.metric;
    let (message, hint) = match (measure.way, class.direction.only_way()) {
        (None, None) => {
            let [forward, reverse] = [Way::Forward, Way::Reverse]
                .map(|way| Measure { way: Some(way), ..measure.value.clone() });
            (
                format!(
                    "`{name}` sends both ways, and this `{metric}` does not say which is meant"
                ),
                format!("write `{forward}` or `{reverse}`"),
            )
        }
        (Some(way), Some(only)) if way != only => {
            let plain = Measure { way: None, ..measure.value.clone() };
            (format!("no {way} data goes over `{name}`"), format!("write `{plain}`"))
        }
        _ => return None,
    };
    Some(AssertionError::new(measure.range.clone(), message, hint))
}

/// Whether the end that is meant is somebody else's server.
fn end_is_external(measure: &Measure, class: TrafficClass) -> bool {
    let server = match measure.way.or(class.direction.only_way()) {
        Some(Way::Forward) => Side::Receiver,
        Some(Way::Reverse) => Side::Sender,
        None => return false,
    };
    class.external_server && measure.side() == Some(server)
}
