//! The header at the start of a TCP test.

use super::{CongestionControl, PermitKey};
use crate::wire::bytes::{put, put_u16, u16_at};
use crate::wire::error::require;
use crate::wire::{
    BaseFlags, BurstSettings, Extension, Layout, LowerFlags, Start, TestBase, UpperFlags, WireError,
};

const WHAT: &str = "test header";
const START: usize = 64;
const SETTINGS: usize = 80;
const FIXED_END: usize = 112;
const NAME: usize = FIXED_END + 2;

/// The header at the start of a TCP test, in either direction.
///
/// It is a prefix of one fixed layout (base 0, extension 24, start 64, settings 80, name of the congestion control 112),
/// then the length of a permit key. How long the prefix is follows the *length rule*: the **sum** of the sizes of the
/// parts that are needed, not the end of the last one. A header with settings but without start part is therefore cut
/// inside its settings. [`Extent`] says whether a header follows that rule.
///
/// The permit key itself comes behind the header and is not part of its length: see [`Self::key_length`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestHeader {
    /// Base part.
    pub base: TestBase,
    /// Extension; modern clients always send one.
    pub extension: Option<Extension>,
    /// Start time and fair-queue rate. `None` also where the bytes are only filler in front of another part.
    pub start: Option<Start>,
    /// Burst or isochronous settings. `None` also where the bytes are only filler in front of another part.
    pub settings: Option<BurstSettings>,
    /// Congestion control that the other end shall use, with [`LowerFlags::CONGESTION_CONTROL`].
    pub congestion_control: Option<CongestionControl>,
    /// Bytes of a newer version, behind everything known.
    pub unknown: Vec<u8>,
    /// Length of the key behind the header in bytes, with [`BaseFlags::KEY_CHECK`].
    pub key_length: Option<u16>,
    /// How much of the fixed layout is sent.
    pub extent: Extent,
}

/// How much of the fixed layout of a [`TestHeader`] is on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// As the length rule of this generation has it.
    ByRule(Layout),
    /// Exactly so many bytes, 24 to 112: what a peer sent that follows no rule.
    Exactly(u8),
}

impl Default for Extent {
    fn default() -> Self {
        Self::ByRule(Layout::default())
    }
}

impl TestHeader {
    /// Longest header that the length bits can declare, in bytes.
    pub const MAX_LENGTH: usize = 255;

    /// A request of this engine without any setting: base and extension, flags for an extended header with length.
    #[must_use]
    pub fn request() -> Self {
        let flags = BaseFlags::EXTEND | BaseFlags::LENGTH;
        Self {
            base: TestBase { flags, ..TestBase::default() },
            extension: Some(Extension::of_this_version()),
            ..Self::default()
        }
    }

    /// Adds the name of a congestion control and its flag; adds an extension if there is none.
    #[must_use]
    pub fn with_congestion_control(mut self, name: CongestionControl) -> Self {
        let extension = self.extension.get_or_insert_with(Extension::of_this_version);
        extension.lower = extension.lower | LowerFlags::CONGESTION_CONTROL;
        self.congestion_control = Some(name);
        self
    }

    /// Announces a permit key; send the key itself right behind the header, see [`Self::encode_with_key_into`].
    #[must_use]
    pub fn with_permit_key(mut self, key: &PermitKey) -> Self {
        self.base.flags = self.base.flags | BaseFlags::KEY_CHECK;
        self.key_length = u16::try_from(key.as_bytes().len()).ok();
        self
    }

    /// The upper flags; none without extension.
    #[must_use]
    pub fn upper(&self) -> UpperFlags {
        self.extension.map_or(UpperFlags::default(), |extension| extension.upper)
    }

    /// The lower flags; none without extension.
    #[must_use]
    pub fn lower(&self) -> LowerFlags {
        self.extension.map_or(LowerFlags::default(), |extension| extension.lower)
    }

