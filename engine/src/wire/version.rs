//! The two version words of a header.

use std::fmt;

use super::bytes::{put_u32, u32_at};

/// The program version as the two words of a header or acknowledgement.
///
/// `high` is major (upper half) and minor, `low` is the patch level (upper half) and, in its lowest four bits, the
/// [`BuildClass`]. A peer prints it; nothing else depends on it but the place of some fields, see
/// [`Layout`](super::Layout).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Version {
    /// Major and minor version.
    pub high: u32,
    /// Patch level and build class.
    pub low: u32,
}

/// What kind of build a version names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BuildClass {
    /// 0
    Development,
    /// 1
    ReleaseCandidate,
    /// 2
    SecondReleaseCandidate,
    /// 3
    Release,
    /// 4
    Private,
    /// 5
    Master,
    /// Any other value.
    Unknown(u32),
}

impl Version {
    /// 2.1.8 as released: the version that Debian 12 ships.
    pub const V2_1_8: Self = Self { high: 0x0002_0001, low: 0x0008_0003 };
    /// 2.2.1 as a release: what this engine says it is.
    pub const V2_2_1: Self = Self { high: 0x0002_0002, low: 0x0001_0003 };

    /// Major version.
    #[must_use]
    pub fn major(self) -> u32 {
        self.high >> 16
    }

    /// Minor version.
    #[must_use]
    pub fn minor(self) -> u32 {
        self.high & 0xffff
    }

    /// Patch level.
    #[must_use]
    pub fn patch(self) -> u32 {
        self.low >> 16
    }

    /// Kind of build, the lowest four bits of `low`.
    #[must_use]
    pub fn build_class(self) -> BuildClass {
        match self.low & 0xf {
            0 => BuildClass::Development,
            1 => BuildClass::ReleaseCandidate,
            2 => BuildClass::SecondReleaseCandidate,
            3 => BuildClass::Release,
            4 => BuildClass::Private,
            5 => BuildClass::Master,
            other => BuildClass::Unknown(other),
        }
    }

    /// The peer said who it is. iperf prints no version when either word is zero.
    #[must_use]
    pub fn is_known(self) -> bool {
        self.high != 0 && self.low != 0
    }

    /// A known version below 2.2: the generation with the shorter header.
    #[must_use]
    pub fn is_before_2_2(self) -> bool {
        self.is_known() && (self.major(), self.minor()) < (2, 2)
    }

    pub(super) fn read(bytes: &[u8], offset: usize) -> Self {
        Self { high: u32_at(bytes, offset), low: u32_at(bytes, offset + 4) }
    }

    pub(super) fn write(self, bytes: &mut [u8], offset: usize) {
        put_u32(bytes, offset, self.high);
        put_u32(bytes, offset + 4, self.low);
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.build_class() {
            BuildClass::Development => "-dev",
            BuildClass::ReleaseCandidate => "-rc",
            BuildClass::SecondReleaseCandidate => "-rc2",
            BuildClass::Release => "",
            BuildClass::Private => "-private",
            BuildClass::Master => "-master",
            BuildClass::Unknown(_) => "-unk",
        };
        write!(f, "{}.{}.{}{suffix}", self.major(), self.minor(), self.patch())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_print_as_iperf_prints_them() {
        let print = |high, low| Version { high, low }.to_string();
        assert_eq!(print(0x0002_0002, 0x0001_0001), "2.2.1-rc");
        assert_eq!(print(0x0002_0001, 0x0008_0003), "2.1.8");
        assert_eq!(print(0x0002_0002, 0x0001_0000), "2.2.1-dev");
        assert_eq!(print(0x0002_0002, 0x0001_0002), "2.2.1-rc2");
        assert_eq!(print(0x0002_0002, 0x0001_0004), "2.2.1-private");
        assert_eq!(print(0x0002_0002, 0x0001_0005), "2.2.1-master");
        assert_eq!(print(0x0002_0002, 0x0001_000c), "2.2.1-unk");
        assert_eq!(Version::V2_2_1.to_string(), "2.2.1");
    }

    #[test]
    fn only_known_versions_below_2_2_are_of_the_old_generation() {
        assert!(Version::V2_1_8.is_before_2_2());
        assert!(!Version::V2_2_1.is_before_2_2());
        assert!(!Version::default().is_before_2_2());
        assert!(!Version { high: 0x0002_0001, low: 0 }.is_known());
    }
}
