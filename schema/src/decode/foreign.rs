/// Keys that people know from iperf's manual or from other tools, and what to write here.
const FOREIGN: &[(&str, &str)] = &[
    ("amount", "bytes"),
    ("assertions", "assert"),
    ("b", "bitrate"),
    ("bandwidth", "bitrate"),
    ("bind-address", "bind"),
    ("bind-dev", "bind"),
    ("block-size", "length"),
    ("blocksize", "length"),
    ("buffer", "length"),
    ("buffer-size", "length"),
    ("cc", "congestion"),
    ("checks", "assert"),
    ("congestion-control", "congestion"),
    ("connections", "parallel"),
    ("duration", "time"),
    ("hop-limit", "ttl"),
    ("i", "interval"),
    ("ip", "address"),
    ("l", "length"),
    ("len", "length"),
    ("linux-congestion", "congestion"),
    ("local-address", "bind"),
    ("m", "mss"),
    ("n", "bytes"),
    ("no-delay", "nodelay"),
    ("num", "bytes"),
    ("num-bytes", "bytes"),
    ("num-streams", "parallel"),
    ("packet-size", "length"),
    ("proto", "transport"),
    ("protocol", "transport"),
    ("rate", "bitrate"),
    ("runtime", "time"),
    ("segment-size", "mss"),
    ("set-mss", "mss"),
    ("size", "length"),
    ("socket-buffer", "window"),
    ("source", "bind"),
    ("speed", "bitrate"),
    ("streams", "parallel"),
    ("t", "time"),
    ("target", "server"),
    ("tcp-nodelay", "nodelay"),
    ("threads", "parallel"),
    ("time-to-live", "ttl"),
    ("variables", "vars"),
    ("version", "linerate"),
    ("w", "window"),
    ("window-size", "window"),
    ("z", "congestion"),
];

/// Switches of iperf that are values here.
const SWITCHES: &[(&str, &str, &str)] = &[
    ("ipv4", "ipv6", "false"),
    ("reverse", "direction", "reverse"),
    ("tcp", "transport", "tcp"),
    ("u", "transport", "udp"),
    ("udp", "transport", "udp"),
];

/// What to write for a key of another tool, where `known` are the keys.
pub(super) fn foreign(key: &str, known: &[&str]) -> Option<String> {
    // iperf tells these by their case.
    let by_case = match key {
        "P" => Some("`parallel`"),
        "p" => Some("`port`"),
        "R" => Some("`direction: reverse`"),
        "S" => Some("`tos`"),
        "T" => Some("`ttl`"),
        "B" => Some("`bind`"),
        "V" => Some("`ipv6`"),
        "N" => Some("`nodelay`"),
        _ => None,
    };
    if let Some(written) = by_case {
        let name = written.trim_matches('`').split(':').next().unwrap_or_default();
        return known.contains(&name).then(|| format!("write {written}"));
    }
    let plain = key.to_lowercase().replace(['_', ' '], "-");
    if let Some((_, name, value)) = SWITCHES.iter().find(|(switch, ..)| *switch == plain) {
        return known.contains(name).then(|| format!("write `{name}: {value}`"));
    }
    let (_, name) = FOREIGN.iter().find(|(other, _)| *other == plain)?;
    known.contains(name).then(|| format!("write `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_other_tools_lead_to_those_here() {
        let known = ["bitrate", "parallel", "direction", "transport", "port", "time"];
        for (key, written) in [
            ("bandwidth", "write `bitrate`"),
            ("Rate", "write `bitrate`"),
            ("streams", "write `parallel`"),
            ("P", "write `parallel`"),
            ("p", "write `port`"),
            ("reverse", "write `direction: reverse`"),
            ("udp", "write `transport: udp`"),
            ("duration", "write `time`"),
        ] {
            assert_eq!(foreign(key, &known).as_deref(), Some(written), "{key}");
        }
        assert_eq!(foreign("bandwidth", &["host"]), None);
        assert_eq!(foreign("colour", &known), None);
    }

    #[test]
    fn foreign_keys_are_sorted_and_unique() {
        assert!(FOREIGN.is_sorted_by(|a, b| a.0 < b.0));
    }
}
