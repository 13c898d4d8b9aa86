//! What stands in front of the stamped bursts of a server.

use std::time::Instant;

use super::clock;
use super::tcp_client::{Client, Requested};
use super::tcp_connection::Read;
use super::tcp_meter::Meter;
use super::tcp_receiver::{ReceiveEnd, ReceivePlan};
use super::tcp_report::note;
use crate::error::EngineError;
use crate::protocol::tcp_limits::STANDSTILL;
use crate::protocol::tcp_stamps::{Stamps, clocks_agree, clocks_disagree_note};
use crate::wire::UpperFlags;
use crate::wire::tcp::{FirstWord, KeyPolicy, TestHeader};

const FIRST_WORD: usize = 4;

const NO_TRIP_TIMES: &str = "no latency is measured: the server sends no trip times";

/// What follows.
pub(super) enum Reply {
    /// Data.
    Data(Stamps),
    /// Nothing.
    Ended(ReceiveEnd),
}

/// Reads the header of a server that was asked for trip times. A server that sends none gets its first bytes counted as
/// data, and a note.
pub(super) fn read(
    client: &Client<'_>,
    requested: &Requested,
    meter: &mut Meter<'_>,
    plan: &ReceivePlan,
) -> Result<Reply, EngineError> {
    let patience = plan.until.or(plan.standstill).unwrap_or(STANDSTILL);
    let mut reader = Reader {
        client,
        requested,
        meter,
        deadline: clock::later(requested.start, patience),
        at_deadline: match plan.until {
            Some(_) => ReceiveEnd::TimeUp,
            None => ReceiveEnd::Standstill(patience),
        },
    };
    let mut word = [0; FIRST_WORD];
    if let Some(end) = reader.fill(&mut word)? {
        return Ok(Reply::Ended(end));
    }
    match FirstWord::classify(word, KeyPolicy::Open) {
        FirstWord::Header { length } => reader.header(word, length),
        FirstWord::Legacy => {
            note(client.sink, requested.stream, NO_TRIP_TIMES.into());
            Ok(Reply::Data(Stamps::Absent))
        }
        FirstWord::Bounceback | FirstWord::Malformed { .. } => Err(EngineError::Protocol {
            reason: "the server's first bytes are no test header".into(),
        }),
    }
}

struct Reader<'a, 'm> {
    client: &'a Client<'a>,
    requested: &'a Requested,
    meter: &'a mut Meter<'m>,
    deadline: Instant,
    /// How receiving ends when nothing comes until then.
    at_deadline: ReceiveEnd,
}

impl Reader<'_, '_> {
    /// Fills `buffer`, and counts its bytes as one read; tells what prevents that.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<ReceiveEnd>, EngineError> {
        let mut tick = |now| self.meter.tick(now);
        let connection = &self.requested.connection;
        let (count, read) =
            connection.read_exact(buffer, self.deadline, self.client.cancel, &mut tick)?;
        if count > 0 {
            self.meter.record(clock::monotonic(), 1, count);
        }
        Ok(match read {
            Read::Bytes(_) => None,
            Read::Nothing => Some(self.at_deadline),
            Read::End => Some(ReceiveEnd::EndOfData),
            Read::Broken(seen) => Some(ReceiveEnd::Broken(seen)),
        })
    }

    fn header(&mut self, word: [u8; FIRST_WORD], length: usize) -> Result<Reply, EngineError> {
        let mut bytes = vec![0; length];
        bytes[..FIRST_WORD].copy_from_slice(&word);
        if let Some(end) = self.fill(&mut bytes[FIRST_WORD..])? {
            return Ok(Reply::Ended(end));
        }
        let header = TestHeader::decode(&bytes)
            .map_err(|error| EngineError::Protocol { reason: error.to_string() })?;
        Ok(Reply::Data(self.stamps(&header)))
    }

    fn stamps(&self, header: &TestHeader) -> Stamps {
        let now = clock::wall();
        let text = match header.start.filter(|_| header.upper().contains(UpperFlags::TRIP_TIMES)) {
            Some(start) if clocks_agree(start.time, now) => return Stamps::Present,
            Some(start) => clocks_disagree_note(start.time, now),
            None => NO_TRIP_TIMES.into(),
        };
        note(self.client.sink, self.requested.stream, text);
        Stamps::Absent
    }
}
