use std::time::Duration;

use indexmap::IndexMap;
use linerate_engine::config::{
    Amount, ClientConfig, ClientTransport, Direction, Rate, SocketOptions, TcpSocketOptions,
};
use linerate_schema::scenario::ClientOptions;

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
        },
    );
    match config.amount {
        Amount::Time(time) => list.add("time", seconds(time)),
        Amount::Bytes(bytes) => list.add("bytes", bytes),
    }
    list.add(
        "bitrate",
        match config.rate {
            Rate::Unlimited => "0".to_owned(),
            Rate::BitsPerSecond(bits) => bits.to_string(),
            Rate::PacketsPerSecond(packets) => format!("{packets} pps"),
        },
    );
    list.add("length", config.length.bytes());
    list.add("parallel", config.parallel);
    list.add_some("interval", config.interval.map(seconds));
    list.socket(&config.socket);
    list.add_some("bind", options.bind.as_ref());
    list.add_some("ipv6", config.server.is_ipv6().then_some(true));
    list.add_some("trip-times", config.trip_times.then_some(true));
    if let Some(tcp) = tcp {
        list.tcp(&tcp.tcp);
        list.add("connect", format!("{{ timeout: {} }}", seconds(tcp.connect_timeout)));
    }
    list.add_some(
        "permit-key",
        options.permit_key.as_ref().map(|key| match KeyChoice::of(key) {
            KeyChoice::Fresh => "auto",
            KeyChoice::Given(_) => REDACTED,
        }),
    );
    list.add_some("start", options.start.as_ref().map(|start| seconds(start.value.0)));
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
        self.add_some("window", socket.window);
        self.add_some("tos", socket.tos.map(|tos| format!("{tos:#04x}")));
        self.add_some("ttl", socket.ttl);
    }

    fn tcp(&mut self, tcp: &TcpSocketOptions) {
        self.add_some("mss", tcp.mss);
        self.add_some("nodelay", tcp.nodelay.then_some(true));
        self.add_some("congestion", tcp.congestion.as_ref());
    }
}

fn seconds(span: Duration) -> String {
    format!("{}s", span.as_secs_f64())
}
