use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// When UDP servers that somebody else runs can take up the next flow.
///
/// An iperf server that has reported about a flow waits for 250 ms of silence before it is done with it. A flow that
/// begins within them falls into that wait: its first datagrams are taken for the end of the last flow, and the server
/// may hang. So the next flow to the same address begins later.
#[derive(Debug, Default)]
pub(super) struct ExternalSilence {
    ready: HashMap<SocketAddr, Instant>,
}

impl ExternalSilence {
    /// From the end of a flow to the start of the next one.
    const TIME: Duration = Duration::from_millis(300);

    /// A flow to `server` ended at `now`.
    pub(super) fn flow_ends(&mut self, server: SocketAddr, now: Instant) {
        self.ready.insert(server, now + Self::TIME);
    }

    /// How long the next flow to `server` has to wait.
    pub(super) fn time_left(&self, server: SocketAddr, now: Instant) -> Duration {
        self.ready.get(&server).map_or(Duration::ZERO, |ready| ready.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_server_whose_flow_ended_is_left_alone_for_a_while() {
        let [one, other] = [5001, 5002].map(|port| SocketAddr::from(([192, 0, 2, 1], port)));
        let now = Instant::now();
        let mut silence = ExternalSilence::default();
        silence.flow_ends(one, now);
        assert_eq!(silence.time_left(one, now), Duration::from_millis(300));
        assert_eq!(silence.time_left(other, now), Duration::ZERO);
        assert_eq!(silence.time_left(one, now + Duration::from_millis(301)), Duration::ZERO);
    }
}
