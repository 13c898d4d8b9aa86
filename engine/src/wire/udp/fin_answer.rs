//! What a client may read after its FIN.

use super::{DatagramPrefix, FinReport, SequenceWidth};
use crate::wire::BaseFlags;
use crate::wire::bytes::u32_at;

/// A datagram that came back after a FIN. iperf takes any for the report; this tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinAnswer {
    /// The server's report: the first 16 bytes are zero and the report flag is set.
    Report(FinReport),
    /// An answer that is too short for figures, 16 to 55 bytes that begin with 16 zeros: the flow has ended, but the
    /// server does not tell what it counted.
    Bare,
    /// A copy of a FIN, which is what iperf servers answer to the second and later FINs. The report was lost: keep asking.
    Echo {
        /// Sequence number of the FIN, without sign.
        fin_number: u64,
    },
    /// The acknowledgement of very old servers, 52 bytes: to be dropped.
    OldAcknowledgement,
    /// Anything else, such as data of a full-duplex flow.
    Other,
}

impl FinAnswer {
    const OLD_TYPE: u32 = 2;

    /// Sorts a datagram.
    #[must_use]
    pub fn classify(datagram: &[u8]) -> Self {
        if let Ok(report) = FinReport::decode(datagram) {
            return Self::Report(report);
        }
        if datagram.len() == 52 && u32_at(datagram, 0) == Self::OLD_TYPE {
            return Self::OldAcknowledgement;
        }
        let Ok(prefix) =
            DatagramPrefix::decode(datagram, SequenceWidth::of_first_datagram(datagram))
        else {
            return Self::Other;
        };
        if let Some(fin_number) = prefix.fin_number() {
            return Self::Echo { fin_number };
        }
        let zeros = datagram.iter().take(DatagramPrefix::LENGTH).all(|byte| *byte == 0);
        let flags = BaseFlags(u32_at(datagram, DatagramPrefix::LENGTH));
        let flagged =
            flags.contains(BaseFlags::VERSION1) || datagram.len() < DatagramPrefix::LENGTH + 4;
        if zeros && flagged && datagram.len() < FinReport::SHORT_LENGTH {
            Self::Bare
        } else {
            Self::Other
        }
    }
}