    /// The header asks for an [`Acknowledgement`](super::Acknowledgement): extended and not VERSION2, or `-X`.
    #[must_use]
    pub fn wants_acknowledgement(&self) -> bool {
        let flags = self.base.flags;
        let unsolicited = flags.contains(BaseFlags::EXTEND) && !flags.contains(BaseFlags::VERSION2);
        unsolicited || flags.contains(BaseFlags::PEER_DETECT)
    }

    /// Length on the wire in bytes, as it is declared: without the permit key.
    #[must_use]
    pub fn length(&self) -> usize {
        let name = self.congestion_control.as_ref().map_or(0, |name| 2 + name.as_bytes().len());
        let key = if self.key_length.is_some() { 2 } else { 0 };
        self.fixed_length() + name + self.unknown.len() + key
    }

    /// How many bytes of the fixed layout are sent.
    fn fixed_length(&self) -> usize {
        let layout = match self.extent {
            _ if self.congestion_control.is_some() || !self.unknown.is_empty() => return FIXED_END,
            Extent::Exactly(length) => {
                return usize::from(length).clamp(TestBase::LENGTH, FIXED_END);
            }
            Extent::ByRule(layout) => layout,
        };
        let extended = self.extension.is_some() || self.start.is_some() || self.settings.is_some();
        let head = if extended { layout.extended_length() } else { TestBase::LENGTH };
        let start = if self.start.is_some() { layout.start_length() } else { 0 };
        let settings = if self.settings.is_some() { BurstSettings::LENGTH } else { 0 };
        head + start + settings
    }

    /// Reads a header; `bytes` must hold all of it, and may hold more. Ask [`FirstWord`](super::FirstWord) how much.
    ///
    /// # Errors
    /// [`WireError::TooShort`] when bytes are missing, [`WireError::Invalid`] when the declared length has no room for the
    /// base, the announced key length or the announced name.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        require(WHAT, bytes, 4)?;
        let flags = TestBase::read(bytes, 0).flags;
        let declared = flags.tcp_length();
        let has_key = flags.contains(BaseFlags::KEY_CHECK) && flags.contains(BaseFlags::LENGTH);
        let key_word = if has_key { 2 } else { 0 };
        if declared < TestBase::LENGTH + key_word {
            return Err(WireError::Invalid {
                what: "declared length of the test header",
                value: declared as u64,
            });
        }
        require(WHAT, bytes, declared)?;
        let body = &bytes[..declared - key_word];
        let mut header = Self::decode_body(body)?;
        header.key_length = has_key.then(|| u16_at(bytes, declared - key_word));
        Ok(header)
    }

    fn decode_body(body: &[u8]) -> Result<Self, WireError> {
        let fixed = &body[..body.len().min(FIXED_END)];
        let mut base = TestBase::read(fixed, 0);
        base.flags = base.flags.without_tcp_length();
        let extension = (fixed.len() > TestBase::LENGTH)
            .then(|| Extension::read_with_barrier(fixed, TestBase::LENGTH));
        let lower = extension.unwrap_or_default().lower;
        let (congestion_control, end) = read_name(body, lower)?;
        let unknown = body.get(end..).unwrap_or_default().to_vec();
        let full = congestion_control.is_some() || !unknown.is_empty();
        let mut header = Self { base, extension, congestion_control, unknown, ..Self::default() };
        header.start = read_start(fixed, full);
        header.settings = read_settings(fixed, full);
        let version = extension.unwrap_or_default().version;
        header.extent = Extent::ByRule(Layout::of_tcp_header(fixed.len(), version));
        if header.fixed_length() != fixed.len() {
            // At most 112, so it fits.
            header.extent = Extent::Exactly(u8::try_from(fixed.len()).unwrap_or(u8::MAX));
        }
        Ok(header)
    }

    /// Appends the header to `out`, without the key.
    ///
    /// # Errors
    /// [`WireError::TooLong`] above 255 bytes; [`WireError::Invalid`] when a key length or a name is there without its
    /// flag, or the flag without it.
    pub fn encode_into(&self, out: &mut Vec<u8>) -> Result<(), WireError> {
        self.check_flags()?;
        let length = self.length();
        let too_long = WireError::TooLong { what: WHAT, length, limit: Self::MAX_LENGTH };
        let declared = u8::try_from(length).map_err(|_| too_long)?;
        let mut bytes = [0; Self::MAX_LENGTH];
        let fixed_length = self.fixed_length();
        self.write_fixed(&mut bytes[..fixed_length], declared);
        let mut end = fixed_length;
        if let Some(name) = &self.congestion_control {
            // Shorter than 255 bytes, as checked above.
            put_u16(&mut bytes, end, u16::try_from(name.as_bytes().len()).unwrap_or(u16::MAX));
            put(&mut bytes, end + 2, name.as_bytes());
            end += 2 + name.as_bytes().len();
        }
        put(&mut bytes, end, &self.unknown);
        if let Some(key_length) = self.key_length {
            put_u16(&mut bytes, length - 2, key_length);
        }
        out.extend_from_slice(&bytes[..length]);
        Ok(())
    }

    /// Appends the header and, right behind it, the key.
    ///
    /// # Errors
    /// As [`Self::encode_into`], and [`WireError::Invalid`] when the header announces a key of another length.
    pub fn encode_with_key_into(
        &self,
        key: &PermitKey,
        out: &mut Vec<u8>,
    ) -> Result<(), WireError> {
        let announced = self.key_length.unwrap_or(0);
        if usize::from(announced) != key.as_bytes().len() {
            return Err(WireError::Invalid {
                what: "announced key length",
                value: announced.into(),
            });
        }
        self.encode_into(out)?;
        out.extend_from_slice(key.as_bytes());
        Ok(())
    }

    fn write_fixed(&self, bytes: &mut [u8], declared: u8) {
        self.base.write(self.base.flags.with_length(declared), bytes, 0);
        if let Some(extension) = &self.extension {
            extension.write_with_barrier(bytes, TestBase::LENGTH);
        }
        if let Some(start) = &self.start {
            start.write(bytes, START);
        }
        if let Some(settings) = &self.settings {
            settings.write(bytes, SETTINGS);
        }
    }

    fn check_flags(&self) -> Result<(), WireError> {
        let flags = self.base.flags;
        let announces_key =
            flags.contains(BaseFlags::KEY_CHECK) && flags.contains(BaseFlags::LENGTH);
        if announces_key != self.key_length.is_some() {
            return Err(WireError::Invalid { what: "permit key flag", value: flags.0.into() });
        }
        if self.congestion_control.is_some()
            && !self.lower().contains(LowerFlags::CONGESTION_CONTROL)
        {
            return Err(WireError::Invalid {
                what: "congestion control flag",
                value: self.lower().0.into(),
            });
        }
        Ok(())
    }
}

