use super::Dimension;
use super::unit::UNITS;

/// What to write instead of `symbol` where a unit of one of `dimensions` is wanted.
pub(super) fn hint(symbol: &str, dimensions: &[Dimension]) -> String {
    let meant = meant(symbol, dimensions);
    if meant.is_empty() {
        let all: Vec<_> =
            dimensions.iter().flat_map(|d| d.main_units()).map(|u| u.symbol()).collect();
        return format!("write one of {}", quoted(&all, ", "));
    }
    let explained: Vec<String> = meant.iter().map(|symbol| distinguished(symbol, &meant)).collect();
    format!("did you mean {}?", explained.join(" or "))
}

/// Whether people use `symbol` for units of different size.
pub(super) fn is_ambiguous(symbol: &str, dimensions: &[Dimension]) -> bool {
    meant(symbol, dimensions).len() > 1
}

fn quoted(symbols: &[&str], separator: &str) -> String {
    symbols.iter().map(|symbol| format!("`{symbol}`")).collect::<Vec<_>>().join(separator)
}

/// The units that people mean by `symbol`, likeliest first.
fn meant(symbol: &str, dimensions: &[Dimension]) -> Vec<&'static str> {
    let lower = symbol.to_lowercase();
    let mut found = Vec::new();
    for dimension in dimensions {
        let group: &[&str] = match dimension {
            Dimension::BitRate => prefixed(&lower, BIT_RATES),
            Dimension::PacketRate => prefixed(&lower, PACKET_RATES),
            Dimension::Bytes => prefixed(&lower, BYTES),
            Dimension::Time => listed(&lower, TIMES),
            Dimension::Ratio => listed(&lower, RATIOS),
            Dimension::Count | Dimension::Dscp => &[],
        };
        found.extend(group.iter().filter_map(|symbol| {
            UNITS.iter().find(|unit| unit.symbol() == *symbol).map(|unit| unit.symbol())
        }));
    }
    found
}

/// Spellings without their prefix, and for each prefix none, k, m, g, t what they stand for.
type Prefixed = (&'static [&'static str], [&'static [&'static str]; 5]);

const BIT_RATES: &[Prefixed] = &[
    (
        &["bit/s", "bits/s", "bit", "bits", "bps", "bitps"],
        [&["bit/s"], &["kbit/s", "Kibit/s"], &["Mbit/s"], &["Gbit/s"], &["Tbit/s"]],
    ),
    (
        &["", "b/s", "b"],
        [
            &["bit/s", "B/s"],
            &["kbit/s", "kB/s"],
            &["Mbit/s", "MB/s"],
            &["Gbit/s", "GB/s"],
            &["Tbit/s"],
        ],
    ),
    (
        &["byte/s", "bytes/s", "byte", "bytes"],
        [&["B/s"], &["kB/s", "KiB/s"], &["MB/s"], &["GB/s"], &[]],
    ),
    (
        &["ib/s", "ib", "ibps"],
        [&[], &["Kibit/s", "KiB/s"], &["Mibit/s", "MiB/s"], &["Gibit/s", "GiB/s"], &[]],
    ),
    (&["ibit/s", "ibit"], [&[], &["Kibit/s"], &["Mibit/s"], &["Gibit/s"], &[]]),
];

const PACKET_RATES: &[Prefixed] = &[(
    &["pps", "p/s", "p", "packets/s", "packet/s", "datagrams/s", "packets"],
    [&["pps"], &["kpps"], &["Mpps"], &[], &[]],
)];

const BYTES: &[Prefixed] = &[
    (
        &["", "b", "byte", "bytes"],
        [&["B"], &["kB", "KiB"], &["MB", "MiB"], &["GB", "GiB"], &["TB", "TiB"]],
    ),
    (&["ib", "i"], [&[], &["KiB"], &["MiB"], &["GiB"], &["TiB"]]),
];

