use std::ops::RangeInclusive;
use std::time::Duration;

use indexmap::IndexMap;

use super::DraftFlow;
use super::addressing::check_addressing;
use super::family::check_family;
use super::range::{check_range, out_of_range};
use crate::diagnostic::{Diagnostic, Findings, quoted};
use crate::scenario::{Direction, Host, Transport, Way};
use crate::units::{BitRate, ByteCount, PacketRate, Seconds, SendRate};
use crate::{Span, Spanned};

/// iperf's shortest interval.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(5);
/// The protocol counts a time in units of 10 ms, with 31 bits.
const SHORTEST_TIME: Duration = Duration::from_millis(10);
const LONGEST_TIME: Duration = Duration::from_secs(i32::MAX as u64 / 100);
/// The protocol has 31 bits for the bytes that a client asks a server to send.
const MOST_ASKED_BYTES: u64 = i32::MAX as u64;

/// Largest write of TCP: a longer one saves nothing, and takes memory for every stream.
pub(super) const LONGEST_WRITE: u64 = 16 << 20;
/// Smallest amount of TCP: the test header fits into it.
const LEAST_AMOUNT: u64 = 128;
/// Smallest datagram: sequence number and time.
const SHORTEST_DATAGRAM: u64 = 16;
/// Largest payload of a UDP datagram over IPv4.
const LONGEST_DATAGRAM: u64 = 65_507;
/// The headers that carry the times of `trip-times`.
const SHORTEST_STAMPED_WRITE: u64 = 92;
const SHORTEST_STAMPED_DATAGRAM: u64 = 128;
const DEFAULT_WRITE: u64 = 128 << 10;
const DEFAULT_DATAGRAM: u64 = 1450;

/// Reports what is wrong with the options of a client.
pub(crate) fn check_client(flow: &DraftFlow, hosts: &IndexMap<String, Host>, findings: &Findings) {
    let options = &flow.options;
    check_range("parallel", options.parallel.as_ref(), 1..=1000, findings);
    check_range("ttl", options.ttl.as_ref(), 1..=u8::MAX, findings);
    check_range("mss", options.mss.as_ref(), 88..=65_495, findings);
    check_window(options.window.as_ref(), findings);
    check_congestion(options.congestion.as_ref(), findings);
    check_conflicts(flow, findings);
    check_addressing(flow, hosts, findings);
    check_times(flow, findings);
    check_amount(flow, findings);
    check_place(flow, hosts, findings);
    check_permit_key(flow, hosts, findings);
    if let Some(transport) = flow.transport() {
        check_transport(flow, transport, findings);
        check_length(flow, transport, findings);
        check_rate(flow, transport, findings);
    }
    check_family(flow, hosts, findings);
}

/// Reports a socket buffer of no or too many bytes.
pub(super) fn check_window(window: Option<&Spanned<ByteCount>>, findings: &Findings) {
    check_bytes("window", window, 1..=i32::MAX as u64, findings);
}

/// Reports what cannot name a congestion control algorithm: the kernel's names have 1 to 15 such characters.
pub(super) fn check_congestion(name: Option<&Spanned<String>>, findings: &Findings) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_name =
        |name: &Spanned<String>| (1..=15).contains(&name.len()) && name.chars().all(is_plain);
    if let Some(name) = name.filter(|name| !is_name(name)) {
        let message = format!("{} cannot name a congestion control algorithm", quoted(name));
        findings.add(
            Diagnostic::error("invalid-value", name.span, message)
                .help("write a name such as `cubic` or `bbr`"),
        );
    }
}

/// Reports a number of bytes outside a range.
pub(super) fn check_bytes(
    key: &str,
    bytes: Option<&Spanned<ByteCount>>,
    range: RangeInclusive<u64>,
    findings: &Findings,
) {
    let Some(bytes) = bytes.filter(|bytes| !range.contains(&bytes.value.0)) else { return };
    let help = format!("write {} to {} bytes", range.start(), range.end());
    findings.add(out_of_range(key, bytes, &help));
}

fn check_conflicts(flow: &DraftFlow, findings: &Findings) {
    let options = &flow.options;
    let span = |key: &str| match key {
        "time" => options.time.as_ref().map(|option| option.span),
        "bytes" => options.bytes.as_ref().map(|option| option.span),
        "tos" => options.tos.as_ref().map(|option| option.span),
        _ => options.dscp.as_ref().map(|option| option.span),
    };
    for (first, second, why) in [
        ("time", "bytes", "a flow ends after a time or after an amount"),
        ("tos", "dscp", "both set the same byte of the IP header"),
    ] {
        if let (Some(first_span), Some(second_span)) = (span(first), span(second)) {
            findings.add(
                Diagnostic::error(
                    "conflicting-options",
                    second_span,
                    format!("`{first}` and `{second}` exclude each other: {why}"),
                )
                .related(first_span, format!("`{first}` is here"))
                .help("remove one of them"),
            );
        }
    }
}

