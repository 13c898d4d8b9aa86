use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::UnitError;
use super::text::{self, Forms};

/// The IP type-of-service byte (IPv6: traffic class): DSCP in the upper six bits, ECN in the lower two.
///
/// Written as a number from 0 to 255 (decimal or `0x…`) or as a name such as `ef`. iperf's names `le`, `nqb` and
/// `nqb2` are refused here, because iperf gives them the DSCP as the whole byte, which sets ECN bits; the iperf
/// command line still gets iperf's values from [`DiffServ::from_iperf`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DiffServ(pub u8);

/// A DSCP, 0 to 63, or its name: the upper six bits of [`DiffServ`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dscp(u8);

const FORMS: Forms = Forms {
    noun: "a type-of-service byte",
    accepted: "a number from 0 to 255, in hexadecimal with `0x`, or a name: af11 to af43, cs0 to cs7, ef, ac_be, \
               ac_bk, ac_vi, ac_vo, lowdelay, throughput, reliability",
};

const DSCP_FORMS: Forms = Forms {
    noun: "a DSCP",
    accepted: "a number from 0 to 63 or a name: af11 to af43, cs0 to cs7, ef, va, le, nqb",
};

/// Names that iperf and the RFCs agree on, and the byte (RFC 2474, 2597, 3246; RFC 1349 for the last three).
const NAMES: &[(&str, u8)] = &[
    ("cs0", 0x00),
    ("cs1", 0x20),
    ("cs2", 0x40),
    ("cs3", 0x60),
    ("cs4", 0x80),
    ("cs5", 0xa0),
    ("cs6", 0xc0),
    ("cs7", 0xe0),
    ("af11", 0x28),
    ("af12", 0x30),
    ("af13", 0x38),
    ("af21", 0x48),
    ("af22", 0x50),
    ("af23", 0x58),
    ("af31", 0x68),
    ("af32", 0x70),
    ("af33", 0x78),
    ("af41", 0x88),
    ("af42", 0x90),
    ("af43", 0x98),
    ("ef", 0xb8),
];

/// Further names for a whole byte: iperf's access categories and the old type-of-service bits.
const BYTE_NAMES: &[(&str, u8)] = &[
    ("ac_be", 0x00),
    ("ac_bk", 0x20),
    ("ac_vi", 0xa0),
    ("ac_vo", 0xc0),
    ("lowdelay", 0x10),
    ("throughput", 0x08),
    ("reliability", 0x04),
];

/// Names whose byte in iperf is not the DSCP shifted by two: iperf's byte.
const IPERF_ONLY: &[(&str, u8)] = &[("le", 0x01), ("nqb", 0x05), ("nqb2", 0x2d)];

/// Further DSCP names: RFC 5865, RFC 8622, and the NQB behaviour (DSCP 45).
const DSCP_NAMES: &[(&str, u8)] = &[("va", 44), ("le", 1), ("nqb", 45)];

fn named(text: &str, tables: &[&[(&str, u8)]]) -> Option<u8> {
    let mut names = tables.iter().flat_map(|table| table.iter());
    names.find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, value)| *value)
}

/// A decimal or `0x` number; `None` when it is none, has a leading zero, or is too large for `u32`.
fn parse_number(text: &str) -> Option<u32> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return hex
            .bytes()
            .all(|b| b.is_ascii_hexdigit())
            .then(|| u32::from_str_radix(hex, 16).ok())?;
    }
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok())?
}

fn refuse_leading_zero(text: &str, forms: &Forms) -> Result<(), UnitError> {
    let octal = text.len() > 1 && text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    if octal {
        return Err(forms.error(format!("`{text}` can be meant as octal or decimal")));
    }
    Ok(())
}

impl DiffServ {
    /// Reads a value of iperf's `-S` or `--tos-override` exactly as iperf does: names in any case, numbers in base
    /// 10, 16 (`0x`) or 8 (leading 0), 0 to 255. `None` for what iperf ignores with a warning.
    #[must_use]
    pub fn from_iperf(text: &str) -> Option<Self> {
        let name = named(text, &[NAMES, BYTE_NAMES, IPERF_ONLY]);
        let octal = || {
            let digits =
                text.strip_prefix('0').filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?;
            u32::from_str_radix(digits, 8).ok()
        };
        let number = || parse_number(text).or_else(octal).and_then(|n| u8::try_from(n).ok());
        name.or_else(number).map(Self)
    }

