//! Lost, late and duplicate datagrams from their sequence numbers.

use super::{FinRepetitions, IperfCounts, SequenceCounts};

const WORD_BITS: u64 = 64;
const WORDS: usize = 2048;

/// What a datagram turned out to be when it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// Higher than all before it, and no number was skipped.
    InOrder,
    /// Higher than all before it; this many numbers below it are missing so far.
    AfterGap(u64),
    /// Lower than the highest before it, for the first time: reordered.
    Late,
    /// Came before.
    Duplicate,
    /// Not a number of a data datagram (zero); counted nowhere.
    Invalid,
}

impl Arrival {
    /// Higher than all before it: its transit time counts for jitter.
    #[must_use]
    pub fn is_in_sequence(self) -> bool {
        matches!(self, Self::InOrder | Self::AfterGap(_))
    }
}

/// Counts lost, reordered and duplicate datagrams of a flow, whose numbers start at 1, in constant memory (16 KiB).
///
/// A bitmap remembers which of the last [`Self::WINDOW`] numbers have come. A datagram inside the window is decided
/// exactly. One from before the window is a duplicate for certain when nothing from before the window is missing; otherwise
/// it is taken for a late arrival of something missing and counted in [`SequenceCounts::undecided`] as well. So loss,
/// reordering and duplicates are exact for every flow that delays no datagram by more than the window, and `undecided` says
/// when that was not so.
///
/// # The end of a flow
/// A flow ends with a FIN whose number is one above the last data datagram. iperf repeats a FIN that nobody answers with
/// the next higher number each time: when the first FIN that arrives is a repetition, its number alone makes the lost FINs
/// look like lost data. [`Self::record_fin`] therefore takes [`FinRepetitions`]. Where they are not certain, the higher
/// loss counts, and [`SequenceCounts::doubtful_losses`] says how much of it may be lost FINs instead. A client that repeats
/// its FIN with the same number, as servers allow, leaves no doubt.
#[derive(Debug, Clone)]
pub struct SequenceTracker {
    seen: Box<[u64]>,
    seen_in_window: u64,
    highest: u64,
    fin: Option<FinBounds>,
    received: u64,
    reordered: u64,
    duplicates: u64,
    undecided: u64,
    iperf: IperfTracker,
}

impl Default for SequenceTracker {
    fn default() -> Self {
        Self::new()
    }
}

impl SequenceTracker {
    /// How many numbers below the highest one are decided exactly.
    pub const WINDOW: u64 = WORDS as u64 * WORD_BITS;

