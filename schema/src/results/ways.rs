//! Flows whose data goes both ways, and a view that is the same for all flows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FlowResult, IntervalMeasurement, Measurement, ReceiverSource, StreamResult};
use crate::scenario::{Direction, Way};

/// The way back of a two-way flow, from the server to the client, all streams together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowReverse {
    /// What the server measured as sender, summed over the streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<Measurement>,
    /// What the client measured as receiver, summed over the streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver: Option<Measurement>,
    /// Where the receiver's figures come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver_source: Option<ReceiverSource>,
}

/// The way back of a stream of a two-way flow, from the server to the client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamReverse {
    /// What the server measured as sender over the whole stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<Measurement>,
    /// What the client measured as receiver over the whole stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver: Option<Measurement>,
    /// The server's intervals as sender; empty without `interval`, or when the server is not ours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sender_intervals: Vec<IntervalMeasurement>,
    /// The client's intervals as receiver; empty without `interval`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receiver_intervals: Vec<IntervalMeasurement>,
}

/// What both ends of a flow measured of the data that went one way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowWay<'a> {
    /// What the senders measured.
    pub sender: Option<&'a Measurement>,
    /// What the receivers measured.
    pub receiver: Option<&'a Measurement>,
    /// Where the receivers' figures come from.
    pub receiver_source: Option<ReceiverSource>,
}

/// What both ends of a stream measured of the data that went one way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamWay<'a> {
    /// Number of the stream within its flow, from 1.
    pub stream: u32,
    /// The client's address and port.
    pub client_address: Option<&'a str>,
    /// The server's address and port.
    pub server_address: Option<&'a str>,
    /// What the sender measured.
    pub sender: Option<&'a Measurement>,
    /// What the receiver measured.
    pub receiver: Option<&'a Measurement>,
    /// The sender's intervals.
    pub sender_intervals: &'a [IntervalMeasurement],
    /// The receiver's intervals.
    pub receiver_intervals: &'a [IntervalMeasurement],
}

impl FlowResult {
    /// What was measured of the data that went this way; `None` when none goes this way.
    #[must_use]
    pub fn way(&self, way: Way) -> Option<FlowWay<'_>> {
        if is_main(way, self.direction)? {
            return Some(FlowWay {
                sender: self.sender.as_ref(),
                receiver: self.receiver.as_ref(),
                receiver_source: self.receiver_source,
            });
        }
        let reverse = self.reverse.as_ref();
        Some(FlowWay {
            sender: reverse.and_then(|reverse| reverse.sender.as_ref()),
            receiver: reverse.and_then(|reverse| reverse.receiver.as_ref()),
            receiver_source: reverse.and_then(|reverse| reverse.receiver_source),
        })
    }
}

impl StreamResult {
    /// What was measured of the data that went this way, of a stream of a flow with this direction; `None` when none
    /// goes this way.
    #[must_use]
    pub fn way(&self, way: Way, direction: Direction) -> Option<StreamWay<'_>> {
        let main = StreamWay {
            stream: self.stream,
            client_address: self.client_address.as_deref(),
            server_address: self.server_address.as_deref(),
            sender: self.sender.as_ref(),
            receiver: self.receiver.as_ref(),
            sender_intervals: &self.sender_intervals,
            receiver_intervals: &self.receiver_intervals,
        };
        if is_main(way, direction)? {
            return Some(main);
        }
        let reverse = self.reverse.as_ref();
        Some(StreamWay {
            stream: self.stream,
            client_address: main.client_address,
            server_address: main.server_address,
            sender: reverse.and_then(|reverse| reverse.sender.as_ref()),
            receiver: reverse.and_then(|reverse| reverse.receiver.as_ref()),
            sender_intervals: reverse.map_or(&[], |reverse| &reverse.sender_intervals),
            receiver_intervals: reverse.map_or(&[], |reverse| &reverse.receiver_intervals),
        })
    }
}

/// Whether the figures of this way stand in the main fields; `None` when no data goes this way.
fn is_main(way: Way, direction: Direction) -> Option<bool> {
    let position = direction.ways().iter().position(|candidate| *candidate == way)?;
    Some(position == 0)
}
