use std::collections::BTreeMap;
use std::net::SocketAddr;

use linerate_engine::config::{ClientConfig, ServerConfig};
use linerate_engine::event::{Event, EventKind, StreamId};
use linerate_schema::results::{FlowFailure, FlowResult};
use linerate_schema::scenario::Direction;

use super::conclusion::{StreamEnds, server_role};
use super::end_record::{EndRecord, StreamRecord};
use super::failure::CutShort;
use super::flow_result::{FlowEnds, flow_result};
use super::pairing::{self, Pairing};
use crate::plan::PlannedCase;

/// Everything that is known of a case while it runs.
#[derive(Debug)]
pub struct CaseRecord<'a> {
    case: &'a PlannedCase,
    file: &'a str,
    flows: Vec<FlowRecord>,
    servers: Vec<ServerRecord>,
    /// The flow of each client address, to name the flow of a server's stream while it runs.
    flow_of_address: BTreeMap<SocketAddr, usize>,
}

#[derive(Debug, Default)]
pub(super) struct FlowRecord {
    pub(super) client: EndRecord,
    pub(super) config: Option<ClientConfig>,
    pub(super) failure: Option<FlowFailure>,
}

#[derive(Debug, Default)]
pub(super) struct ServerRecord {
    pub(super) end: EndRecord,
    pub(super) listening: Option<(ServerConfig, SocketAddr)>,
}

/// How far the servers of a case are with the streams of its clients, the most advanced last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServerProgress {
    /// A stream has begun at its server and not ended, though its client's end did so regularly.
    Running,
    /// A stream has not begun at its server, though its client's end has come to its regular end.
    Missing,
    /// Only streams whose client failed have not ended at their server.
    Orphaned,
    /// Every stream of every client has ended at its server.
    Done,
}

impl<'a> CaseRecord<'a> {
    /// The record of a case before it begins. `file` is the scenario's path, for locations in results.
    #[must_use]
    pub fn new(case: &'a PlannedCase, file: &'a str) -> Self {
        Self {
            case,
            file,
            flows: case.flows.iter().map(|_| FlowRecord::default()).collect(),
            servers: case.servers.iter().map(|_| ServerRecord::default()).collect(),
            flow_of_address: BTreeMap::new(),
        }
    }

    /// A server of the case listens at `address`.
    pub fn server_listens(&mut self, server: usize, config: ServerConfig, address: SocketAddr) {
        self.servers[server].listening = Some((config, address));
    }

    /// Where a server of the case listens; `None` when it does not.
    #[must_use]
    pub fn listening_address(&self, server: usize) -> Option<SocketAddr> {
        self.servers[server].listening.as_ref().map(|(_, address)| *address)
    }

    /// The client of a flow is about to run with `config`.
    pub fn client_starts(&mut self, flow: usize, config: ClientConfig) {
        self.flows[flow].config = Some(config);
        let server = self.case.flows[flow].target.started.map(|server| &self.servers[server]);
        let known_before = server.and_then(|server| server.end.streams.keys().next_back().copied());
        self.flows[flow].client.known_before = known_before;
    }

    /// The flow cannot run. The first failure of a flow stays.
    pub fn flow_fails(&mut self, flow: usize, failure: FlowFailure) {
        self.flows[flow].failure.get_or_insert(failure);
    }

    /// linerate itself ends the flow before its time.
    pub fn flow_is_cut_short(&mut self, flow: usize, why: CutShort) {
        self.flow_fails(flow, why.failure());
    }

    /// Takes an event of the client of `flow`.
    pub fn handle_client(&mut self, flow: usize, event: Event) {
        if let EventKind::StreamStarted(started) = &event.kind {
            self.flow_of_address.insert(super::end_record::canonical(started.local), flow);
        }
        self.flows[flow].client.handle(event);
    }

    /// Takes an event of a server.
    pub fn handle_server(&mut self, server: usize, event: Event) {
        self.servers[server].end.handle(event);
    }

