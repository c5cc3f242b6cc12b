//! When the driver has the GPU try again what has faulted.
//!
//! The hardware of Zheng et al. (HPCA 2016, section 3.1) names the TLBs that wait for a page, so each page is tried
//! again as it comes. The driver of NVIDIA's GPUs reads records in batches, sees to all of a batch, and has the GPU
//! replay everything that waits; its policies differ in when it does.

use std::collections::{BTreeSet, VecDeque};

use super::super::Replay;
use super::super::parameters::TABLE_BITS;
use crate::page::Page;

/// Records of a batch at most.
const BATCH: usize = 256;

/// A record: its page, and the port that has missed it, if that is known.
pub type Fault = (Page, Option<u32>);

/// What waits for a replay.
#[derive(Clone, Debug)]
pub struct Replays {
    policy: Replay,
    /// Cycles from the first record until the driver reads a batch, if it has nothing to do.
    interrupt: u64,
    /// When it reads the next one, if there is any.
    due: u64,
    /// Records that have not been read.
    inbox: VecDeque<Fault>,
    /// Parts that the batch under way waits for, and of those all that it has waited for.
    open: BTreeSet<Page>,
    /// A batch is under way.
    is_busy: bool,
    /// Pages that are there, with their parts, and that have not been tried again.
    held: Vec<(Page, Page)>,
    /// What it did.
    pub counts: Counts,
}

/// What the driver did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Batches of records.
    pub batches: u64,
    /// Records of a page that was in the same batch already, or was there.
    pub duplicates: u64,
    /// Times at which everything that waited was tried again.
    pub replays: u64,
    /// Records that were dropped unread, because what they tell of is tried again.
    pub flushed: u64,
}

/// What is tried again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retried {
    /// Pages that are there, with their parts.
    pub there: Vec<(Page, Page)>,
    /// Pages that may be absent: whoever wants them misses them again.
    pub unread: Vec<Page>,
}

