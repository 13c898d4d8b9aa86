use std::net::SocketAddr;

use linerate_engine::config::{
    Amount, ClientConfig, ClientTransport, Direction, Length, Rate, ServerConfig, ServerTransport,
    SocketOptions, TcpSocketOptions,
};

/// A rate that no sender keeps. iperf 2.1.8 refuses `-b 0` with UDP, and leaving it out means 1 Mbit/s.
const UNLIMITED_UDP: &str = "1000g";

/// Stands in a command for a key that must not be shown.
const REDACTED: &str = "REDACTED";

/// The iperf 2 command that sends the same traffic from the client's end.
///
/// `server` is the address or name to write for the server's. A permit key is written as `REDACTED`. Limits that iperf 2
/// has no option for, such as the connect timeout, are left out.
#[must_use]
pub fn iperf_client_command(config: &ClientConfig, server: &str) -> String {
    let mut command = Command::new("iperf");
    // iperf's client takes the device with the server's address.
    let device = config.socket.device.as_deref().filter(|_| !server.contains('%'));
    command.option("-c", device.map_or_else(|| server.to_owned(), |d| format!("{server}%{d}")));
    command.flag("-V", config.server.is_ipv6());
    command.option("-p", config.server.port());
    command.flag("-u", config.transport == ClientTransport::Udp);
    match config.direction {
        Direction::Forward => {}
        Direction::Reverse => command.flag("-R", true),
        Direction::FullDuplex => command.flag("--full-duplex", true),
    }
    match config.amount {
        Amount::Time(time) => command.option("-t", time.as_secs_f64()),
        Amount::Bytes(bytes) => command.option("-n", bytes),
    }
    match (config.rate, &config.transport) {
        (Rate::Unlimited, ClientTransport::Tcp(_)) => {}
        (Rate::Unlimited, ClientTransport::Udp) => command.option("-b", UNLIMITED_UDP),
        (Rate::BitsPerSecond(bits), _) => command.option("-b", bits),
        (Rate::PacketsPerSecond(packets), _) => command.option("-b", format!("{packets}pps")),
    }
    command.length(config.length);
    if config.parallel.get() > 1 {
        command.option("-P", config.parallel);
    }
    command.optional("-i", config.interval.map(|interval| interval.as_secs_f64()));
    command.optional("-B", config.bind.map(bind_text));
    command.flag("--incr-dstip", config.addressing.increment.destination_address);
    command.flag("--incr-dstport", config.addressing.increment.destination_port);
    command.flag("--incr-srcip", config.addressing.increment.source_address);
    command.socket(&config.socket);
    command.optional("-S", config.socket.tos.map(|tos| format!("{tos:#04x}")));
    command.flag("--trip-times", config.trip_times);
    if let ClientTransport::Tcp(options) = &config.transport {
        command.tcp(&options.tcp);
        command.key(options.permit_key.is_some());
    }
    command.text
}

/// The iperf 2 command that serves the same traffic. `port` is the one that was used, where the system chose it.
#[must_use]
pub fn iperf_server_command(config: &ServerConfig, port: u16) -> String {
    let mut command = Command::new("iperf");
    command.flag("-s", true);
    command.flag("-V", config.address.is_ipv6());
    match config.ports.get() {
        1 => command.option("-p", port),
        ports => command.option("-p", format!("{port}-{}", port.saturating_add(ports - 1))),
    }
    command.flag("-u", matches!(config.transport, ServerTransport::Udp(_)));
    command.length(config.length);
    command.optional("-i", config.interval.map(|interval| interval.as_secs_f64()));
    let address = (!config.address.is_unspecified()).then(|| config.address.to_string());
    let bind = match (address, &config.socket.device) {
        (address, None) => address,
        (Some(address), Some(device)) => Some(format!("{address}%{device}")),
        (None, Some(device)) => Some(format!("{}%{device}", config.address)),
    };
    command.optional("-B", bind);
    command.socket(&config.socket);
    command.optional("--tos-override", config.socket.tos.map(|tos| format!("{tos:#04x}")));
    if let ServerTransport::Tcp(options) = &config.transport {
        command.tcp(&options.tcp);
        command.key(options.permit_key.is_some());
    }
    command.text
}

/// The address as `-B` takes it; iperf binds to a free port when none is given.
fn bind_text(address: SocketAddr) -> String {
    if address.port() == 0 { address.ip().to_string() } else { address.to_string() }
}

/// A shell command under construction.
struct Command {
    text: String,
}

impl Command {
    fn new(program: &str) -> Self {
        Self { text: program.to_owned() }
    }

    fn word(&mut self, word: &str) {
        self.text.push(' ');
        self.text.push_str(&quoted(word));
    }

    fn flag(&mut self, flag: &str, wanted: bool) {
        if wanted {
            self.word(flag);
        }
    }

    fn option(&mut self, option: &str, value: impl ToString) {
        self.word(option);
        self.word(&value.to_string());
    }

