//! The test header in a client's datagrams.

use super::{DatagramPrefix, IsochronousBlock};
use crate::wire::error::require;
use crate::wire::{
    BaseFlags, BurstSettings, Extension, Layout, Start, TestBase, UpperFlags, WireError,
};

const WHAT: &str = "datagram with test header";
const BASE: usize = DatagramPrefix::LENGTH;
const EXTENSION: usize = BASE + TestBase::LENGTH;
const START: usize = 112;
const SETTINGS: usize = 128;

/// The test header of a UDP flow: offsets 16 to 159 of a datagram, of which each datagram carries what fits.
///
/// The length that the flags declare is smaller than that and only tells the generations and kinds apart: 80, 112 with
/// start or isochronous block, 144 with isochronous settings (2.1: 76, 108, 140). A part is `Some` when its flag is set or
/// its bytes are not zero; look at the flag before using a value (a scheduled start without trip-times has none).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TestHeader {
    /// Generation: where the isochronous block stands, and which length is declared.
    pub layout: Layout,
    /// The length that the flags declare, in bytes from the start of the datagram; 0 in a header without length.
    pub declared_length: u16,
    /// Base part.
    pub base: TestBase,
    /// Extension; modern clients always send one.
    pub extension: Option<Extension>,
    /// Frame fields, with [`UpperFlags::ISOCHRONOUS`].
    pub isochronous: Option<IsochronousBlock>,
    /// Start time and fair-queue rate.
    pub start: Option<Start>,
    /// Isochronous settings for a server that shall send, with [`UpperFlags::ISOCHRONOUS_SETTINGS`].
    pub settings: Option<BurstSettings>,
}

impl TestHeader {
    /// Where the longest header ends in a datagram; payload follows.
    pub const END: usize = 160;

    /// A request of this engine without any setting: 64-bit sequence numbers, declared length 80.
    #[must_use]
    pub fn request() -> Self {
        let flags = BaseFlags::EXTEND | BaseFlags::SEQUENCE_64 | BaseFlags::LENGTH;
        Self {
            base: TestBase { flags, ..TestBase::default() },
            extension: Some(Extension::of_this_version()),
            ..Self::default()
        }
        .with_derived_words()
    }

    /// Sets the words that follow from the parts, as iperf does. Call it last.
    ///
    /// The declared length is 80 (2.1: 76), plus 32 with trip-times, isochronous frames or a fair-queue rate, plus 32 with
    /// isochronous settings; [`BaseFlags::UDP_TESTS`] is set when there is an upper flag or a start time.
    #[must_use]
    pub fn with_derived_words(mut self) -> Self {
        let plain = BASE + self.layout.extended_length();
        let timed = UpperFlags::TRIP_TIMES | UpperFlags::ISOCHRONOUS | UpperFlags::FQ_RATE;
        let timed = if self.upper().intersects(timed) { IsochronousBlock::LENGTH } else { 0 };
        let settings = if self.settings.is_some() { BurstSettings::LENGTH } else { 0 };
        // At most 144, so it fits.
        self.declared_length = u16::try_from(plain + timed + settings).unwrap_or(u16::MAX);
        if self.upper() != UpperFlags::default() || self.start.is_some() {
            self.base.flags = self.base.flags | BaseFlags::UDP_TESTS;
        }
        self
    }

    /// The upper flags; none without extension.
    #[must_use]
    pub fn upper(&self) -> UpperFlags {
        self.extension.map_or(UpperFlags::default(), |extension| extension.upper)
    }

    /// Length of a flow's first datagram, which must hold the declared header and all its parts: `length` or more.
    ///
    /// (iperf makes room for the declared length only, so that a server learns half of the settings from small datagrams.)
    #[must_use]
    pub fn first_datagram_length(&self, length: usize) -> usize {
        let parts = if self.settings.is_some() {
            Self::END
        } else if self.start.is_some() {
            START + Start::LENGTH
        } else {
            0
        };
        length.max(usize::from(self.declared_length)).max(parts)
    }

    /// Reads the header of a datagram. The base must be there, and with an extended header the extension; other parts
    /// are absent where the datagram ends before them, and read as zero behind a cut.
    ///
    /// # Errors
    /// [`WireError::TooShort`] when the datagram is cut inside base or extension.
    pub fn decode(datagram: &[u8]) -> Result<Self, WireError> {
        require(WHAT, datagram, EXTENSION)?;
        let mut base = TestBase::read(datagram, BASE);
        let declared = base.flags.udp_length();
        let extended = base.flags.intersects(BaseFlags::EXTEND | BaseFlags::VERSION2);
        base.flags = base.flags.without_udp_length();
        let declared_length = declared.and_then(|length| u16::try_from(length).ok()).unwrap_or(0);
        let mut header = Self { declared_length, base, ..Self::default() };
        if !extended {
            return Ok(header);
        }
        let version = Extension::read(datagram, EXTENSION).version;
        header.layout = Layout::of_udp_header(usize::from(declared_length), version);
        require(WHAT, datagram, BASE + header.layout.extended_length())?;
        let extension = match header.layout {
            Layout::V2_1 => Extension::read(datagram, EXTENSION),
            Layout::V2_2 => Extension::read_with_barrier(datagram, EXTENSION),
        };
        header.extension = Some(extension);
        header.read_parts(datagram, extension.upper);
        Ok(header)
    }

    /// Reads the parts that are announced, or not zero, and not cut.
    fn read_parts(&mut self, datagram: &[u8], upper: UpperFlags) {
        let reaches = |offset: usize| datagram.len() > offset;
        let block = IsochronousBlock::decode(datagram, self.layout);
        let announced = upper.contains(UpperFlags::ISOCHRONOUS);
        self.isochronous =
            block.ok().filter(|block| announced || *block != IsochronousBlock::default());
        let start = Start::read(datagram, START);
        let timed = UpperFlags::TRIP_TIMES | UpperFlags::EPOCH_START | UpperFlags::FQ_RATE;
        let present = upper.intersects(timed) || start != Start::default();
        self.start = (present && reaches(START)).then_some(start);
        let settings = BurstSettings::read(datagram, SETTINGS);
        let announced = upper.contains(UpperFlags::ISOCHRONOUS_SETTINGS);
        let present = announced || settings != BurstSettings::default();
        self.settings = (present && reaches(SETTINGS)).then_some(settings);
    }

    /// Writes the header into a datagram, behind the prefix: offsets 16 to 159, zero where nothing is set, cut at the
    /// datagram's end. The same bytes go into every datagram of the flow.
    pub fn encode_over(&self, datagram: &mut [u8]) {
        let end = datagram.len().min(Self::END);
        if let Some(area) = datagram.get_mut(BASE..end) {
            area.fill(0);
        }
        let mut flags = self.base.flags;
        if flags.contains(BaseFlags::LENGTH) {
            flags = flags | BaseFlags(u32::from(self.declared_length & 0x7fff) << 1);
        }
        self.base.write(flags, datagram, BASE);
        if let Some(extension) = &self.extension {
            match self.layout {
                Layout::V2_1 => extension.write(datagram, EXTENSION),
                Layout::V2_2 => extension.write_with_barrier(datagram, EXTENSION),
            }
        }
        if let Some(block) = &self.isochronous {
            block.encode_over(datagram, self.layout);
        }
        if let Some(start) = &self.start {
            start.write(datagram, START);
        }
        if let Some(settings) = &self.settings {
            settings.write(datagram, SETTINGS);
        }
    }
}
