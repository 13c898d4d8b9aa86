use linerate_schema::results::{
    CaseResult, DatagramCounts, Distribution, FlowFailure, FlowResult, FlowWay,
    IntervalMeasurement, Measurement, RunResult, StreamResult, StreamWay, Verdict,
};
use linerate_schema::scenario::Way;

/// What one row of a CSV file is about.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) run: &'a RunResult,
    pub(super) case: &'a CaseResult,
    /// Absent on the row of a case without flows.
    pub(super) flow: Option<&'a FlowResult>,
    /// The way of the data; absent on the row of a case without flows.
    pub(super) way: Option<Way>,
    /// Absent on rows about a whole flow or case.
    pub(super) stream: Option<&'a StreamResult>,
    /// Only on rows about an interval.
    pub(super) interval: Option<(End, &'a IntervalMeasurement)>,
}

/// Which end of a stream measured.
#[derive(Clone, Copy)]
pub(super) enum End {
    Sender,
    Receiver,
}

impl<'a> Row<'a> {
    /// What kind of row this is, as the column `row` names it.
    pub(super) fn kind(&self) -> &'static str {
        match (self.flow, self.stream) {
            (None, _) => "case",
            (Some(_), None) => "flow",
            (Some(_), Some(_)) => "stream",
        }
    }

    /// The rows of each way that the flow's data goes.
    pub(super) fn ways_of(self, flow: &'a FlowResult) -> impl Iterator<Item = Self> {
        flow.direction.ways().iter().map(move |way| Self {
            flow: Some(flow),
            way: Some(*way),
            ..self
        })
    }

    pub(super) fn sender(&self) -> Option<&'a Measurement> {
        match self.stream_way() {
            Some(stream) => stream.sender,
            None => self.flow_way()?.sender,
        }
    }

    pub(super) fn receiver(&self) -> Option<&'a Measurement> {
        match self.stream_way() {
            Some(stream) => stream.receiver,
            None => self.flow_way()?.receiver,
        }
    }

    pub(super) fn flow_way(&self) -> Option<FlowWay<'a>> {
        self.flow?.way(self.way?)
    }

    pub(super) fn stream_way(&self) -> Option<StreamWay<'a>> {
        self.stream?.way(self.way?, self.flow?.direction)
    }

    pub(super) fn received_datagrams(&self) -> Option<DatagramCounts> {
        self.receiver()?.datagrams
    }

    pub(super) fn received_latency(&self) -> Option<&'a Distribution> {
        latency(self.receiver())
    }

    pub(super) fn interval(&self) -> Option<&'a Measurement> {
        Some(&self.interval?.1.measurement)
    }

    pub(super) fn interval_latency(&self) -> Option<&'a Distribution> {
        latency(self.interval())
    }

    pub(super) fn failure(&self) -> Option<&'a FlowFailure> {
        match self.stream {
            Some(stream) => stream.failure.as_ref(),
            None => self.flow?.failure.as_ref(),
        }
    }

    /// The verdict of the flow, or of the case on a row without flow.
    pub(super) fn verdict(&self) -> Verdict {
        self.flow.map_or(self.case.verdict, |flow| flow.verdict)
    }

    /// Why the row's subject has no or only partial figures.
    pub(super) fn message(&self) -> Option<&'a str> {
        match (self.failure(), self.flow) {
            (Some(failure), _) => Some(&failure.message),
            (None, None) => self.case.reason.as_deref(),
            (None, Some(_)) => None,
        }
    }
}

/// The latency of a measurement that has samples; the moments of an empty distribution mean nothing.
fn latency(measurement: Option<&Measurement>) -> Option<&Distribution> {
    measurement?.latency.as_ref().filter(|latency| latency.samples > 0)
}

/// A percentile in seconds, where at least 1 / (1 − X) samples stand behind it.
#[expect(clippy::cast_precision_loss, reason = "sample counts stay far below 2^52")]
pub(super) fn percentile(latency: Option<&Distribution>, percent: f64) -> Option<f64> {
    let latency = latency?;
    let enough = latency.samples as f64 * (100.0 - percent) >= 100.0 - 1e-6;
    if enough { latency.percentile(percent) } else { None }
}
