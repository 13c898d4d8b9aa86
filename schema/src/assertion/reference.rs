use super::{KnownBy, MetricFacts, OverStreams, Samples, Traffic};
use crate::units::Dimension;

/// The table of all metrics in Markdown, for the manual.
#[must_use]
pub fn metric_reference() -> String {
    let mut text = String::from(
        "| metric | meaning | unit | traffic | known by | several streams | statistics over |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for facts in MetricFacts::ALL {
        let cells = [
            format!("`{}`", facts.name),
            facts.description.to_owned(),
            unit(facts.dimension).to_owned(),
            traffic(facts.traffic).to_owned(),
            known_by(facts.known_by).to_owned(),
            over_streams(facts.over_streams).to_owned(),
            samples(facts.samples).to_owned(),
        ];
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text
}

fn unit(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::BitRate => "bit/s",
        Dimension::PacketRate => "pps",
        Dimension::Bytes => "B",
        Dimension::Time => "s",
        Dimension::Ratio => "%",
        Dimension::Count => "number",
        Dimension::Dscp => "DSCP name or number",
    }
}

fn traffic(traffic: Traffic) -> &'static str {
    match traffic {
        Traffic::Any => "all",
        Traffic::Tcp => "TCP",
        Traffic::Udp => "UDP",
        Traffic::TripTimes => "with `trip-times`",
    }
}

fn known_by(known_by: KnownBy) -> &'static str {
    match known_by {
        KnownBy::ReceiverOrSender => "receiver, or `sender.`",
        KnownBy::SenderOrReceiver => "sender, or `receiver.`",
        KnownBy::Sender => "sender",
        KnownBy::Receiver => "receiver",
        KnownBy::Client => "client",
    }
}

fn over_streams(over_streams: OverStreams) -> &'static str {
    match over_streams {
        OverStreams::Sum => "sum",
        OverStreams::Pooled => "part and whole pooled",
        OverStreams::Merged => "samples pooled",
        OverStreams::Mean => "mean",
        OverStreams::Highest => "highest",
        OverStreams::Lowest => "lowest",
    }
}

fn samples(samples: Samples) -> &'static str {
    match samples {
        Samples::Each => "all datagrams or bursts",
        Samples::Intervals => "intervals",
        Samples::Streams => "streams",
        Samples::EachCompared => "none: every datagram is compared",
        Samples::None => "none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_has_a_row_for_each_metric() {
        insta::assert_snapshot!(metric_reference());
    }
}