    /// The flow that a server's stream belongs to, as far as its address tells.
    #[must_use]
    pub fn flow_of(&self, server: usize, stream: StreamId) -> Option<usize> {
        let peer = self.servers[server].end.streams.get(&stream)?.peer()?;
        self.flow_of_address.get(&peer).copied()
    }

    /// How far the servers are with the streams that the clients have begun: the least advanced stream counts.
    #[must_use]
    pub fn server_progress(&self) -> ServerProgress {
        let servers = 0..self.servers.len();
        servers.map(|server| self.progress_of(server)).min().unwrap_or(ServerProgress::Done)
    }

    fn progress_of(&self, server: usize) -> ServerProgress {
        let pairing = self.pairing(server);
        let streams = self.flows_of(server).flat_map(|(flow, client)| {
            client.streams.iter().map(move |(id, stream)| ((flow, *id), stream))
        });
        let begun = streams.filter(|(_, stream)| stream.started.is_some());
        let progress = begun.map(|((flow, id), client)| {
            let direction = self.case.flows[flow].direction;
            let counterpart = self.servers[server].counterpart(&pairing, flow, id);
            match counterpart.map(|counterpart| has_ended_at_server(counterpart, direction)) {
                Some(true) => ServerProgress::Done,
                _ if !(StreamEnds { client, server: None, by_address: false })
                    .client_ended_regularly(direction) =>
                {
                    ServerProgress::Orphaned
                }
                Some(false) => ServerProgress::Running,
                None => ServerProgress::Missing,
            }
        });
        progress.min().unwrap_or(ServerProgress::Done)
    }

    /// The flows with a stream that has begun at its server and not ended there.
    #[must_use]
    pub fn flows_in_progress(&self) -> Vec<usize> {
        let mut flows = Vec::new();
        for server in 0..self.servers.len() {
            let streams = &self.servers[server].end.streams;
            for ((flow, _), id) in self.pairing(server).server_streams {
                let direction = self.case.flows[flow].direction;
                if !has_ended_at_server(&streams[&id], direction) && !flows.contains(&flow) {
                    flows.push(flow);
                }
            }
        }
        flows
    }

    /// The results of all flows, in the order of the scenario.
    #[must_use]
    pub fn finish(self) -> Vec<FlowResult> {
        let pairings: Vec<Pairing> = (0..self.servers.len()).map(|s| self.pairing(s)).collect();
        let flows = self.case.flows.iter().enumerate();
        flows
            .map(|(position, planned)| {
                let server = planned.target.started;
                let ends = FlowEnds {
                    flow: &self.flows[position],
                    server: server.map(|server| (&self.servers[server], &pairings[server])),
                };
                flow_result(self.case, position, ends, self.file)
            })
            .collect()
    }

    fn pairing(&self, server: usize) -> Pairing {
        let clients: Vec<(usize, &EndRecord)> = self.flows_of(server).collect();
        pairing::pair(&self.servers[server].end, &clients)
    }

    fn flows_of(&self, server: usize) -> impl Iterator<Item = (usize, &EndRecord)> {
        let flows = self.case.flows.iter().zip(&self.flows).enumerate();
        flows
            .filter(move |(_, (planned, _))| planned.target.started == Some(server))
            .map(|(position, (_, flow))| (position, &flow.client))
    }
}

impl ServerRecord {
    /// The server's stream that belongs to a client's.
    pub(super) fn counterpart(
        &self,
        pairing: &Pairing,
        flow: usize,
        stream: StreamId,
    ) -> Option<&StreamRecord> {
        self.end.streams.get(pairing.server_streams.get(&(flow, stream))?)
    }
}

/// Whether the server's end of a stream has ended, whichever way the data goes.
fn has_ended_at_server(stream: &StreamRecord, direction: Direction) -> bool {
    direction.ways().iter().all(|way| stream.role(server_role(*way)).outcome.is_some())
}
