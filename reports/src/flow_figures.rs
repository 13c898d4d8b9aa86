use linerate_schema::results::{
    DatagramCounts, Distribution, FlowResult, Measurement, ReceiverSource, Verdict,
};
use linerate_schema::scenario::Way;

use crate::quantity;

/// Fewest samples behind a 99th percentile that is worth showing.
const SAMPLES_FOR_P99: u64 = 100;

/// What a flow measured of the data that went one way, as short texts for people. A figure that does not exist for this
/// traffic is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FlowFigures {
    /// The receiver's rate; of the sender, and then it says so, when nothing is known of the receiver.
    pub(crate) throughput: Option<String>,
    /// Bytes and time behind the rate.
    pub(crate) transfer: Option<String>,
    pub(crate) loss: Option<String>,
    pub(crate) jitter: Option<String>,
    pub(crate) latency: Option<String>,
    pub(crate) retransmits: Option<String>,
    pub(crate) rtt: Option<String>,
    /// What a reader must know before believing the figures.
    pub(crate) caveats: Vec<&'static str>,
}

impl FlowFigures {
    /// The figures of each way that data goes; its name is there when it goes both ways.
    pub(crate) fn of(flow: &FlowResult) -> Vec<(Option<Way>, Self)> {
        match flow.direction.ways() {
            [only] => vec![(None, Self::of_way(flow, *only))],
            ways => ways.iter().map(|way| (Some(*way), Self::of_way(flow, *way))).collect(),
        }
    }

    /// A line for each way that something was measured of; see [`Self::line`].
    pub(crate) fn lines(flow: &FlowResult) -> Vec<String> {
        let each = Self::of(flow).into_iter();
        each.filter_map(|(way, figures)| {
            let line = figures.line()?;
            Some(way.map_or_else(|| line.clone(), |way| format!("{way} {line}")))
        })
        .collect()
    }

    fn of_way(flow: &FlowResult, way: Way) -> Self {
        let mut figures = Self::default();
        let Some(measured) = flow.way(way) else { return figures };
        if let Some(received) = measured.receiver {
            figures.throughput =
                Some(quantity::bits_per_second(received.throughput_bits_per_second));
            figures.transfer = Some(transfer(received));
            figures.loss = received.datagrams.and_then(loss);
            figures.jitter = received.jitter_seconds.map(quantity::seconds);
            figures.latency = received.latency.as_ref().and_then(latency);
        } else if let Some(sent) = measured.sender {
            let rate = quantity::bits_per_second(sent.throughput_bits_per_second);
            figures.throughput = Some(format!("{rate} sent"));
            figures.transfer = Some(transfer(sent));
            figures.caveats.push("nothing is known of the receiver");
        }
        if let Some(tcp) = measured.sender.and_then(|sent| sent.tcp) {
            figures.retransmits = Some(quantity::count(tcp.retransmits, "retransmit"));
            figures.rtt = Some(quantity::seconds(tcp.rtt_seconds));
        }
        if measured.receiver.is_some()
            && measured.receiver_source == Some(ReceiverSource::ServerReport)
        {
            figures.caveats.push("from the server's report");
        }
        if figures.throughput.is_some() && flow.verdict == Verdict::Error {
            figures.caveats.push("partial");
        }
        figures
    }

    /// Everything on one line; `None` when nothing was measured.
    pub(crate) fn line(&self) -> Option<String> {
        let throughput = self.throughput.as_ref()?;
        let mut line = throughput.clone();
        let labelled = [
            ("", &self.transfer),
            ("loss ", &self.loss),
            ("jitter ", &self.jitter),
            ("latency ", &self.latency),
            ("", &self.retransmits),
            ("rtt ", &self.rtt),
        ];
        for (label, text) in labelled {
            if let Some(text) = text {
                line.push_str(", ");
                line.push_str(label);
                line.push_str(text);
            }
        }
        if !self.caveats.is_empty() {
            line.push_str(" (");
            line.push_str(&self.caveats.join("; "));
            line.push(')');
        }
        Some(line)
    }
}

fn transfer(measured: &Measurement) -> String {
    let bytes = quantity::bytes(measured.transfer_bytes);
    format!("{bytes} in {}", quantity::seconds(measured.duration_seconds))
}

/// Loss over the run with the counts behind it; `None` when no datagram is known to have been sent.
fn loss(datagrams: DatagramCounts) -> Option<String> {
    let lost = datagrams.lost?;
    let ratio = loss_ratio(datagrams)?;
    Some(format!("{} ({lost} of {})", quantity::percent(ratio), datagrams.sent))
}

/// `lost` / `sent`.
#[expect(clippy::cast_precision_loss, reason = "datagram counts stay far below 2^52")]
pub(crate) fn loss_ratio(datagrams: DatagramCounts) -> Option<f64> {
    let lost = datagrams.lost?;
    (datagrams.sent > 0).then(|| lost as f64 / datagrams.sent as f64)
}

fn latency(samples: &Distribution) -> Option<String> {
    if samples.samples == 0 {
        return None;
    }
    let mut parts = vec![format!("mean {}", quantity::seconds(samples.mean_seconds))];
    if samples.samples >= SAMPLES_FOR_P99
        && let Some(p99) = samples.percentile(99.0)
    {
        parts.push(format!("p99 {}", quantity::seconds(p99)));
    }
    parts.push(format!("max {}", quantity::seconds(samples.max_seconds)));
    Some(parts.join(" / "))
}