const TIMES: &[(&[&str], &[&str])] = &[
    (&["m"], &["min", "ms"]),
    (&["sec", "secs", "second", "seconds", "s"], &["s"]),
    (&["mins", "minute", "minutes", "min"], &["min"]),
    (&["msec", "msecs", "millis", "millisecond", "milliseconds", "ms"], &["ms"]),
    (&["u", "usec", "usecs", "micros", "microsecond", "microseconds", "us"], &["us"]),
    (&["n", "nsec", "nsecs", "nanos", "nanosecond", "nanoseconds", "ns"], &["ns"]),
    (&["hour", "hours", "hr", "hrs", "h"], &["h"]),
];

const RATIOS: &[(&[&str], &[&str])] = &[(&["percent", "pct", "per cent"], &["%"])];

fn prefixed(lower: &str, table: &[Prefixed]) -> &'static [&'static str] {
    for (column, prefix) in ["", "k", "m", "g", "t"].iter().enumerate() {
        let Some(rest) = lower.strip_prefix(prefix) else { continue };
        if prefix.is_empty() && rest.is_empty() {
            continue;
        }
        if let Some((_, columns)) = table.iter().find(|(spellings, _)| spellings.contains(&rest)) {
            return columns[column];
        }
    }
    &[]
}

fn listed(lower: &str, table: &[(&[&str], &'static [&'static str])]) -> &'static [&'static str] {
    table.iter().find(|(spellings, _)| spellings.contains(&lower)).map_or(&[], |(_, meant)| meant)
}

/// What tells `symbol` from the others, in brackets; nothing when it stands alone.
fn distinguished(symbol: &str, others: &[&str]) -> String {
    let bits = |symbol: &str| symbol.contains("bit");
    let difference = match symbol {
        _ if others.len() < 2 => "",
        _ if others.iter().any(|other| bits(other) != bits(symbol)) => {
            if bits(symbol) {
                " (bits)"
            } else {
                " (bytes)"
            }
        }
        "min" => " (minutes)",
        "ms" => " (milliseconds)",
        _ => match (symbol.contains('i') && !symbol.starts_with("kbit"), &symbol[..1]) {
            (false, "k") => " (1000)",
            (true, "K") => " (1024)",
            (false, "M") => " (1000²)",
            (true, "M") => " (1024²)",
            (false, "G") => " (1000³)",
            (true, "G") => " (1024³)",
            (false, "T") => " (1000⁴)",
            (true, "T") => " (1024⁴)",
            _ => "",
        },
    };
    format!("`{symbol}`{difference}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confusable_units_are_told_apart() {
        let table = [
            ("Mb/s", Dimension::BitRate, "did you mean `Mbit/s` (bits) or `MB/s` (bytes)?"),
            ("mbit/s", Dimension::BitRate, "did you mean `Mbit/s`?"),
            ("Kbit/s", Dimension::BitRate, "did you mean `kbit/s` (1000) or `Kibit/s` (1024)?"),
            ("Mbit", Dimension::BitRate, "did you mean `Mbit/s`?"),
            ("KB", Dimension::Bytes, "did you mean `kB` (1000) or `KiB` (1024)?"),
            ("m", Dimension::Time, "did you mean `min` (minutes) or `ms` (milliseconds)?"),
            ("seconds", Dimension::Time, "did you mean `s`?"),
            ("p/s", Dimension::PacketRate, "did you mean `pps`?"),
            ("percent", Dimension::Ratio, "did you mean `%`?"),
            ("furlong", Dimension::PacketRate, "write one of `pps`, `kpps`, `Mpps`"),
        ];
        for (symbol, dimension, expected) in table {
            assert_eq!(hint(symbol, &[dimension]), expected, "{symbol}");
        }
        assert!(is_ambiguous("Mb/s", &[Dimension::BitRate]));
        assert!(!is_ambiguous("Mbit", &[Dimension::BitRate]));
    }

    #[test]
    fn every_suggested_symbol_exists() {
        let columns = BIT_RATES.iter().chain(PACKET_RATES).chain(BYTES).flat_map(|(_, c)| c.iter());
        let lists = TIMES.iter().chain(RATIOS).map(|(_, meant)| meant);
        for symbol in columns.chain(lists).copied().flatten() {
            assert!(super::super::Unit::find(symbol).is_some(), "{symbol}");
        }
    }
}
