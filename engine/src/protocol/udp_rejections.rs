//! When a sender that the network rejects should give up.

use std::time::Duration;

use crate::error::EngineError;

/// How the network or the peer's host rejected datagrams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// Nobody listens at the port.
    Refused,
    /// No way to the host; the system's words.
    Unreachable(String),
    /// The path takes only shorter datagrams. Normally told once, because the system cuts later ones into fragments.
    TooLong,
}

/// Watches the rejections of a flow's datagrams (ICMP errors).
///
/// One rejection is no verdict: an iperf server has no socket for a moment while it takes up a new flow, and a router may
/// need time to find a host. Nor does a datagram that is sent without error mean anything, because the error comes with
/// a later one. Routers and hosts limit how many errors they send, often to one per second. So a flow is given up when
/// rejections go on for [`Self::PATIENCE`]; a pause longer than [`Self::MEMORY`] starts anew. (iperf never gives up.)
#[derive(Debug, Clone, Default)]
pub struct Rejections {
    series: Option<Series>,
}

#[derive(Debug, Clone)]
struct Series {
    first: Duration,
    last: Duration,
    count: u32,
    from_the_start: bool,
    rejection: Rejection,
}

impl Rejections {
    /// How long rejections must go on before a flow is given up.
    pub const PATIENCE: Duration = Duration::from_secs(1);
    /// A rejection that is older than this says nothing about the present. A host that does not answer is told every 3 s.
    pub const MEMORY: Duration = Duration::from_secs(5);

    /// Fewer rejections than this are no series.
    const LEAST: u32 = 3;
    /// So many datagrams may be sent before the first error comes back, in a flow that was rejected from the start.
    const UNANSWERED: u64 = 2;

    /// Takes a rejection at `now`, `elapsed` after the start of the flow, of which `sent` datagrams were sent. Returns the
    /// error when the flow should be given up.
    pub fn record(
        &mut self,
        rejection: Rejection,
        now: Duration,
        elapsed: Duration,
        sent: u64,
    ) -> Option<EngineError> {
        let series = self.series.get_or_insert_with(|| Series {
            first: now,
            last: now,
            count: 0,
            from_the_start: elapsed <= Self::PATIENCE || sent <= Self::UNANSWERED,
            rejection: rejection.clone(),
        });
        if now.saturating_sub(series.last) > Self::MEMORY {
            // What was reached until then vanished.
            series.first = now;
            series.count = 0;
            series.from_the_start = false;
        }
        series.last = now;
        series.count += 1;
        series.rejection = rejection;
        let lasting = now.saturating_sub(series.first) >= Self::PATIENCE;
        (lasting && series.count >= Self::LEAST).then(|| series.error())
    }

    /// What rejections of late mean for a flow that ends without an answer.
    #[must_use]
    pub fn verdict(&self, now: Duration) -> Option<EngineError> {
        self.series
            .as_ref()
            .filter(|series| now.saturating_sub(series.last) <= Self::MEMORY)
            .map(Series::error)
    }
}

impl Series {
    fn error(&self) -> EngineError {
        match (&self.rejection, self.from_the_start) {
            (Rejection::Refused, true) => EngineError::Refused,
            (Rejection::Refused, false) => {
                EngineError::PeerVanished { reason: "its port became unreachable".into() }
            }
            (Rejection::Unreachable(reason), _) => {
                EngineError::Unreachable { reason: reason.clone() }
            }
            (Rejection::TooLong, _) => EngineError::System {
                operation: "send datagrams of this length".into(),
                reason: "the path takes only shorter ones".into(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn refuse(rejections: &mut Rejections, at: Duration, sent: u64) -> Option<EngineError> {
        rejections.record(Rejection::Refused, at, at, sent)
    }

    #[test]
    fn a_port_that_refuses_for_a_second_is_refused() {
        let mut rejections = Rejections::default();
        assert_eq!(refuse(&mut rejections, ms(10), 1), None);
        assert_eq!(refuse(&mut rejections, ms(500), 40), None);
        assert_eq!(refuse(&mut rejections, ms(1009), 80), None);
        assert_eq!(refuse(&mut rejections, ms(1010), 81), Some(EngineError::Refused));
    }

    #[test]
    fn one_error_per_second_is_enough() {
        let mut rejections = Rejections::default();
        assert_eq!(refuse(&mut rejections, ms(0), 1), None);
        assert_eq!(refuse(&mut rejections, ms(1000), 500), None);
        assert_eq!(refuse(&mut rejections, ms(2000), 1000), Some(EngineError::Refused));
    }

    #[test]
    fn a_short_refusal_at_the_start_is_forgotten() {
        let mut rejections = Rejections::default();
        for at in 0..100 {
            assert_eq!(refuse(&mut rejections, ms(at), at), None);
        }
        assert_eq!(rejections.verdict(ms(200)), Some(EngineError::Refused));
        assert_eq!(rejections.verdict(ms(9000)), None);
    }

    #[test]
    fn a_port_that_closes_later_is_a_peer_that_vanished() {
        let mut rejections = Rejections::default();
        refuse(&mut rejections, ms(0), 1);
        for at in [6000, 6500] {
            assert_eq!(refuse(&mut rejections, ms(at), 400), None);
        }
        let error = refuse(&mut rejections, ms(7000), 500).unwrap();
        assert_eq!(error.to_string(), "the peer vanished: its port became unreachable");
    }

    #[test]
    fn a_slow_flow_may_see_its_first_refusal_late() {
        let mut rejections = Rejections::default();
        refuse(&mut rejections, ms(2500), 2);
        refuse(&mut rejections, ms(5000), 3);
        assert_eq!(refuse(&mut rejections, ms(7500), 4), Some(EngineError::Refused));
    }

    #[test]
    fn a_path_that_takes_no_long_datagram_at_all_is_an_error() {
        let mut rejections = Rejections::default();
        let mut record = |at| rejections.record(Rejection::TooLong, at, at, 1);
        assert_eq!((record(ms(0)), record(ms(500))), (None, None));
        let error = record(ms(1000)).unwrap().to_string();
        assert_eq!(
            error,
            "failed to send datagrams of this length: the path takes only shorter ones"
        );
    }

    #[test]
    fn no_way_to_the_host_is_told_in_the_words_of_the_system() {
        let mut rejections = Rejections::default();
        let rejection = Rejection::Unreachable("no route to host".into());
        rejections.record(rejection, ms(0), ms(0), 1);
        let error = rejections.verdict(ms(100)).unwrap();
        assert_eq!(error.to_string(), "unreachable: no route to host");
    }
}
