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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::WireTime;

    fn report() -> Vec<u8> {
        let mut bytes = Vec::new();
        let flags = BaseFlags::VERSION1 | BaseFlags::SEQUENCE_64;
        FinReport { flags, datagrams: 92, ..FinReport::default() }.encode_into(&mut bytes);
        bytes
    }

    #[test]
    fn a_report_of_a_very_old_server_is_a_report() {
        let FinAnswer::Report(found) = FinAnswer::classify(&report()) else { panic!("no report") };
        assert_eq!((found.datagrams, found.latency), (92, None));
    }

    #[test]
    fn an_answer_without_figures_only_says_that_the_flow_ended() {
        assert_eq!(FinAnswer::classify(&[0; 16]), FinAnswer::Bare);
        assert_eq!(FinAnswer::classify(&report()[..40]), FinAnswer::Bare);
    }

    #[test]
    fn a_copy_of_a_fin_is_no_report_whatever_its_flags() {
        let mut copy = report();
        copy.resize(128, 0);
        DatagramPrefix::fin(93, WireTime::default()).encode_over(&mut copy);
        assert_eq!(FinAnswer::classify(&copy), FinAnswer::Echo { fin_number: 93 });
    }

    #[test]
    fn a_report_without_its_flag_is_not_believed() {
        let mut unflagged = report();
        unflagged[16] = 0;
        assert_eq!(FinAnswer::classify(&unflagged), FinAnswer::Other);
        assert_eq!(FinAnswer::classify(&[0; 128]), FinAnswer::Other);
    }

    #[test]
    fn the_acknowledgement_of_old_servers_is_known_by_length_and_type() {
        let mut old = [0; 52];
        old[3] = 2;
        assert_eq!(FinAnswer::classify(&old), FinAnswer::OldAcknowledgement);
        assert_ne!(FinAnswer::classify(&old[..51]), FinAnswer::OldAcknowledgement);
    }

    #[test]
    fn data_and_fragments_are_something_else() {
        let mut data = vec![0; 1470];
        DatagramPrefix { sequence: 7, sent: WireTime::default() }.encode_over(&mut data);
        assert_eq!(FinAnswer::classify(&data), FinAnswer::Other);
        assert_eq!(FinAnswer::classify(&[0; 15]), FinAnswer::Other);
        assert_eq!(FinAnswer::classify(&[]), FinAnswer::Other);
    }
}