    /// The upper six bits.
    #[must_use]
    pub fn dscp(self) -> Dscp {
        Dscp::of_byte(self.0)
    }
}

impl FromStr for DiffServ {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        if let Some(byte) = named(text, &[NAMES, BYTE_NAMES]) {
            return Ok(Self(byte));
        }
        if let Some(byte) = named(text, &[IPERF_ONLY]) {
            let name = text.to_ascii_lowercase();
            let hint = match named(text, &[DSCP_NAMES]) {
                Some(dscp) => {
                    format!("write `{:#04x}`, or `dscp: {name}`, for DSCP {dscp}", dscp << 2)
                }
                None => format!("write `{byte:#04x}` for iperf's byte"),
            };
            let message = format!("`{name}` is the byte {byte:#04x} in iperf, which sets ECN bits");
            return Err(UnitError::new(message, hint));
        }
        refuse_leading_zero(text, &FORMS)?;
        match parse_number(text).map(u8::try_from) {
            Some(Ok(byte)) => Ok(Self(byte)),
            Some(Err(_)) => Err(FORMS.error(format!("`{text}` is more than 255"))),
            None => Err(FORMS.error(format!("`{text}` is not {}", FORMS.noun))),
        }
    }
}

/// The name, or the byte in hexadecimal when it has none.
impl fmt::Display for DiffServ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(_, byte)| *byte == self.0) {
            Some((name, _)) => f.pad(name),
            None => f.pad(&format!("{:#04x}", self.0)),
        }
    }
}

impl<'de> Deserialize<'de> for DiffServ {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer, &FORMS)
    }
}

impl JsonSchema for DiffServ {
    fn schema_name() -> Cow<'static, str> {
        "DiffServ".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The IP type-of-service byte: a number from 0 to 255 or a name such as ef, af41, cs5, \
                            ac_vo, lowdelay.",
            "type": ["string", "integer"],
            "minimum": 0,
            "maximum": 255,
            "pattern": r"^\s*(0[xX][0-9a-fA-F]{1,2}|0|[1-9][0-9]{0,2}|[a-zA-Z][a-zA-Z0-9_]*)\s*$|\{[{%]",
            "examples": ["ef", "af41", "0xb8", 184],
        })
    }
}

impl Dscp {
    /// The DSCP of a type-of-service byte: its upper six bits.
    #[must_use]
    pub fn of_byte(byte: u8) -> Self {
        Self(byte >> 2)
    }

    /// The number, 0 to 63.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }
}

/// The byte with this DSCP and no ECN bits.
impl From<Dscp> for DiffServ {
    fn from(dscp: Dscp) -> Self {
        Self(dscp.0 << 2)
    }
}

impl FromStr for Dscp {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        if let Some(byte) = named(text, &[NAMES]) {
            return Ok(Self(byte >> 2));
        }
        if let Some(dscp) = named(text, &[DSCP_NAMES]) {
            return Ok(Self(dscp));
        }
        refuse_leading_zero(text, &DSCP_FORMS)?;
        match parse_number(text).map(u8::try_from) {
            Some(Ok(dscp)) if dscp < 64 => Ok(Self(dscp)),
            Some(_) => {
                let message = format!("`{text}` is more than 63");
                Err(UnitError::new(
                    message,
                    "write a DSCP from 0 to 63, or use `tos` for the whole byte",
                ))
            }
            None => Err(DSCP_FORMS.error(format!("`{text}` is not {}", DSCP_FORMS.noun))),
        }
    }
}

/// The name, or the number when it has none.
impl fmt::Display for Dscp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let standard = NAMES.iter().find(|(_, byte)| byte >> 2 == self.0);
        match standard.or_else(|| DSCP_NAMES.iter().find(|(_, dscp)| *dscp == self.0)) {
            Some((name, _)) => f.pad(name),
            None => self.0.fmt(f),
        }
    }
}

