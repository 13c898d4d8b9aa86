//! A path between two ends, in memory and with virtual time.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::time::Duration;

use linerate_engine::event::Datagrams;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// The sender's time of day when a simulation starts.
pub(crate) const EPOCH: Duration = Duration::from_secs(1_800_000_000);
/// No simulation lasts longer.
pub(crate) const LIMIT: Duration = Duration::from_secs(600);

/// What a path does to datagrams.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Path {
    pub(crate) delay: Duration,
    /// Up to so much is added at random: datagrams that are closer to each other change places.
    pub(crate) spread: Duration,
    pub(crate) loss: f64,
    pub(crate) duplication: f64,
    /// The first FINs that are lost, beside those that chance loses.
    pub(crate) lost_fins: u32,
    /// The first answers that are lost.
    pub(crate) lost_answers: u32,
    /// How much the receiver's clock is ahead, in milliseconds.
    pub(crate) clock_offset_milliseconds: i64,
}

/// What really happened to the data of a flow.
#[derive(Debug, Default)]
pub(crate) struct Truth {
    pub(crate) sent: u64,
    pub(crate) delivered: BTreeSet<i64>,
    pub(crate) late: u64,
    pub(crate) repeated: u64,
    pub(crate) data_bytes_delivered: u64,
    highest: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    Receiver,
    Sender,
}

pub(crate) struct Network {
    pub(crate) path: Path,
    random: StdRng,
    flying: BinaryHeap<Reverse<Flying>>,
    launched: u64,
}

/// A datagram on its way; the earliest comes first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Flying {
    at: Duration,
    order: u64,
    pub(crate) target: Target,
    pub(crate) datagram: Vec<u8>,
}

impl Truth {
    pub(crate) fn deliver(&mut self, number: i64, length: usize) {
        self.data_bytes_delivered += length as u64;
        if !self.delivered.insert(number) {
            self.repeated += 1;
        } else if number < self.highest {
            self.late += 1;
        }
        self.highest = self.highest.max(number);
    }

    /// The truth in the words of a report.
    pub(crate) fn datagrams(&self) -> Datagrams {
        let received = self.delivered.len() as u64;
        Datagrams {
            sent: self.sent,
            received,
            lost: i64::try_from(self.sent - received).expect("few"),
            out_of_order: self.late,
            duplicates: Some(self.repeated),
            ..Datagrams::default()
        }
    }
}

impl Network {
    pub(crate) fn new(path: Path, seed: u64) -> Self {
        Self { path, random: StdRng::seed_from_u64(seed), flying: BinaryHeap::new(), launched: 0 }
    }

    pub(crate) fn send(&mut self, now: Duration, target: Target, datagram: &[u8]) {
        if self.random.random_bool(self.path.loss) {
            return;
        }
        let copies = if self.random.random_bool(self.path.duplication) { 2 } else { 1 };
        for _ in 0..copies {
            let spread = u64::try_from(self.path.spread.as_nanos()).expect("short");
            let extra = Duration::from_nanos(self.random.random_range(0..=spread));
            self.launched += 1;
            let at = now + self.path.delay + extra;
            let datagram = datagram.to_vec();
            self.flying.push(Reverse(Flying { at, order: self.launched, target, datagram }));
        }
    }

    pub(crate) fn next_arrival(&self) -> Option<Duration> {
        self.flying.peek().map(|Reverse(flying)| flying.at)
    }

    /// The next datagram that has arrived at `now`.
    pub(crate) fn take(&mut self, now: Duration) -> Option<Flying> {
        self.next_arrival().filter(|at| *at <= now)?;
        self.flying.pop().map(|Reverse(flying)| flying)
    }
}
