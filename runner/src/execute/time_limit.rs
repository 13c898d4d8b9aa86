use std::time::Duration;

use linerate_engine::config::{Amount, ClientConfig, ClientTransport};

use crate::engine_config::gap_between_writes;

/// A flow with an amount of bytes may be as slow as this.
const SLOWEST_BITS_PER_SECOND: u64 = 1_000_000;

/// When a flow that starts after `start` must have ended, from the start of its case, without any grace.
pub(super) fn latest_end(start: Duration, config: &ClientConfig) -> Duration {
    let connecting = match &config.transport {
        ClientTransport::Tcp(options) => options.connect_timeout,
        ClientTransport::Udp => Duration::ZERO,
    };
    let sending = match config.amount {
        Amount::Time(time) => time,
        Amount::Bytes(bytes) => {
            let slowest = Duration::from_secs(bytes.saturating_mul(8) / SLOWEST_BITS_PER_SECOND);
            let writes = bytes.div_ceil(config.length.bytes().max(1) as u64);
            let writes = u32::try_from(writes).unwrap_or(u32::MAX);
            slowest.max(gap_between_writes(config).saturating_mul(writes))
        }
    };
    let last_gap = gap_between_writes(config);
    [connecting, sending, last_gap].into_iter().fold(start, Duration::saturating_add)
}

/// The time that a case may take when its traffic should have ended after `expected`.
pub(super) fn with_grace(expected: Duration, grace: Duration) -> Duration {
    expected.saturating_add(grace).saturating_add(expected / 10)
}

#[cfg(test)]
mod tests {
    use linerate_schema::scenario::{ClientOptions, Transport};
    use linerate_schema::units::{ByteCount, Seconds};

    use super::*;
    use crate::engine_config::{ClientNeeds, client_config};
    use crate::fixtures::given;

    fn config(options: &ClientOptions, transport: Transport) -> ClientConfig {
        let server = "127.0.0.1:5001".parse().unwrap();
        client_config(options, ClientNeeds::new(server, transport)).unwrap()
    }

    #[test]
    fn a_timed_flow_has_its_start_its_connection_and_its_time() {
        let options = ClientOptions {
            time: given(Seconds(Duration::from_secs(3))),
            ..ClientOptions::default()
        };
        let tcp = latest_end(Duration::from_secs(2), &config(&options, Transport::Tcp));
        assert_eq!(tcp, Duration::from_secs(2 + 10 + 3));
        let udp = latest_end(Duration::ZERO, &config(&options, Transport::Udp));
        assert!(udp >= Duration::from_secs(3) && udp < Duration::from_millis(3100), "{udp:?}");
    }

    #[test]
    fn an_amount_at_unknown_rate_may_be_slow_but_not_endless() {
        let options =
            ClientOptions { bytes: given(ByteCount(125_000_000)), ..ClientOptions::default() };
        let end = latest_end(Duration::ZERO, &config(&options, Transport::Tcp));
        assert_eq!(end, Duration::from_secs(10 + 1000));
        let endless =
            ClientOptions { bytes: given(ByteCount(u64::MAX)), ..ClientOptions::default() };
        let end = latest_end(Duration::ZERO, &config(&endless, Transport::Tcp));
        assert!(with_grace(end, Duration::MAX) == Duration::MAX);
    }
}
