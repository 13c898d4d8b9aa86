//! Why a figure that was measured cannot be trusted.

use std::net::IpAddr;

use linerate_schema::assertion::Stat;
use linerate_schema::results::{Distribution, FlowResult, Measurement, ReceiverSource, StreamWay};
use linerate_schema::scenario::{Transport, Way};
use linerate_schema::units::SendRate;

use super::figure::count;
use crate::record::cuts_datagrams;

/// Too few samples for this statistic.
pub(super) fn too_few(stat: Stat, samples: u64) -> Option<String> {
    let needed = stat.samples_needed();
    (samples < needed).then(|| {
        let there_are = if samples == 1 { "there is" } else { "there are" };
        format!(
            "{stat} needs at least {needed} samples and {there_are} {samples}: run longer, or ask for another statistic"
        )
    })
}

/// One-way latency is a difference of two clocks: they have to be one clock, and a negative sample proves that they
/// disagree.
pub(super) fn doubtful_clocks(
    flow: &FlowResult,
    way: Way,
    latency: &Distribution,
) -> Option<String> {
    if latency.negative > 0 {
        return Some(format!(
            "{} of {} samples are negative, so the clocks of both ends disagree: synchronise them",
            latency.negative, latency.samples
        ));
    }
    let source = flow.way(way).and_then(|way| way.receiver_source);
    let reported = source == Some(ReceiverSource::ServerReport);
    let foreign = flow.iperf_server_command.is_none() || reported;
    (foreign && !on_this_machine(flow)).then(|| {
        format!(
            "the clock of the external server {} was not compared with ours: run that end with linerate",
            flow.server.host
        )
    })
}

/// A sender may stay so much below the rate that was asked for, in parts of it.
const SLOW_SENDER: f64 = 0.05;

/// In percent, how many of the datagrams that were due a sender may have left out.
const UNSENT_PERCENT: u64 = 1;

/// A UDP sender of ours that did not send what the flow asked for: the network was not put to the test.
pub(super) fn sender_fell_short(flow: &FlowResult, way: Way) -> Option<String> {
    if flow.transport != Transport::Udp {
        return None;
    }
    let rate = flow.options.get("bitrate").and_then(|text| text.parse::<SendRate>().ok());
    let senders = streams(flow, way).filter_map(|stream| stream.sender);
    let what = senders.filter_map(|sender| left_out(sender).or_else(|| too_slow(sender, rate?)));
    what.last().map(|what| {
        format!("the sender did not send what was asked for ({what}): lower the rate, or use a faster host")
    })
}

fn left_out(sender: &Measurement) -> Option<String> {
    let counts = sender.datagrams?;
    let unsent = counts.unsent?;
    let due = counts.sent.saturating_add(unsent);
    (unsent.saturating_mul(100) > due.saturating_mul(UNSENT_PERCENT))
        .then(|| format!("{unsent} of {due} datagrams were due and not sent"))
}

fn too_slow(sender: &Measurement, rate: SendRate) -> Option<String> {
    let sent = sender.datagrams.map(|counts| count(counts.sent)).filter(|sent| *sent > 0.0)?;
    let asked = match rate {
        SendRate::Bits(rate) => rate.0 / 8.0 / (count(sender.transfer_bytes) / sent),
        SendRate::Packets(rate) => rate.0,
    };
    let due = asked * sender.duration_seconds;
    // The first and the last datagram need not fill their time.
    (sent + 2.0 < due * (1.0 - SLOW_SENDER)).then(|| {
        format!("{sent} datagrams in {:.2} s, where {due:.0} were due", sender.duration_seconds)
    })
}

/// A server whose buffer is shorter than the datagrams counts only what fits.
pub(super) fn check_whole_datagrams(flow: &FlowResult, way: Way) -> Result<(), String> {
    let source = flow.way(way).and_then(|way| way.receiver_source);
    let cut = source == Some(ReceiverSource::ServerReport)
        && streams(flow, way).any(|stream| {
            stream.sender.zip(stream.receiver).is_some_and(|(s, r)| cuts_datagrams(s, r))
        });
    if !cut {
        return Ok(());
    }
    Err(format!(
        "the server of `{}` counted fewer bytes than its datagrams have, because its buffer is shorter: give it the same \
         length as the client (`iperf -s -u -l`), or judge `datagrams` or `pps`",
        flow.name
    ))
}

fn streams(flow: &FlowResult, way: Way) -> impl Iterator<Item = StreamWay<'_>> {
    flow.streams.iter().filter_map(move |stream| stream.way(way, flow.direction))
}

fn on_this_machine(flow: &FlowResult) -> bool {
    let address = |text: &Option<String>| {
        text.as_deref().and_then(|text| text.split('%').next()?.parse::<IpAddr>().ok())
    };
    address(&flow.server.address).is_some_and(|server| server.is_loopback())
}