/// As it is displayed.
impl Serialize for Dscp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Dscp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer, &DSCP_FORMS)
    }
}

impl JsonSchema for Dscp {
    fn schema_name() -> Cow<'static, str> {
        "Dscp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A DSCP: a number from 0 to 63 or a name such as ef, af41, cs5, va, le, nqb.",
            "type": ["string", "integer"],
            "minimum": 0,
            "maximum": 63,
            "pattern": r"^\s*(0[xX][0-9a-fA-F]{1,2}|0|[1-9][0-9]?|[a-zA-Z][a-zA-Z0-9_]*)\s*$|\{[{%]",
            "examples": ["ef", "af41", 46],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_give_the_byte() {
        let table = [
            ("ef", 0xb8),
            ("EF", 0xb8),
            ("af41", 0x88),
            ("cs7", 0xe0),
            ("ac_vo", 0xc0),
            ("lowdelay", 0x10),
            ("0", 0),
            ("184", 184),
            ("0xB8", 0xb8),
            ("255", 255),
        ];
        for (text, byte) in table {
            assert_eq!(text.parse(), Ok(DiffServ(byte)), "{text}");
        }
    }

    #[test]
    fn wrong_bytes_say_what_to_write() {
        let starts = [
            ("256", "`256` is more than 255; write a number from 0 to 255"),
            ("010", "`010` can be meant as octal or decimal; write"),
            ("voice", "`voice` is not a type-of-service byte; write"),
            ("", "`` is not a type-of-service byte; write"),
            ("0xzz", "`0xzz` is not a type-of-service byte; write"),
            ("+5", "`+5` is not a type-of-service byte; write"),
        ];
        for (text, start) in starts {
            let error = text.parse::<DiffServ>().unwrap_err().to_string();
            assert!(error.starts_with(start), "{text}: {error}");
        }
        assert_eq!(
            "LE".parse::<DiffServ>().unwrap_err().to_string(),
            "`le` is the byte 0x01 in iperf, which sets ECN bits; write `0x04`, or `dscp: le`, for DSCP 1"
        );
        assert_eq!(
            "nqb2".parse::<DiffServ>().unwrap_err().to_string(),
            "`nqb2` is the byte 0x2d in iperf, which sets ECN bits; write `0x2d` for iperf's byte"
        );
    }

    #[test]
    fn the_iperf_command_line_keeps_iperfs_values() {
        for (text, byte) in [
            ("le", 0x01),
            ("NQB", 0x05),
            ("nqb2", 0x2d),
            ("ef", 0xb8),
            ("010", 8),
            ("0x10", 16),
            ("16", 16),
        ] {
            assert_eq!(DiffServ::from_iperf(text), Some(DiffServ(byte)), "{text}");
        }
        for text in ["256", "08", "voice", "", "-1", "0x"] {
            assert_eq!(DiffServ::from_iperf(text), None, "{text}");
        }
    }

    #[test]
    fn a_dscp_is_the_upper_six_bits() {
        let table = [
            ("ef", 46),
            ("46", 46),
            ("0x2e", 46),
            ("le", 1),
            ("nqb", 45),
            ("va", 44),
            ("cs0", 0),
            ("63", 63),
        ];
        for (text, dscp) in table {
            let read: Dscp = text.parse().unwrap();
            assert_eq!((read.number(), DiffServ::from(read).0), (dscp, dscp << 2), "{text}");
        }
        assert_eq!(
            "64".parse::<Dscp>().unwrap_err().to_string(),
            "`64` is more than 63; write a DSCP from 0 to 63, or use `tos` for the whole byte"
        );
        assert!("lowdelay".parse::<Dscp>().is_err());
        assert_eq!(serde_json::from_str::<Dscp>("46").unwrap(), "ef".parse().unwrap());
    }

    #[test]
    fn every_byte_and_every_dscp_reads_back() {
        for byte in 0..=255 {
            let tos = DiffServ(byte);
            assert_eq!(tos.to_string().parse(), Ok(tos));
            assert_eq!(DiffServ::from_iperf(&tos.to_string()), Some(tos));
            assert_eq!(tos.dscp().to_string().parse(), Ok(tos.dscp()));
        }
    }
}