impl Replays {
    pub fn new(policy: Replay, interrupt: u64) -> Self {
        Self {
            policy,
            interrupt,
            due: 0,
            inbox: VecDeque::new(),
            open: BTreeSet::new(),
            is_busy: false,
            held: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Whether records are read in batches.
    pub const fn has_batches(&self) -> bool {
        !matches!(self.policy, Replay::Page)
    }

    /// Cycles of a fault that pass before its record is read.
    pub const fn before(&self) -> u64 {
        match self.has_batches() {
            true => self.interrupt,
            false => 0,
        }
    }

    /// A record has come.
    pub fn report(&mut self, now: u64, fault: Fault) {
        if !self.is_busy && self.inbox.is_empty() {
            self.due = now + self.interrupt;
        }
        self.inbox.push_back(fault);
    }

    /// When the driver does something next of its own, from now on: the next batch is read, or the batch under way is
    /// over because it waits for nothing.
    pub fn next(&self, now: u64) -> Option<u64> {
        let is_over = self.is_busy && self.open.is_empty();
        if is_over { Some(now) } else { self.reads() }
    }

    /// When the next batch is read, if there is any.
    fn reads(&self) -> Option<u64> {
        (!self.is_busy && !self.inbox.is_empty()).then_some(self.due)
    }

    /// The next batch if it is read by now, in the order of its records, each page once.
    pub fn read(&mut self, now: u64) -> Vec<Fault> {
        if self.reads().is_none_or(|due| due > now) {
            return Vec::new();
        }
        self.is_busy = true;
        self.counts.batches += 1;
        let mut pages = BTreeSet::new();
        let mut batch = Vec::new();
        let count = self.inbox.len().min(BATCH);
        for fault in self.inbox.drain(..count) {
            match pages.insert(fault.0) {
                true => batch.push(fault),
                // Whoever has missed it waits for the same page, and is woken with the first.
                false => self.counts.duplicates += 1,
            }
        }
        batch
    }

    /// The batch waits for a part.
    pub fn waits_for(&mut self, part: Page) {
        self.open.insert(part);
    }

    /// A page is there, of which a record tells; its part is another number.
    pub fn hold(&mut self, part: Page, page: Page) {
        self.held.push((part, page));
    }

    /// A part is there. It says what is tried again, if anything is.
    pub fn arrive(&mut self, part: Page, part_bits: u32) -> Retried {
        if !self.open.remove(&part) {
            return Retried::default();
        }
        let block = |part: &Page| (part.vpn << part_bits >> TABLE_BITS, part.asid);
        let own = block(&part);
        if self.policy == Replay::Block && !self.open.iter().any(|part| block(part) == own) {
            self.counts.replays += 1;
            let of_block = |(part, _): &mut (Page, Page)| block(part) == own;
            return Retried {
                there: self.held.extract_if(.., of_block).collect(),
                unread: Vec::new(),
            };
        }
        Retried::default()
    }

    /// The batch is over if it waits for nothing any more. It says what is tried again then.
    pub fn end(&mut self) -> Retried {
        if !self.is_busy || !self.open.is_empty() {
            return Retried::default();
        }
        self.is_busy = false;
        if self.policy == Replay::Once && !self.inbox.is_empty() {
            return Retried::default();
        }
        let unread: Vec<Page> = match self.policy {
            Replay::BatchFlush => self.inbox.drain(..).map(|(page, _)| page).collect(),
            _ => Vec::new(),
        };
        self.counts.flushed += unread.len() as u64;
        self.counts.replays += u64::from(!self.held.is_empty() || !unread.is_empty());
        Retried {
            there: std::mem::take(&mut self.held),
            unread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(vpn: u64) -> Page {
        Page { vpn, asid: 0 }
    }

    /// A driver that has read these pages, each a part of its own, with one more record behind them.
    fn read(policy: Replay, pages: &[u64]) -> Replays {
        let mut replays = Replays::new(policy, 0);
        pages
            .iter()
            .for_each(|&vpn| replays.report(0, (page(vpn), None)));
        for (page, _) in replays.read(0) {
            replays.waits_for(page);
        }
        replays.report(0, (page(9), None));
        assert!(replays.reads().is_none() && replays.end() == Retried::default());
        replays
    }

    /// The pages that are tried again as parts come one after the other, and at the end.
    fn retried(replays: &mut Replays, parts: &[u64]) -> Vec<Vec<u64>> {
        let vpns = |retried: Retried| {
            let there = retried.there.iter().map(|(_, page)| page.vpn);
            there
                .chain(retried.unread.iter().map(|page| page.vpn))
                .collect::<Vec<_>>()
        };
        let mut all = Vec::new();
        for &part in parts {
            replays.hold(page(part), page(part));
            all.push(vpns(replays.arrive(page(part), 0)));
        }
        all.push(vpns(replays.end()));
        all
    }

    #[test]
    fn policies_differ_in_when_they_try_again() {
        // Pages 1 and 2 are of one block of 2 MB, and 513 is of the next.
        let parts = [1, 513, 2];
        for (policy, expected) in [
            (Replay::Block, [&[][..], &[513], &[1, 2], &[]]),
            (Replay::Batch, [&[], &[], &[], &[1, 513, 2]]),
            (Replay::BatchFlush, [&[], &[], &[], &[1, 513, 2, 9]]),
            (Replay::Once, [&[], &[], &[], &[]]),
        ] {
            let mut replays = read(policy, &parts);
            assert_eq!(retried(&mut replays, &parts), expected, "{policy:?}");
            let flushes = policy == Replay::BatchFlush;
            assert_eq!(replays.reads().is_some(), !flushes, "{policy:?}");
            assert_eq!(replays.counts.flushed, u64::from(flushes));
            if policy == Replay::Once {
                replays.read(0);
                replays.waits_for(page(9));
                assert_eq!(retried(&mut replays, &[9]), [&[][..], &[1, 513, 2, 9]]);
                assert_eq!(replays.counts.replays, 1);
            }
        }
    }

    #[test]
    fn the_driver_is_interrupted_once_for_what_it_has_not_read() {
        let mut replays = Replays::new(Replay::Batch, 100);
        replays.report(7, (page(1), None));
        replays.report(50, (page(2), None));
        assert_eq!(replays.reads(), Some(107));
        assert!(replays.read(106).is_empty());
        assert_eq!(replays.read(107).len(), 2);
        // What comes while it is busy is read as soon as it is not.
        replays.report(110, (page(3), None));
        replays.end();
        assert_eq!(replays.read(120).len(), 1);
        assert_eq!(
            (replays.before(), Replays::new(Replay::Page, 100).before()),
            (100, 0)
        );
    }

    /// All that it tells of is there already.
    #[test]
    fn a_batch_that_waits_for_nothing_is_over_at_once() {
        let mut replays = Replays::new(Replay::Once, 100);
        replays.report(0, (page(1), None));
        assert_eq!(replays.next(50), Some(100));
        assert_eq!(replays.read(100).len(), 1);
        replays.hold(page(1), page(1));
        assert_eq!(replays.next(101), Some(101));
        assert_eq!(replays.end().there, [(page(1), page(1))]);
        assert_eq!(replays.next(102), None);
    }

    #[test]
    fn a_batch_has_256_records_and_each_page_once() {
        let mut replays = Replays::new(Replay::Batch, 0);
        for number in 0..300 {
            replays.report(0, (page(number / 2), None));
        }
        let batch = replays.read(0);
        assert!(batch.iter().map(|(page, _)| page.vpn).eq(0..128));
        assert_eq!(replays.counts.duplicates, 128);
        assert!(replays.read(0).is_empty());
        replays.end();
        assert_eq!(replays.read(0).len(), 22);
        assert_eq!(replays.counts.batches, 2);
    }
}
