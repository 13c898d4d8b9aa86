use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use linerate_engine::event::{Role, StreamId, Totals};

use super::end_record::{EndRecord, StreamRecord};

/// A client's stream: position of its flow in the case, and its number.
pub(super) type ClientStream = (usize, StreamId);

/// Which server stream belongs to which client stream.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Pairing {
    /// The server's stream for each client stream that has one.
    pub(super) server_streams: BTreeMap<ClientStream, StreamId>,
    /// The client streams whose counterpart saw the very address that they had.
    pub(super) by_address: BTreeSet<ClientStream>,
    /// The flow whose streams were paired by order, because both ends saw different addresses.
    pub(super) by_order: Option<usize>,
    /// Number of server streams that belong to no client of the case.
    pub(super) strangers: usize,
}

/// Pairs the streams of `server` with those of the `clients` that use it.
///
/// A pair has the same client address at both ends. Behind address translation it is the port that tells, if only one
/// stream has it; then, if all streams left are of one flow and there are as many on both sides, their order. Such a guess
/// is taken only when the figures of both ends do not contradict it, and a stream that was at the server before the client
/// started is never the client's.
pub(super) fn pair(server: &EndRecord, clients: &[(usize, &EndRecord)]) -> Pairing {
    let mut open = OpenStreams::new(server, clients);
    open.pair_by_address();
    open.pair_by_port();
    open.pair_by_order();
    open.pairing.strangers = open.server.iter().filter(|(_, peer)| peer.is_some()).count();
    open.pairing
}

/// Streams that have no counterpart yet, and the pairs found so far.
struct OpenStreams<'a> {
    server_end: &'a EndRecord,
    client_ends: BTreeMap<usize, &'a EndRecord>,
    /// Client streams that have begun, with their own address.
    clients: Vec<(ClientStream, SocketAddr)>,
    /// Server streams, with their peer's address where they have begun.
    server: Vec<(StreamId, Option<SocketAddr>)>,
    pairing: Pairing,
}

impl<'a> OpenStreams<'a> {
    fn new(server: &'a EndRecord, clients: &[(usize, &'a EndRecord)]) -> Self {
        let mut of_clients = Vec::new();
        for (flow, end) in clients {
            for (id, stream) in &end.streams {
                of_clients.extend(stream.local().map(|local| ((*flow, *id), local)));
            }
        }
        let of_server = server.streams.iter().map(|(id, stream)| (*id, stream.peer()));
        Self {
            server_end: server,
            client_ends: clients.iter().copied().collect(),
            clients: of_clients,
            server: of_server.collect(),
            pairing: Pairing::default(),
        }
    }

    /// Whether a stream of the server came after the client of the flow was started.
    fn is_later(&self, (flow, _): ClientStream, id: StreamId) -> bool {
        let known_before = self.client_ends.get(&flow).and_then(|end| end.known_before);
        known_before.is_none_or(|known| id > known)
    }

    /// Whether both may be the ends of one stream, going by what they tell.
    fn is_possible(&self, client: ClientStream, id: StreamId) -> bool {
        let of_client = self.client_ends.get(&client.0).and_then(|end| end.streams.get(&client.1));
        let ends = of_client.zip(self.server_end.streams.get(&id));
        self.is_later(client, id)
            && ends.is_some_and(|(client, server)| !contradict(client, server))
    }

    fn pair_by_address(&mut self) {
        let mut by_peer: BTreeMap<SocketAddr, Vec<StreamId>> = BTreeMap::new();
        for (id, peer) in self.server.iter().rev() {
            if let Some(peer) = peer {
                by_peer.entry(*peer).or_default().push(*id);
            }
        }
        self.pair_with(|open, client, local| {
            let streams = by_peer.get_mut(&local)?;
            let first = streams.iter().rposition(|id| open.is_later(client, *id))?;
            Some(streams.remove(first))
        });
        self.pairing.by_address = self.pairing.server_streams.keys().copied().collect();
    }

    fn pair_by_port(&mut self) {
        let mut by_port: BTreeMap<u16, Vec<StreamId>> = BTreeMap::new();
        for (id, peer) in &self.server {
            if let Some(peer) = peer {
                by_port.entry(peer.port()).or_default().push(*id);
            }
        }
        let mut users: BTreeMap<u16, usize> = BTreeMap::new();
        for (_, local) in &self.clients {
            *users.entry(local.port()).or_default() += 1;
        }
        self.pair_with(|open, client, local| {
            let mut possible = by_port.get(&local.port())?.iter();
            let id = *possible.find(|id| open.is_later(client, **id))?;
            let is_only = possible.next().is_none() && users.get(&local.port()) == Some(&1);
            (is_only && open.is_possible(client, id)).then_some(id)
        });
    }

    fn pair_by_order(&mut self) {
        let Some(&((flow, _), _)) = self.clients.first() else { return };
        let same_flow = self.clients.iter().all(|((of, _), _)| *of == flow);
        let later = self.server.iter().map(|(id, _)| *id);
        let later: Vec<_> = later.filter(|id| self.is_later((flow, *id), *id)).collect();
        let mut pairs = self.clients.iter().map(|(client, _)| *client).zip(&later);
        if !same_flow
            || self.clients.len() != later.len()
            || !pairs.all(|(client, id)| self.is_possible(client, *id))
        {
            return;
        }
        // A stream that ended before its server knew its peer differs in nothing.
        let addresses_differ = self.server.iter().any(|(_, peer)| peer.is_some());
        let mut in_order = later.into_iter();
        self.pair_with(|_, _, _| in_order.next());
        self.pairing.by_order = addresses_differ.then_some(flow);
    }

    /// Pairs every open client stream with the server stream that `find` gives for its address.
    fn pair_with(
        &mut self,
        mut find: impl FnMut(&Self, ClientStream, SocketAddr) -> Option<StreamId>,
    ) {
        let mut taken = BTreeSet::new();
        for (client, local) in std::mem::take(&mut self.clients) {
            match find(self, client, local) {
                Some(id) => {
                    self.pairing.server_streams.insert(client, id);
                    taken.insert(id);
                }
                None => self.clients.push((client, local)),
            }
        }
        self.server.retain(|(id, _)| !taken.contains(id));
    }
}