/// The name of the congestion control, if its flag is set and the header reaches so far; and where it ends.
fn read_name(
    body: &[u8],
    lower: LowerFlags,
) -> Result<(Option<CongestionControl>, usize), WireError> {
    if !lower.contains(LowerFlags::CONGESTION_CONTROL) || body.len() < NAME {
        return Ok((None, FIXED_END));
    }
    let length = u16_at(body, FIXED_END);
    let end = NAME + usize::from(length);
    let Some(name) = body.get(NAME..end) else {
        return Err(WireError::Invalid {
            what: "length of the congestion control name",
            value: length.into(),
        });
    };
    Ok((Some(CongestionControl::from_wire(name)), end))
}

/// The start part, unless its bytes are missing or only zeros in front of a part that was needed.
fn read_start(fixed: &[u8], full: bool) -> Option<Start> {
    let start = Start::read(fixed, START);
    let filler = full || (fixed.len() > SETTINGS && fixed.len() < FIXED_END);
    (fixed.len() > START && (!filler || start != Start::default())).then_some(start)
}

/// The settings, unless their bytes are missing or only zeros in front of a name.
fn read_settings(fixed: &[u8], full: bool) -> Option<BurstSettings> {
    let settings = BurstSettings::read(fixed, SETTINGS);
    (fixed.len() > SETTINGS && (!full || settings != BurstSettings::default())).then_some(settings)
}
