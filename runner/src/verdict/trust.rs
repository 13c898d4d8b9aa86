//! Why a figure that was measured cannot be trusted.

use std::net::IpAddr;

use linerate_schema::assertion::Stat;
use linerate_schema::results::{Distribution, FlowResult, ReceiverSource};

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
pub(super) fn doubtful_clocks(flow: &FlowResult, latency: &Distribution) -> Option<String> {
    if latency.negative > 0 {
        return Some(format!(
            "{} of {} samples are negative, so the clocks of both ends disagree: synchronise them",
            latency.negative, latency.samples
        ));
    }
    let reported = flow.receiver_source == Some(ReceiverSource::ServerReport);
    let foreign = flow.iperf_server_command.is_none() || reported;
    (foreign && !on_this_machine(flow)).then(|| {
        format!(
            "the clock of the external server {} was not compared with ours: run that end with linerate",
            flow.server.host
        )
    })
}

fn on_this_machine(flow: &FlowResult) -> bool {
    let address = |text: &Option<String>| {
        text.as_deref().and_then(|text| text.split('%').next()?.parse::<IpAddr>().ok())
    };
    address(&flow.server.address).is_some_and(|server| server.is_loopback())
}
