use indexmap::IndexMap;
use linerate_engine::config::{
    Amount, ClientConfig, ClientTransport, Direction, Increment, Rate, SocketOptions,
    TcpSocketOptions,
};
use linerate_schema::scenario::ClientOptions;
use linerate_schema::units::{BitRate, ByteCount, DiffServ, PacketRate, Seconds, SendRate};

use super::KeyChoice;

/// Stands in results for a key that must not be shown.
const REDACTED: &str = "REDACTED";

/// Every option of a client that is in effect, by its scenario key, as scenario text. A given permit key is redacted.
#[must_use]
pub fn client_options_in_effect(
    options: &ClientOptions,
    config: &ClientConfig,
) -> IndexMap<String, String> {
    let mut list = OptionList::default();
    let (transport, tcp) = match &config.transport {
        ClientTransport::Tcp(tcp) => ("tcp", Some(tcp)),
        ClientTransport::Udp => ("udp", None),
    };
    list.add("transport", transport);
    list.add(
        "direction",
        match config.direction {
            Direction::Forward => "forward",
            Direction::Reverse => "reverse",
            Direction::FullDuplex => "full-duplex",
        },
    );
    match config.amount {
        Amount::Time(time) => list.add("time", Seconds(time)),
        Amount::Bytes(bytes) => list.add("bytes", ByteCount(bytes)),
    }
    list.add("bitrate", send_rate(config.rate));
    list.add("length", ByteCount(config.length.bytes() as u64));
    list.add("parallel", config.parallel);
    list.add_some("interval", config.interval.map(Seconds));
    list.socket(&config.socket);
    list.add_some("bind", options.bind.as_ref());
    list.add_some("increment", increment(config.addressing.increment));
    list.add_some("ipv6", config.server.is_ipv6().then_some(true));
    list.add_some("trip-times", config.trip_times.then_some(true));
    if let Some(tcp) = tcp {
        list.tcp(&tcp.tcp);
        list.add("connect", format!("{{ timeout: {} }}", Seconds(tcp.connect_timeout)));
    }
    list.add_some(
        "permit-key",
        options.permit_key.as_ref().map(|key| match KeyChoice::of(key) {
            KeyChoice::Fresh => "auto",
            KeyChoice::Given(_) => REDACTED,
        }),
    );
    list.add_some("start", options.start.as_ref());
    list.options
}

#[derive(Default)]
struct OptionList {
    options: IndexMap<String, String>,
}

impl OptionList {
    fn add(&mut self, key: &str, value: impl ToString) {
        self.options.insert(key.to_owned(), value.to_string());
    }

    fn add_some(&mut self, key: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.add(key, value);
        }
    }

    fn socket(&mut self, socket: &SocketOptions) {
        self.add_some("window", socket.window.map(|bytes| ByteCount(bytes as u64)));
        self.add_some("tos", socket.tos.map(DiffServ));
        self.add_some("ttl", socket.ttl);
    }

    fn tcp(&mut self, tcp: &TcpSocketOptions) {
        self.add_some("mss", tcp.mss);
        self.add_some("nodelay", tcp.nodelay.then_some(true));
        self.add_some("congestion", tcp.congestion.as_ref());
    }
}

fn increment(increment: Increment) -> Option<String> {
    let wanted = [
        ("destination-address", increment.destination_address),
        ("destination-port", increment.destination_port),
        ("source-address", increment.source_address),
    ];
    let keys: Vec<_> =
        wanted.iter().filter(|(_, is)| *is).map(|(key, _)| format!("{key}: true")).collect();
    (!keys.is_empty()).then(|| format!("{{ {} }}", keys.join(", ")))
}

/// The rate as `bitrate` takes it; 0 is unlimited.
#[expect(
    clippy::cast_precision_loss,
    reason = "a scenario gives at most 10^15 bit/s, which is exact"
)]
fn send_rate(rate: Rate) -> SendRate {
    match rate {
        Rate::Unlimited => SendRate::Bits(BitRate(0.0)),
        Rate::BitsPerSecond(bits) => SendRate::Bits(BitRate(bits as f64)),
        Rate::PacketsPerSecond(packets) => SendRate::Packets(PacketRate(packets)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use linerate_engine::config::PermitKey;
    use linerate_schema::scenario::Transport;

    use super::*;
    use crate::engine_config::{ClientNeeds, client_config};
    use crate::fixtures::given;

    fn in_effect(options: &ClientOptions, transport: Transport) -> Vec<(String, String)> {
        let permit_key = options.permit_key.as_ref().map(|_| PermitKey("top secret".to_owned()));
        let server = "127.0.0.1:5001".parse().unwrap();
        let config = client_config(
            options,
            ClientNeeds { permit_key, ..ClientNeeds::new(server, transport) },
        );
        client_options_in_effect(options, &config.unwrap()).into_iter().collect()
    }

    fn lines(options: &[(String, String)]) -> String {
        let lines: Vec<_> = options.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        lines.join("\n")
    }

    #[test]
    fn defaults_are_in_effect_too() {
        let options = ClientOptions::default();
        let tcp = lines(&in_effect(&options, Transport::Tcp));
        let udp = lines(&in_effect(&options, Transport::Udp));
        insta::assert_snapshot!(format!("{tcp}\n\n{udp}"));
    }

    #[test]
    fn given_options_read_back_and_the_key_does_not_show() {
        let options = ClientOptions {
            bytes: given(ByteCount(1 << 20)),
            bitrate: given(SendRate::Bits(BitRate(5e7))),
            interval: given(Seconds(Duration::from_millis(500))),
            window: given(ByteCount(65_536)),
            mss: given(1400),
            nodelay: given(true),
            congestion: given("reno".to_owned()),
            tos: given(DiffServ(0xb8)),
            ttl: given(9),
            bind: given("127.0.0.1".to_owned()),
            trip_times: given(true),
            permit_key: given("top secret".to_owned()),
            start: given(Seconds(Duration::from_secs(2))),
            ..ClientOptions::default()
        };
        let shown = in_effect(&options, Transport::Tcp);
        insta::assert_snapshot!(lines(&shown));
        let value = |key: &str| &shown.iter().find(|(name, _)| name == key).expect(key).1;
        assert_eq!(value("bitrate").parse(), Ok(SendRate::Bits(BitRate(5e7))));
        assert_eq!(value("bytes").parse(), Ok(ByteCount(1 << 20)));
        assert_eq!(value("interval").parse(), Ok(Seconds(Duration::from_millis(500))));
    }
}
