//! Datagrams that this host dropped at a socket.

use std::os::fd::AsFd;

use socket2::Socket;

use crate::event::{Role, Totals};
use crate::sys::udp_options;

/// The drops of a socket up to a moment; none where the system does not tell.
#[derive(Debug, Clone, Copy)]
pub(super) struct DropCounter(Option<u32>);

impl DropCounter {
    /// The drops until now.
    pub(super) fn of(socket: &Socket) -> Self {
        Self(udp_options::dropped_datagrams(socket.as_fd()).ok())
    }

    /// How many the socket dropped since.
    pub(super) fn since(self, socket: &Socket) -> Option<u64> {
        Some(Self::of(socket).0?.wrapping_sub(self.0?).into())
    }
}

/// What a reader of the results should know, when the socket dropped something.
pub(super) fn remark(dropped: Option<u64>) -> Option<String> {
    dropped.filter(|dropped| *dropped > 0).map(|dropped| {
        format!(
            "{dropped} datagrams were dropped by this host's receive buffer, not by the network; give a larger window or a lower rate"
        )
    })
}

/// `totals` of a receiver with what its socket dropped.
pub(super) fn with_drops(mut totals: Totals, dropped: Option<u64>) -> Totals {
    if let Some(datagrams) = totals.figures.datagrams.as_mut()
        && totals.role == Role::Receiver
    {
        datagrams.dropped_by_host = dropped;
    }
    totals
}
