//! The threads word: number of streams, and a transfer id in newer versions.

const TRANSFER_ID: u32 = 0x8000_0000;
const ID_SHIFT: u32 = 20;
const ID_MASK: u32 = 0x7ff;
const COUNT_MASK: u32 = 0x000f_ffff;

/// The threads word of a header: the number of parallel streams, and with `--sync-transfer-id` (2.2) the client's own
/// id of this stream in bits 20 to 30, announced by bit 31.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Threads(pub u32);

impl Threads {
    /// Plain number of streams, at most 2³¹ − 1.
    #[must_use]
    pub fn of_streams(streams: u32) -> Self {
        Self(streams & !TRANSFER_ID)
    }

    /// With the client's id for this stream: 11 bits of id and 20 bits of number are sent.
    #[must_use]
    pub fn with_transfer_id(transfer_id: u16, streams: u32) -> Self {
        Self(
            TRANSFER_ID | ((u32::from(transfer_id) & ID_MASK) << ID_SHIFT) | (streams & COUNT_MASK),
        )
    }

    /// Number of parallel streams of the client.
    #[must_use]
    pub fn streams(self) -> u32 {
        if self.0 & TRANSFER_ID == 0 { self.0 } else { self.0 & COUNT_MASK }
    }

    /// The client's id of this stream, 0 to 2047, when it is sent.
    #[must_use]
    pub fn transfer_id(self) -> Option<u16> {
        let id = u16::try_from((self.0 >> ID_SHIFT) & ID_MASK).ok()?;
        (self.0 & TRANSFER_ID != 0).then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfer_id_and_number_share_the_word() {
        let threads = Threads::with_transfer_id(2, 2);
        assert_eq!(threads, Threads(0x8020_0002));
        assert_eq!((threads.transfer_id(), threads.streams()), (Some(2), 2));
    }

    #[test]
    fn plain_number_has_no_transfer_id() {
        let threads = Threads::of_streams(3);
        assert_eq!((threads.0, threads.transfer_id(), threads.streams()), (3, None, 3));
    }
}
