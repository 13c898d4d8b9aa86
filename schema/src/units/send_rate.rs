use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

use super::text::{self, Forms};
use super::{BitRate, Dimension, Unit, UnitError, bit_rate, number};

/// Packets per second, above 0 and at most 10^9.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct PacketRate(pub f64);

/// A target rate of a sender.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SendRate {
    /// Bits of payload per second; 0 means unlimited.
    Bits(BitRate),
    /// Datagrams per second.
    Packets(PacketRate),
}

const PACKET_FORMS: Forms = Forms {
    noun: "a packet rate",
    accepted: "a packet rate such as `1000 pps`, `10 kpps` or iperf's `1000p`",
};

const FORMS: Forms = Forms {
    noun: "a sending rate",
    accepted: "a rate such as `50 Mbit/s`, `100m` (m = 1000², M = 1024²), a plain number of bit/s, or packets per \
               second such as `1000 pps`",
};

/// The highest packet rate that is accepted.
const HIGHEST: f64 = 1e9;

impl FromStr for PacketRate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (number, symbol) = PACKET_FORMS.split(text)?;
        let rate = match Unit::find(symbol) {
            _ if symbol == "p" => number.shifted(0),
            Some(unit) if unit.dimension() == Dimension::PacketRate => unit.scale(number),
            _ if symbol.is_empty() => {
                return Err(PACKET_FORMS.error(format!("`{}` has no unit", text.trim())));
            }
            _ => return Err(PACKET_FORMS.unknown_unit(symbol, &[Dimension::PacketRate])),
        };
        if rate <= 0.0 || rate > HIGHEST {
            let problem = format!("`{}` is not above 0 and at most 1000 Mpps", text.trim());
            return Err(PACKET_FORMS.error(problem));
        }
        Ok(Self(rate))
    }
}

impl fmt::Display for PacketRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} pps", number::decimal(self.0, 0)))
    }
}

impl<'de> Deserialize<'de> for PacketRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer, &PACKET_FORMS)
    }
}

impl JsonSchema for PacketRate {
    fn schema_name() -> Cow<'static, str> {
        "PacketRate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "description": "A packet rate with its unit.",
            "type": "string",
            "pattern": r"^\s*[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*(pps|kpps|Mpps|p)\s*$|\{[{%]",
            "examples": ["1000 pps", "10 kpps"],
        })
    }
}

impl FromStr for SendRate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (_, symbol) = FORMS.split(text)?;
        let unit = Unit::find(symbol);
        if symbol == "p" || unit.is_some_and(|unit| unit.dimension() == Dimension::PacketRate) {
            return text.parse().map(Self::Packets);
        }
        let bits = text::iperf_factor(symbol).is_some()
            || unit.is_some_and(|unit| unit.dimension() == Dimension::BitRate);
        if bits {
            return text.parse().map(Self::Bits);
        }
        Err(FORMS.unknown_unit(symbol, &[Dimension::BitRate, Dimension::PacketRate]))
    }
}

impl fmt::Display for SendRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bits(rate) => rate.fmt(f),
            Self::Packets(rate) => rate.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for SendRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer, &FORMS)
    }
}

impl JsonSchema for SendRate {
    fn schema_name() -> Cow<'static, str> {
        "SendRate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let suffixes: Vec<&str> = bit_rate::SUFFIXES.iter().copied().chain(["p"]).collect();
        text::quantity_schema(
            "A sending rate: a number of bit/s (0 is unlimited), a number with iperf's suffix (k, m, g count in \
             thousands, K, M, G in 1024s), with a unit such as Mbit/s, or packets per second (pps).",
            &[Dimension::BitRate, Dimension::PacketRate],
            &suffixes,
            &["50 Mbit/s", "100m", "1000 pps"],
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bits_and_packets_are_told_apart_by_their_unit() {
        let table = [
            ("50 Mbit/s", SendRate::Bits(BitRate(50e6))),
            ("0", SendRate::Bits(BitRate(0.0))),
            ("1M", SendRate::Bits(BitRate(1_048_576.0))),
            ("1000 pps", SendRate::Packets(PacketRate(1000.0))),
            ("1000p", SendRate::Packets(PacketRate(1000.0))),
            ("1.5kpps", SendRate::Packets(PacketRate(1500.0))),
        ];
        for (text, rate) in table {
            assert_eq!(text.parse(), Ok(rate), "{text}");
        }
    }

    #[test]
    fn wrong_sending_rates_say_what_to_write() {
        let table = [
            ("10 packets", "unknown unit `packets`, a sending rate is wanted; did you mean `pps`?"),
            (
                "5 MB",
                "`MB` measures a number of bytes, a sending rate is wanted; did you mean `Mbit/s` (bits) or `MB/s` (bytes)?",
            ),
            (
                "0 pps",
                "`0 pps` is not above 0 and at most 1000 Mpps; write a packet rate such as `1000 pps`, `10 kpps` or iperf's `1000p`",
            ),
        ];
        for (text, message) in table {
            assert_eq!(text.parse::<SendRate>().unwrap_err().to_string(), message, "{text}");
        }
        assert!(
            "1000"
                .parse::<PacketRate>()
                .unwrap_err()
                .to_string()
                .starts_with("`1000` has no unit; ")
        );
    }

    proptest! {
        #[test]
        fn a_printed_sending_rate_reads_back(rate in 0.0..=1e9_f64) {
            let bits = SendRate::Bits(BitRate(rate));
            prop_assert_eq!(bits.to_string().parse(), Ok(bits));
            let packets = SendRate::Packets(PacketRate(rate + 0.001));
            prop_assert_eq!(packets.to_string().parse(), Ok(packets));
        }
    }
}
