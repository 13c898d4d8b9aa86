//! Datagrams that this host dropped at a socket.

use std::os::fd::AsFd;

use socket2::Socket;

use crate::sys::udp_options;

/// The drops of a socket up to a moment; none where the system does not tell.
#[derive(Debug, Clone, Copy)]
pub(super) struct DropCounter(Option<u32>);

impl DropCounter {
    /// The drops until now.
    pub(super) fn of(socket: &Socket) -> Self {
        Self(udp_options::dropped_datagrams(socket.as_fd()).ok())
    }

    /// What a reader of the results should know, when the socket dropped something since.
    pub(super) fn remark(self, socket: &Socket) -> Option<String> {
        let dropped = Self::of(socket).0?.wrapping_sub(self.0?);
        (dropped > 0).then(|| {
            format!(
                "{dropped} datagrams were dropped by this host's receive buffer, not by the network; give a larger window or a lower rate"
            )
        })
    }
}