    /// A flow of which nothing has come yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            seen: vec![0; WORDS].into_boxed_slice(),
            seen_in_window: 0,
            highest: 0,
            fin: None,
            received: 0,
            reordered: 0,
            duplicates: 0,
            undecided: 0,
            iperf: IperfTracker::default(),
        }
    }

    /// Takes the number of a data datagram.
    pub fn record(&mut self, number: u64) -> Arrival {
        if number == 0 {
            return Arrival::Invalid;
        }
        self.iperf.record(number);
        if number > self.highest {
            let skipped = number - self.highest - 1;
            self.advance(number);
            self.mark(number);
            return if skipped == 0 { Arrival::InOrder } else { Arrival::AfterGap(skipped) };
        }
        let arrival = self.classify_old(number);
        match arrival {
            Arrival::Late => self.reordered += 1,
            _ => self.duplicates += 1,
        }
        arrival
    }

    /// Takes the number of a FIN (without its sign), before which other FINs may have been sent. May be called for each
    /// FIN that comes; the smallest result counts.
    pub fn record_fin(&mut self, number: u64, repetitions: FinRepetitions) {
        let sent = number.saturating_sub(1);
        let least = sent.saturating_sub(repetitions.most);
        let most = sent.saturating_sub(repetitions.least);
        let bounds = match self.fin {
            None => {
                self.iperf.record(number);
                FinBounds { least, most }
            }
            Some(before) => {
                FinBounds { least: before.least.min(least), most: before.most.min(most) }
            }
        };
        self.fin = Some(bounds);
    }

    /// Whether the flow has ended: data may still arrive late.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.fin.is_some()
    }

    /// Highest number of a data datagram so far.
    #[must_use]
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// Data datagrams that were sent: what the FIN says, at least the highest number seen. The numbers before the first
    /// datagram that came count, too.
    #[must_use]
    pub fn expected(&self) -> u64 {
        self.fin.map_or(0, |bounds| bounds.most).max(self.highest)
    }

    /// All counts so far. Keep a copy at the start of an interval and use [`SequenceCounts::since`] at its end.
    #[must_use]
    pub fn counts(&self) -> SequenceCounts {
        SequenceCounts {
            expected: self.expected(),
            received: self.received,
            reordered: self.reordered,
            duplicates: self.duplicates,
            undecided: self.undecided,
            doubtful_losses: self
                .fin
                .map_or(0, |bounds| self.expected() - bounds.least.max(self.highest)),
        }
    }

    /// What an iperf server would count, for its report: duplicates hide losses, and the FIN is a datagram.
    #[must_use]
    pub fn iperf_counts(&self) -> IperfCounts {
        self.iperf.counts()
    }

    /// Decides about a number that is not above the highest one, and marks it when it is new.
    fn classify_old(&mut self, number: u64) -> Arrival {
        if self.highest - number < Self::WINDOW {
            if self.is_marked(number) {
                return Arrival::Duplicate;
            }
            self.mark(number);
            return Arrival::Late;
        }
        let before_window = self.highest - Self::WINDOW;
        let received_before_window = self.received - self.seen_in_window;
        if received_before_window >= before_window {
            return Arrival::Duplicate;
        }
        self.received += 1;
        self.undecided += 1;
        Arrival::Late
    }

    /// Moves the window up so that `number` is its highest, and forgets the numbers that fall out of it.
    fn advance(&mut self, number: u64) {
        if number - self.highest >= Self::WINDOW {
            self.seen.fill(0);
            self.seen_in_window = 0;
        } else {
            self.forget(self.highest + 1, number - self.highest);
        }
        self.highest = number;
    }

    /// Clears the places of `count` numbers from `first` on.
    fn forget(&mut self, mut first: u64, mut count: u64) {
        while count > 0 {
            let (word, bit) = place(first);
            // A whole word at once where that is possible, so that a long jump stays cheap.
            let whole = bit == 1 && count >= WORD_BITS;
            let (forgotten, step) = if whole { (u64::MAX, WORD_BITS) } else { (bit, 1) };
            self.seen_in_window -= u64::from((self.seen[word] & forgotten).count_ones());
            self.seen[word] &= !forgotten;
            first = first.wrapping_add(step);
            count -= step;
        }
    }

    fn mark(&mut self, number: u64) {
        let (word, bit) = place(number);
        self.seen[word] |= bit;
        self.seen_in_window += 1;
        self.received += 1;
    }

    fn is_marked(&self, number: u64) -> bool {
        let (word, bit) = place(number);
        self.seen[word] & bit != 0
    }
}

/// Word and bit of a number in the ring.
fn place(number: u64) -> (usize, u64) {
    let slot = number % SequenceTracker::WINDOW;
    // Below the number of words, so it fits.
    (usize::try_from(slot / WORD_BITS).unwrap_or(0), 1 << (slot % WORD_BITS))
}

/// How many data datagrams a FIN says were sent.
#[derive(Debug, Clone, Copy)]
struct FinBounds {
    least: u64,
    most: u64,
}

/// The accounting of an iperf receiver.
#[derive(Debug, Clone, Copy, Default)]
struct IperfTracker {
    gaps: u64,
    out_of_order: u64,
    highest: u64,
}

impl IperfTracker {
    fn record(&mut self, number: u64) {
        if number <= self.highest {
            self.out_of_order += 1;
            return;
        }
        self.gaps += number - self.highest - 1;
        self.highest = number;
    }

