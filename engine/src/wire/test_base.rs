//! The base part of a test header.

use super::bytes::{i32_at, put_i32, put_u32, u32_at};
use super::{Amount, BaseFlags, Threads};

/// The oldest part of a test header, 24 bytes: at offset 0 of a TCP stream and at offset 16 of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TestBase {
    /// Flags; the length bits are not kept here, see [`BaseFlags`].
    pub flags: BaseFlags,
    /// Number of parallel streams, and the transfer id.
    pub threads: Threads,
    /// Port for a connection back: the client's listen port, else the server's port.
    pub port: u32,
    /// Length of a write or datagram in bytes, if the user chose one, else 0.
    pub buffer_length: u32,
    /// Window or rate of very old versions; 0.
    pub window: u32,
    /// How long or how much.
    pub amount: Amount,
}

impl TestBase {
    /// Length on the wire in bytes.
    pub const LENGTH: usize = 24;

    pub(super) fn read(bytes: &[u8], offset: usize) -> Self {
        Self {
            flags: BaseFlags(u32_at(bytes, offset)),
            threads: Threads(u32_at(bytes, offset + 4)),
            port: u32_at(bytes, offset + 8),
            buffer_length: u32_at(bytes, offset + 12),
            window: u32_at(bytes, offset + 16),
            amount: Amount(i32_at(bytes, offset + 20)),
        }
    }

    /// Writes the part with `flags` as the first word, which carries the length.
    pub(super) fn write(&self, flags: BaseFlags, bytes: &mut [u8], offset: usize) {
        put_u32(bytes, offset, flags.0);
        put_u32(bytes, offset + 4, self.threads.0);
        put_u32(bytes, offset + 8, self.port);
        put_u32(bytes, offset + 12, self.buffer_length);
        put_u32(bytes, offset + 16, self.window);
        put_i32(bytes, offset + 20, self.amount.0);
    }
}