    fn optional(&mut self, option: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.option(option, value);
        }
    }

    /// iperf tells the other end only a chosen length, so a default stays unsaid.
    fn length(&mut self, length: Length) {
        if let Length::Chosen(bytes) = length {
            self.option("-l", bytes);
        }
    }

    fn socket(&mut self, socket: &SocketOptions) {
        self.optional("-w", socket.window);
        self.optional("-T", socket.ttl);
    }

    fn tcp(&mut self, tcp: &TcpSocketOptions) {
        self.optional("-M", tcp.mss);
        self.flag("-N", tcp.nodelay);
        self.optional("-Z", tcp.congestion.as_ref());
    }

    fn key(&mut self, present: bool) {
        if present {
            self.word(&format!("--permit-key={REDACTED}"));
        }
    }
}

/// The word as a POSIX shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use linerate_engine::config::PermitKey;
    use linerate_schema::scenario::{
        ClientOptions, Direction, IncrementOptions, PortChoice, ServerOptions, Transport,
    };
    use linerate_schema::units::{BitRate, ByteCount, DiffServ, PacketRate, Seconds, SendRate};

    use super::*;
    use crate::engine_config::{ClientNeeds, ServerNeeds, client_config, server_config};
    use crate::fixtures::given;

    fn client(options: &ClientOptions, transport: Transport, key: Option<&str>) -> String {
        let permit_key = key.map(|key| PermitKey(key.to_owned()));
        let server = "192.0.2.1:5001".parse().unwrap();
        let config = client_config(
            options,
            ClientNeeds { permit_key, ..ClientNeeds::new(server, transport) },
        );
        iperf_client_command(&config.unwrap(), "192.0.2.1")
    }

    fn server(options: &ServerOptions, transport: Transport, key: Option<&str>) -> String {
        let needs = ServerNeeds {
            transport,
            port: PortChoice::Auto,
            ipv6: false,
            interval: Some(Duration::from_secs(1)),
            longest_gap: Duration::ZERO,
            permit_key: key.map(|key| PermitKey(key.to_owned())),
        };
        iperf_server_command(&server_config(options, needs).unwrap(), 40_001)
    }

    #[test]
    fn client_commands_reproduce_the_traffic() {
        let base = ClientOptions::default;
        let all = ClientOptions {
            direction: given(Direction::Reverse),
            bytes: given(ByteCount(1_000_000)),
            bitrate: given(SendRate::Bits(BitRate(1.5e6))),
            length: given(ByteCount(1000)),
            parallel: given(4),
            interval: given(Seconds(Duration::from_millis(500))),
            window: given(ByteCount(65_536)),
            mss: given(1400),
            nodelay: given(true),
            congestion: given("reno".to_owned()),
            tos: given(DiffServ(0x08)),
            ttl: given(9),
            bind: given("192.0.2.7:6000".to_owned()),
            trip_times: given(true),
            ..base()
        };
        let packets = SendRate::Packets(PacketRate(1000.0));
        let half = Seconds(Duration::from_millis(500));
        let counting = ClientOptions {
            parallel: given(2),
            bind: given("192.0.2.7:6000%eth1".to_owned()),
            increment: given(IncrementOptions {
                destination_address: given(true),
                destination_port: given(true),
                source_address: given(true),
                source_port: given(true),
            }),
            ..base()
        };
        let odd = ClientOptions { congestion: given("it's odd".to_owned()), ..base() };
        let commands = [
            client(&base(), Transport::Tcp, None),
            client(&base(), Transport::Udp, None),
            client(&all, Transport::Tcp, Some("top secret")),
            client(&ClientOptions { bitrate: given(packets), ..base() }, Transport::Udp, None),
            client(
                &ClientOptions {
                    bitrate: given(SendRate::Bits(BitRate(0.0))),
                    time: given(half),
                    bind: given("192.0.2.7".to_owned()),
                    ..base()
                },
                Transport::Udp,
                None,
            ),
            client(&odd, Transport::Tcp, None),
            client(&counting, Transport::Tcp, None),
            client(
                &ClientOptions { direction: given(Direction::FullDuplex), ..base() },
                Transport::Udp,
                None,
            ),
        ];
        insta::assert_snapshot!(commands.join("\n"));
    }

    #[test]
    fn server_commands_name_the_port_that_was_used() {
        let base = ServerOptions::default;
        let all = ServerOptions {
            length: given(ByteCount(1000)),
            window: given(ByteCount(65_536)),
            mss: given(1400),
            congestion: given("reno".to_owned()),
            tos: given(DiffServ(0xb8)),
            bind: given("192.0.2.1%eth1".to_owned()),
            ..base()
        };
        let commands = [
            server(&base(), Transport::Tcp, None),
            server(&base(), Transport::Udp, None),
            server(&all, Transport::Tcp, Some("top secret")),
        ];
        insta::assert_snapshot!(commands.join("\n"));
    }
}