    fn counts(&self) -> IperfCounts {
        let lost = self.gaps.saturating_sub(self.out_of_order);
        IperfCounts { lost, out_of_order: self.out_of_order, highest: self.highest }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::stats::SequenceDelta;
    use proptest::prelude::*;

    const WINDOW: u64 = SequenceTracker::WINDOW;

    fn after(numbers: impl IntoIterator<Item = u64>) -> SequenceTracker {
        let mut tracker = SequenceTracker::new();
        for number in numbers {
            tracker.record(number);
        }
        tracker
    }

    fn counts(expected: u64, received: u64, reordered: u64, duplicates: u64) -> SequenceCounts {
        SequenceCounts { expected, received, reordered, duplicates, ..SequenceCounts::default() }
    }

    // RFC 4737 section 3: with 1 2 3 5 4 6 the datagram 4 is reordered, and nothing else.
    #[test]
    fn only_the_late_datagram_counts_as_reordered() {
        assert_eq!(after([1, 2, 3, 5, 4, 6]).counts(), counts(6, 6, 1, 0));
    }

    #[test]
    fn a_duplicate_does_not_hide_a_loss() {
        let tracker = after([1, 2, 3, 5, 4, 6, 6, 9, 10]);
        assert_eq!(tracker.counts(), counts(10, 8, 1, 1));
        assert_eq!(tracker.counts().lost(), 2);
    }

    #[test]
    fn datagrams_lost_before_the_first_one_that_came_count() {
        assert_eq!(after([4, 5, 6]).counts().lost(), 3);
    }

    #[test]
    fn arrivals_are_told_apart() {
        let mut tracker = SequenceTracker::new();
        let arrivals = [1, 4, 3, 3, 1, 0, 5].map(|number| tracker.record(number));
        let expected = [
            Arrival::InOrder,
            Arrival::AfterGap(2),
            Arrival::Late,
            Arrival::Duplicate,
            Arrival::Duplicate,
            Arrival::Invalid,
            Arrival::InOrder,
        ];
        assert_eq!(arrivals, expected);
        assert_eq!(tracker.counts(), counts(5, 4, 1, 2));
    }

    #[test]
    fn the_fin_reveals_losses_at_the_end() {
        let mut tracker = after([1, 2, 3]);
        tracker.record_fin(11, FinRepetitions::NONE);
        assert_eq!((tracker.expected(), tracker.counts().lost()), (10, 7));
    }

    #[test]
    fn lost_fins_are_not_lost_data() {
        let mut tracker = after(1..=10);
        // FIN 11 was lost; 12 comes with the delay of one or two repetitions. Number 10 came, so two are impossible.
        tracker.record_fin(12, FinRepetitions { least: 1, most: 2 });
        assert_eq!(tracker.counts(), counts(10, 10, 0, 0));
    }

    #[test]
    fn losses_that_may_be_lost_fins_count_and_are_called_doubtful() {
        let mut tracker = after(1..=10);
        tracker.record_fin(14, FinRepetitions { least: 1, most: 2 });
        assert_eq!(tracker.counts(), SequenceCounts { doubtful_losses: 1, ..counts(12, 10, 0, 0) });
    }

    #[test]
    fn repeated_fins_do_not_raise_the_expected_number() {
        let mut tracker = after(1..=10);
        for number in [11, 12, 13] {
            tracker.record_fin(number, FinRepetitions::NONE);
        }
        assert_eq!(tracker.expected(), 10);
    }

    #[test]
    fn data_that_came_proves_that_a_fin_was_misjudged() {
        let mut tracker = after(1..=10);
        tracker.record_fin(11, FinRepetitions { least: 5, most: 5 });
        assert_eq!((tracker.expected(), tracker.counts().lost()), (10, 0));
    }

    #[test]
    fn data_may_come_after_the_fin() {
        let mut tracker = after([1, 2, 4]);
        tracker.record_fin(5, FinRepetitions::NONE);
        assert_eq!(tracker.record(3), Arrival::Late);
        assert_eq!(tracker.counts(), counts(4, 4, 1, 0));
    }

    #[test]
    fn interval_losses_add_up_although_one_is_negative() {
        let mut tracker = after([1, 4]);
        let boundary = tracker.counts();
        assert_eq!(boundary.lost(), 2);
        for number in [2, 3, 5] {
            tracker.record(number);
        }
        let delta = tracker.counts().since(&boundary);
        let expected =
            SequenceDelta { expected: 1, received: 3, lost: -2, reordered: 2, duplicates: 0 };
        assert_eq!(delta, expected);
        assert_eq!(tracker.counts().lost(), 0);
    }

    #[test]
    fn numbers_beyond_32_bits_are_exact() {
        let mut tracker = after([1, 2, 3]);
        tracker.record_fin(4_294_967_306, FinRepetitions::NONE);
        assert_eq!(tracker.counts(), counts(4_294_967_305, 3, 0, 0));
        assert_eq!(
            tracker.iperf_counts(),
            IperfCounts { lost: 4_294_967_302, out_of_order: 0, highest: 4_294_967_306 }
        );
    }

    #[test]
    fn the_last_number_of_the_window_is_still_exact() {
        let mut tracker = after([1, WINDOW]);
        assert_eq!((tracker.record(1), tracker.record(2)), (Arrival::Duplicate, Arrival::Late));
        assert_eq!(tracker.counts(), counts(WINDOW, 3, 1, 1));
    }

    #[test]
    fn a_copy_from_before_the_window_is_a_duplicate_when_nothing_is_missing() {
        let mut tracker = after(1..=2 * WINDOW);
        assert_eq!(tracker.record(5), Arrival::Duplicate);
        assert_eq!(tracker.counts(), counts(2 * WINDOW, 2 * WINDOW, 0, 1));
    }

    #[test]
    fn an_arrival_from_before_the_window_is_undecided_when_something_is_missing() {
        let mut tracker = after((1..=2 * WINDOW).filter(|number| *number != 7));
        assert_eq!(tracker.record(7), Arrival::Late);
        assert_eq!(
            tracker.counts(),
            SequenceCounts { undecided: 1, ..counts(2 * WINDOW, 2 * WINDOW, 1, 0) }
        );
        assert_eq!(tracker.record(7), Arrival::Duplicate, "nothing is missing any more");
    }

    #[test]
    fn a_jump_over_the_whole_window_forgets_it() {
        let mut tracker = after([1, 2, 3, 3 * WINDOW + 2]);
        assert_eq!(tracker.record(3 * WINDOW + 1), Arrival::Late);
        assert_eq!(tracker.counts().lost(), 3 * WINDOW + 2 - 5);
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let mut tracker = after([u64::MAX - 1, u64::MAX, u64::MAX, 1]);
        tracker.record_fin(u64::MAX, FinRepetitions { least: 0, most: u64::MAX });
        assert_eq!((tracker.counts().received, tracker.counts().duplicates), (3, 1));
        assert_eq!(tracker.counts().expected, u64::MAX);
    }

    /// Steps that leave a random walk inside the window, with jumps, repetitions and steps back.
    fn walks() -> impl Strategy<Value = Vec<u64>> {
        let step = prop_oneof![
            6 => Just(1_i64),
            2 => -300..300_i64,
            1 => -30_000..60_000_i64,
        ];
        prop::collection::vec(step, 0..400).prop_map(|steps| {
            let mut number = 0_i64;
            steps
                .into_iter()
                .map(|step| {
                    number = (number + step).max(1);
                    number.unsigned_abs()
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn counts_equal_those_of_a_receiver_that_remembers_everything(numbers in walks()) {
            let mut tracker = SequenceTracker::new();
            let (mut seen, mut highest, mut reordered, mut duplicates) = (BTreeSet::new(), 0, 0, 0);
            for number in numbers {
                // Beyond the window nothing is promised.
                if highest >= WINDOW && number <= highest - WINDOW {
                    continue;
                }
                match (seen.insert(number), number > highest) {
                    (true, false) => reordered += 1,
                    (false, _) => duplicates += 1,
                    (true, true) => {}
                }
                highest = highest.max(number);
                tracker.record(number);
            }
            prop_assert_eq!(tracker.counts(), counts(highest, seen.len() as u64, reordered, duplicates));
        }

        #[test]
        fn any_numbers_keep_the_counts_consistent(numbers in prop::collection::vec(any::<u64>(), 0..100)) {
            let tracker = after(numbers);
            let counts = tracker.counts();
            prop_assert!(counts.received <= counts.expected);
            prop_assert!(counts.reordered <= counts.received);
        }
    }
}