/// A receiver may run so much longer or shorter than its sender before it is taken for another's, in seconds and in parts
/// of the sender's time.
const DURATION_TOLERANCE: (f64, f64) = (2.0, 0.25);

/// Whether what the ends tell shows that they are not of one stream.
fn contradict(client: &StreamRecord, server: &StreamRecord) -> bool {
    [Role::Sender, Role::Receiver].into_iter().any(|role| {
        let other = if role == Role::Sender { Role::Receiver } else { Role::Sender };
        let totals = client.role(role).totals().zip(server.role(other).totals());
        totals.is_some_and(|(client, server)| match role {
            Role::Sender => exceeds(server, client),
            Role::Receiver => exceeds(client, server),
        })
    })
}

/// Whether a receiver got more than its sender sent, or over quite another time.
fn exceeds(receiver: &Totals, sender: &Totals) -> bool {
    let datagrams = receiver.figures.datagrams.zip(sender.figures.datagrams);
    let more_datagrams = datagrams.is_some_and(|(seen, sent)| seen.sent > sent.sent);
    // Of datagrams, end markers and duplicates may be counted on one side only.
    let more_bytes = datagrams.is_none() && receiver.figures.bytes > sender.figures.bytes;
    let (seconds, part) = DURATION_TOLERANCE;
    let sent_for = sender.duration.as_secs_f64();
    let apart = (receiver.duration.as_secs_f64() - sent_for).abs();
    more_datagrams || more_bytes || apart > seconds + part * sent_for
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use linerate_engine::error::EngineError;
    use linerate_engine::event::{Event, EventKind, Role, StreamStarted};

    use super::*;

    fn end(streams: &[(u32, &str, &str)]) -> EndRecord {
        let mut end = EndRecord::default();
        for (stream, local, peer) in streams {
            let kind = EventKind::StreamStarted(StreamStarted {
                stream: StreamId(*stream),
                role: if peer.ends_with(":5001") { Role::Sender } else { Role::Receiver },
                local: local.parse().unwrap(),
                peer: peer.parse().unwrap(),
                connect_time: None,
                tcp: None,
                peer_version: None,
            });
            end.handle(Event { at: Duration::ZERO, kind });
        }
        end
    }

    fn pairs(pairing: &Pairing) -> Vec<(usize, u32, u32)> {
        let each = pairing.server_streams.iter();
        each.map(|((flow, client), server)| (*flow, client.0, server.0)).collect()
    }

    const SERVER: &str = "10.0.0.2:5001";

    #[test]
    fn streams_of_several_flows_pair_by_their_addresses_whatever_the_order_of_arrival() {
        let calls = end(&[(1, "10.0.0.1:4001", SERVER), (2, "10.0.0.1:4002", SERVER)]);
        let bulk = end(&[(1, "10.0.0.1:4003", SERVER)]);
        let server = end(&[
            (1, SERVER, "10.0.0.1:4003"),
            (2, SERVER, "10.0.0.1:4002"),
            (3, SERVER, "10.0.0.1:4001"),
        ]);
        let pairing = pair(&server, &[(0, &calls), (1, &bulk)]);
        assert_eq!(pairs(&pairing), [(0, 1, 3), (0, 2, 2), (1, 1, 1)]);
        assert_eq!((pairing.by_order, pairing.strangers), (None, 0));
    }

    #[test]
    fn a_mapped_ipv6_address_is_the_ipv4_address() {
        let client = end(&[(1, "10.0.0.1:4001", SERVER)]);
        let server = end(&[(1, "[::ffff:10.0.0.2]:5001", "[::ffff:10.0.0.1]:4001")]);
        assert_eq!(pairs(&pair(&server, &[(0, &client)])), [(0, 1, 1)]);
    }

    #[test]
    fn behind_address_translation_a_port_that_is_unique_tells() {
        let client = end(&[(1, "10.0.0.1:4001", SERVER), (2, "10.0.0.1:4002", SERVER)]);
        let server = end(&[(1, SERVER, "192.0.2.1:4002"), (2, SERVER, "192.0.2.1:4001")]);
        let pairing = pair(&server, &[(0, &client)]);
        assert_eq!(pairs(&pairing), [(0, 1, 2), (0, 2, 1)]);
        assert_eq!(pairing.by_order, None);
    }

    #[test]
    fn order_tells_only_for_a_single_flow_with_as_many_streams_on_both_sides() {
        let client = end(&[(1, "10.0.0.1:4001", SERVER), (2, "10.0.0.1:4002", SERVER)]);
        let server = end(&[(1, SERVER, "192.0.2.1:61"), (2, SERVER, "192.0.2.1:62")]);
        let pairing = pair(&server, &[(3, &client)]);
        assert_eq!(pairs(&pairing), [(3, 1, 1), (3, 2, 2)]);
        assert_eq!(pairing.by_order, Some(3));

        let other = end(&[(1, "10.0.0.1:4003", SERVER)]);
        let crowded = end(&[
            (1, SERVER, "192.0.2.1:61"),
            (2, SERVER, "192.0.2.1:62"),
            (3, SERVER, "192.0.2.1:63"),
        ]);
        assert_eq!(pairs(&pair(&crowded, &[(0, &client), (1, &other)])), []);
        assert_eq!(pairs(&pair(&crowded, &[(0, &client)])), []);
    }

    #[test]
    fn a_server_stream_that_never_began_is_paired_without_talk_of_address_translation() {
        let client = end(&[(1, "10.0.0.1:4001", SERVER), (2, "10.0.0.1:4002", SERVER)]);
        let mut server = end(&[(1, SERVER, "10.0.0.1:4001")]);
        let kind = EventKind::StreamFailed {
            stream: StreamId(2),
            role: None,
            error: EngineError::Cancelled,
            totals: None,
        };
        server.handle(Event { at: Duration::ZERO, kind });
        let pairing = pair(&server, &[(0, &client)]);
        assert_eq!(pairs(&pairing), [(0, 1, 1), (0, 2, 2)]);
        assert_eq!((pairing.by_order, pairing.strangers), (None, 0));
    }

    #[test]
    fn a_stranger_at_the_server_is_counted_and_takes_no_place() {
        let client = end(&[(1, "10.0.0.1:4001", SERVER)]);
        let server = end(&[(1, SERVER, "10.0.0.9:999"), (2, SERVER, "10.0.0.1:4001")]);
        let pairing = pair(&server, &[(0, &client)]);
        assert_eq!(pairs(&pairing), [(0, 1, 2)]);
        assert_eq!(pairing.strangers, 1);
    }

    #[test]
    fn an_address_that_comes_twice_pairs_its_first_stream() {
        let client = end(&[(1, "10.0.0.1:4001", SERVER)]);
        let server = end(&[(1, SERVER, "10.0.0.1:4001"), (2, SERVER, "10.0.0.1:4001")]);
        assert_eq!(pairs(&pair(&server, &[(0, &client)])), [(0, 1, 1)]);
    }

    #[test]
    fn a_stream_that_was_there_before_the_client_started_is_not_its_own() {
        let mut client = end(&[(1, "10.0.0.1:4001", SERVER)]);
        client.known_before = Some(StreamId(1));
        let stranger = end(&[(1, SERVER, "10.0.0.1:4001")]);
        let pairing = pair(&stranger, &[(0, &client)]);
        assert_eq!((pairs(&pairing), pairing.strangers), (vec![], 1));
        let both = end(&[(1, SERVER, "10.0.0.1:4001"), (2, SERVER, "10.0.0.1:4001")]);
        assert_eq!(pairs(&pair(&both, &[(0, &client)])), [(0, 1, 2)]);
        let translated = end(&[(1, SERVER, "192.0.2.1:7"), (2, SERVER, "192.0.2.1:8")]);
        assert_eq!(pairs(&pair(&translated, &[(0, &client)])), [(0, 1, 2)]);
    }
}