fn check_times(flow: &DraftFlow, findings: &Findings) {
    let options = &flow.options;
    if let Some(time) = &options.time
        && !(SHORTEST_TIME..=LONGEST_TIME).contains(&time.value.0)
    {
        let help = format!("write 10 ms to {} s", LONGEST_TIME.as_secs());
        findings.add(out_of_range("time", time, &help));
    }
    if let Some(timeout) = options.connect.as_ref().and_then(|connect| connect.timeout.as_ref())
        && timeout.value.0.is_zero()
    {
        findings.add(out_of_range("timeout", timeout, "write the time to wait, such as `10s`"));
    }
    let Some(interval) = &options.interval else { return };
    let span = options.time.as_ref().map(|time| time.span);
    if check_interval(interval, findings)
        && let Some(time) = flow.sending_time()
        && interval.value.0 > time
    {
        let message = format!("`interval` is longer than the flow, which takes {}", Seconds(time));
        let mut finding = Diagnostic::error("out-of-range", interval.span, message)
            .help("choose a shorter `interval` or a longer `time`");
        if let Some(span) = span {
            finding = finding.related(span, "the flow's time");
        }
        findings.add(finding);
    }
}

/// Reports an interval that is too short; whether it is not.
pub(super) fn check_interval(interval: &Spanned<Seconds>, findings: &Findings) -> bool {
    let is_long_enough = interval.value.0 >= SHORTEST_INTERVAL;
    if !is_long_enough {
        findings.add(out_of_range("interval", interval, "write at least 5 ms"));
    }
    is_long_enough
}

/// Bytes that a flow sends at least: its test header; with UDP a datagram, which may be shorter.
fn least_amount(flow: &DraftFlow) -> u64 {
    let length = flow.options.length.as_ref().map_or(LEAST_AMOUNT, |length| length.value.0);
    match flow.transport() {
        Some(Transport::Udp) => length.clamp(SHORTEST_DATAGRAM, LEAST_AMOUNT),
        Some(Transport::Tcp) => LEAST_AMOUNT,
        None => 1,
    }
}

fn check_amount(flow: &DraftFlow, findings: &Findings) {
    let Some(bytes) = &flow.options.bytes else { return };
    let least = least_amount(flow);
    if bytes.value.0 < least {
        let help =
            format!("write at least {least} bytes, as the first of them are the test header");
        findings.add(out_of_range("bytes", bytes, &help));
    } else if flow.direction().has_reverse() && bytes.value.0 > MOST_ASKED_BYTES {
        let help =
            format!("a client can ask a server for at most {MOST_ASKED_BYTES} bytes; use `time`");
        findings.add(out_of_range("bytes", bytes, &help));
    }
}

fn check_place(flow: &DraftFlow, hosts: &IndexMap<String, Host>, findings: &Findings) {
    let Some((name, Host::External { address })) =
        flow.host.as_ref().and_then(|name| hosts.get_key_value(name))
    else {
        return;
    };
    findings.add(
        Diagnostic::error(
            "external-client",
            flow.options.host.as_ref().map_or(flow.span, |host| host.span),
            format!("the host {} is external and runs no client", quoted(name)),
        )
        .related(address.span, "this host runs its own iperf server")
        .help("run the client on a local host and use the external one as its server"),
    );
}

fn check_permit_key(flow: &DraftFlow, hosts: &IndexMap<String, Host>, findings: &Findings) {
    let Some(key) = &flow.options.permit_key else { return };
    if key.value == "auto" {
        let server = flow.server.as_ref().and_then(|server| hosts.get(&server.host));
        if matches!(server, Some(Host::External { .. })) {
            findings.add(
                Diagnostic::error(
                    "external-server",
                    key.span,
                    "a fresh key needs a server that is started for the test, and this one is external",
                )
                .help("write the key that the external server was started with"),
            );
        }
    } else if !(4..=127).contains(&key.len()) || key.chars().any(char::is_control) {
        findings.add(
            Diagnostic::error("out-of-range", key.span, "this cannot be a permit key")
                .help("write 4 to 127 characters, or `auto` for a fresh key"),
        );
    }
}

fn check_transport(flow: &DraftFlow, transport: Transport, findings: &Findings) {
    let options = &flow.options;
    if transport == Transport::Tcp {
        check_tcp_direction(flow, findings);
    } else {
        let tcp_only = [
            ("mss", options.mss.as_ref().map(|option| option.span)),
            ("nodelay", options.nodelay.as_ref().map(|option| option.span)),
            ("congestion", options.congestion.as_ref().map(|option| option.span)),
            ("permit-key", options.permit_key.as_ref().map(|option| option.span)),
            ("connect", options.connect.as_ref().map(|option| option.span)),
        ];
        for (key, span) in tcp_only {
            if let Some(span) = span {
                findings.add(tcp_only_option(key, span, options.transport.as_ref()));
            }
        }
    }
    let wanted = flow.server.as_ref().and_then(|server| server.options.transport.as_ref());
    if let Some(wanted) = wanted.filter(|wanted| wanted.value != transport) {
        let span = options.transport.as_ref().map_or(flow.span, |transport| transport.span);
        findings.add(
            Diagnostic::error(
                "transport-mismatch",
                span,
                format!("the client uses {transport}, its server {wanted}"),
            )
            .related(wanted.span, "the server's transport")
            .help("give both the same `transport`, or only the server"),
        );
    }
}

