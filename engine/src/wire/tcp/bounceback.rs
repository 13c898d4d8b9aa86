//! Request and reply of a bounceback test.

use std::ops::BitOr;

use crate::wire::bytes::{put_u16, put_u32, u16_at, u32_at};
use crate::wire::error::require;
use crate::wire::{BaseFlags, WireError, WireTime};

/// Settings of a bounceback message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BouncebackFlags(pub u16);

impl BouncebackFlags {
    /// The server shall acknowledge segments at once.
    pub const QUICK_ACK: Self = Self(0x8000);
    /// The client says that the clocks agree: one-way times mean something.
    pub const CLOCKS_SYNCHRONISED: Self = Self(0x4000);
    /// The TOS word is valid.
    pub const TOS: Self = Self(0x2000);
    /// Last message: no reply. Defined, not sent by iperf.
    pub const STOP: Self = Self(0x1000);
    /// The reply size is valid, 2.2 only.
    pub const REPLY_SIZE: Self = Self(0x0800);

    /// All bits of `other` are set.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for BouncebackFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The message at the start of each request and reply: 64 bytes, in 2.1 the first 60 of them. Payload follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BouncebackMessage {
    /// First word; [`BaseFlags::BOUNCEBACK`] is set.
    pub flags: BaseFlags,
    /// Bytes of the request.
    pub size: u32,
    /// Number of the time slot, or a counter when requests follow each other without period.
    pub id: u32,
    /// Settings.
    pub settings: BouncebackFlags,
    /// TOS byte, valid with [`BouncebackFlags::TOS`].
    pub tos: u16,
    /// 0.
    pub runtime: u32,
    /// Client's clock when the request was sent.
    pub client_sent: WireTime,
    /// Server's clock when the request had come, [`WireTime::UNSET`] in a request.
    pub server_received: WireTime,
    /// Server's clock when the reply was sent, [`WireTime::UNSET`] in a request.
    pub server_sent: WireTime,
    /// Microseconds that the server shall wait before it replies.
    pub hold_microseconds: u32,
    /// Leftovers of the sender's buffer.
    pub round_trip: u32,
    /// Leftovers of the sender's buffer.
    pub client_read: WireTime,
    /// Word behind the first 60 bytes: bytes of the reply, valid with [`BouncebackFlags::REPLY_SIZE`]. `None` when the
    /// message ends there (2.1); 2.1 with a longer message has payload here, without the flag.
    pub reply_size: Option<u32>,
}

impl BouncebackMessage {
    /// Length of the message in 2.1, and the least that can be decoded.
    pub const LENGTH_2_1: usize = 60;
    /// Length of the message in 2.2.
    pub const LENGTH: usize = 64;
    /// Smallest request that a 2.2 iperf server takes: it reads the first word twice.
    pub const MIN_REQUEST: usize = 68;

    /// A request of this version: times of the server unset.
    #[must_use]
    pub fn request(id: u32, size: u32, client_sent: WireTime) -> Self {
        Self {
            flags: BaseFlags::BOUNCEBACK,
            size,
            id,
            settings: BouncebackFlags::default(),
            tos: 0,
            runtime: 0,
            client_sent,
            server_received: WireTime::UNSET,
            server_sent: WireTime::UNSET,
            hold_microseconds: 0,
            round_trip: 0,
            client_read: WireTime::default(),
            reply_size: Some(size),
        }
    }

    /// Bytes of the reply that is asked for: as long as the request unless the flag says otherwise.
    #[must_use]
    pub fn reply_length(&self) -> u32 {
        match self.reply_size {
            Some(reply_size) if self.settings.contains(BouncebackFlags::REPLY_SIZE) => reply_size,
            _ => self.size,
        }
    }

    /// Reads a message; payload behind it is not looked at.
    ///
    /// # Errors
    /// [`WireError::TooShort`] below 60 bytes, [`WireError::Invalid`] when the first word is not that of a bounceback
    /// or the size is smaller than the message.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        require("bounceback message", bytes, Self::LENGTH_2_1)?;
        let flags = BaseFlags(u32_at(bytes, 0));
        if !flags.contains(BaseFlags::BOUNCEBACK) {
            return Err(WireError::Invalid { what: "bounceback flags", value: flags.0.into() });
        }
        let size = u32_at(bytes, 4);
        if usize::try_from(size).is_ok_and(|size| size < Self::LENGTH_2_1) {
            return Err(WireError::Invalid { what: "bounceback size", value: size.into() });
        }
        Ok(Self {
            flags,
            size,
            id: u32_at(bytes, 8),
            settings: BouncebackFlags(u16_at(bytes, 12)),
            tos: u16_at(bytes, 14),
            runtime: u32_at(bytes, 16),
            client_sent: WireTime::read(bytes, 20),
            server_received: WireTime::read(bytes, 28),
            server_sent: WireTime::read(bytes, 36),
            hold_microseconds: u32_at(bytes, 44),
            round_trip: u32_at(bytes, 48),
            client_read: WireTime::read(bytes, 52),
            reply_size: (bytes.len() >= Self::LENGTH).then(|| u32_at(bytes, 60)),
        })
    }

    /// Writes the message over the start of a buffer; what does not fit is dropped.
    pub fn encode_over(&self, buffer: &mut [u8]) {
        put_u32(buffer, 0, self.flags.0);
        put_u32(buffer, 4, self.size);
        put_u32(buffer, 8, self.id);
        put_u16(buffer, 12, self.settings.0);
        put_u16(buffer, 14, self.tos);
        put_u32(buffer, 16, self.runtime);
        self.client_sent.write(buffer, 20);
        self.server_received.write(buffer, 28);
        self.server_sent.write(buffer, 36);
        put_u32(buffer, 44, self.hold_microseconds);
        put_u32(buffer, 48, self.round_trip);
        self.client_read.write(buffer, 52);
        if let Some(reply_size) = self.reply_size {
            put_u32(buffer, 60, reply_size);
        }
    }

    /// Appends the message to `out`: 64 bytes, or 60 without a reply size.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; Self::LENGTH];
        self.encode_over(&mut bytes);
        let length = if self.reply_size.is_some() { Self::LENGTH } else { Self::LENGTH_2_1 };
        out.extend_from_slice(&bytes[..length]);
    }
}