/// TCP goes one way at a time.
fn check_tcp_direction(flow: &DraftFlow, findings: &Findings) {
    if let Some(direction) = &flow.options.direction
        && direction.value == Direction::FullDuplex
    {
        findings.add(
            Diagnostic::error(
                "udp-only",
                direction.span,
                format!("`{}` is a direction of UDP only", direction.value),
            )
            .help("use `transport: udp`, or one client for each direction"),
        );
    }
}

/// The finding about a TCP option of a UDP flow.
pub(super) fn tcp_only_option(
    key: &str,
    span: Span,
    transport: Option<&Spanned<Transport>>,
) -> Diagnostic {
    let finding = Diagnostic::error("tcp-only", span, format!("`{key}` is an option of TCP only"))
        .help("remove it, or use `transport: tcp`");
    match transport {
        Some(transport) => finding.related(transport.span, "the transport is UDP"),
        None => finding,
    }
}

fn check_length(flow: &DraftFlow, transport: Transport, findings: &Findings) {
    let Some(length) = &flow.options.length else { return };
    let trip_times = flow.options.trip_times.as_ref().filter(|trip_times| trip_times.value);
    let (plain, stamped, most) = match transport {
        Transport::Tcp => (1, SHORTEST_STAMPED_WRITE, LONGEST_WRITE),
        Transport::Udp => (SHORTEST_DATAGRAM, SHORTEST_STAMPED_DATAGRAM, LONGEST_DATAGRAM),
    };
    let bytes = length.value.0;
    if !(plain..=most).contains(&bytes) {
        let help = format!("with {transport}, write {plain} to {most} bytes");
        findings.add(out_of_range("length", length, &help));
    } else if let Some(trip_times) = trip_times.filter(|_| bytes < stamped) {
        findings.add(
            Diagnostic::error(
                "out-of-range",
                length.span,
                format!(
                    "`length` leaves no room for the time stamps of `trip-times` with {transport}"
                ),
            )
            .related(trip_times.span, "asked for here")
            .help(format!("write at least {stamped} bytes, or remove `trip-times`")),
        );
    }
}

fn check_rate(flow: &DraftFlow, transport: Transport, findings: &Findings) {
    let Some(rate) = &flow.options.bitrate else { return };
    let noun = match transport {
        Transport::Tcp => "write",
        Transport::Udp => "datagram",
    };
    let too_small = |help: String| {
        let message = format!("`bitrate` is too small for one {noun} per second");
        findings.add(Diagnostic::error("out-of-range", rate.span, message).help(help));
    };
    match (rate.value, transport) {
        (SendRate::Packets(_), Transport::Tcp) => findings.add(
            Diagnostic::error(
                "udp-only",
                rate.span,
                "a rate in packets per second is an option of UDP only",
            )
            .help("write a rate in bits per second, or use `transport: udp`"),
        ),
        (SendRate::Packets(PacketRate(packets)), Transport::Udp) if packets < 1.0 => {
            too_small("write at least `1 pps`".to_owned());
        }
        (SendRate::Bits(BitRate(bits)), _)
            if bits > 0.0 && bits < bits_per_write(flow, transport) =>
        {
            let length = (bits / 8.0).floor();
            too_small(match length >= 1.0 {
                true => format!("raise it, or give a `length` of at most {length} bytes"),
                false => "write at least 8 bit/s, or 0 for no limit".to_owned(),
            });
        }
        (SendRate::Packets(_) | SendRate::Bits(_), _) => {}
    }
}

/// Bits of a write; a server that sends uses its own length when the client gives none.
#[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^52")]
fn bits_per_write(flow: &DraftFlow, transport: Transport) -> f64 {
    let default = match transport {
        Transport::Tcp => DEFAULT_WRITE,
        Transport::Udp => DEFAULT_DATAGRAM,
    };
    let of_server = flow.server.as_ref().and_then(|server| server.options.length.as_ref());
    let length = |way: &Way| match (&flow.options.length, way) {
        (Some(length), _) => length.value.0,
        (None, Way::Reverse) => of_server.map_or(default, |length| length.value.0),
        (None, Way::Forward) => default,
    };
    flow.direction().ways().iter().map(length).max().unwrap_or(default) as f64 * 8.0
}
