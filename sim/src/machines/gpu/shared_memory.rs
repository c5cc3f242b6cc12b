//! The L2 cache in banks, each with its channel of DRAM.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::sm::{Request, Tags, Use};
use super::pager::Remote;
use super::parameters::Caches;
use super::tables::is_of_host;

/// Lines of a page, as a power of two.
pub const PAGE_LINE_BITS: u32 = 5;

/// The requester of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Requester {
    /// An SM, with what its answer comes with.
    Sm(usize, u32),
    /// A walk of a GMMU, with the word that it reads.
    Walk(usize, u8, u64),
}

/// A request on its way to its bank: when it is there, whose it is, the number of requests before it, and what it is.
type Coming = Reverse<(u64, usize, u64, u64, Use, Requester)>;

/// What the banks and channels have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Lines that were read or changed.
    pub lines: u64,
    /// Lines that were written.
    pub stores: u64,
    /// Lines that came from DRAM.
    pub from_dram: u64,
    /// Lines that were written back to DRAM.
    pub to_dram: u64,
    /// Lines of contexts that were written to DRAM, or read there.
    pub contexts: u64,
    /// Cycles that lines waited for their banks and channels.
    pub waited: u64,
}

#[derive(Clone, Debug)]
struct Bank {
    tags: Tags,
    /// When it takes the next request, and when its channel takes the next line.
    free: u64,
    dram_free: u64,
    /// Lines that it waits for, and when they come.
    misses: Vec<(u64, u64)>,
}

#[derive(Clone, Debug)]
pub struct SharedMemory {
    caches: Caches,
    banks: Vec<Bank>,
    coming: BinaryHeap<Coming>,
    requests: u64,
    pub traffic: Traffic,
}

impl SharedMemory {
    pub fn new(caches: Caches) -> Self {
        let bank = Bank {
            tags: Tags::new(caches.lines / caches.banks, caches.ways),
            free: 0,
            dram_free: 0,
            misses: Vec::new(),
        };
        Self {
            caches,
            banks: vec![bank; caches.banks],
            coming: BinaryHeap::new(),
            requests: 0,
            traffic: Traffic::default(),
        }
    }

    /// A request that is at its bank at a time. Of those of one time the SMs' go first, in their order, and of one SM's the first.
    pub fn request(&mut self, at: u64, line: u64, how: Use, requester: Requester) {
        self.requests += 1;
        let of = match requester {
            Requester::Sm(sm, _) => sm,
            Requester::Walk(..) => usize::MAX,
        };
        let coming = (at, of, self.requests, line, how, requester);
        self.coming.push(Reverse(coming));
    }

    /// A request of an SM. The contexts of each SM begin in another bank.
    pub fn request_of(&mut self, at: u64, sm: usize, request: Request) {
        let requester = Requester::Sm(sm, request.id);
        let offset = u64::from(request.how.is_of_context()) * sm as u64;
        self.request(at, request.line + offset, request.how, requester);
    }

    /// A frame is freed: its lines are nobody's.
    pub fn forget(&mut self, pfn: u64) {
        let banks = self.banks.len() as u64;
        for line in pfn << PAGE_LINE_BITS..(pfn + 1) << PAGE_LINE_BITS {
            let bank = &mut self.banks[(line % banks) as usize];
            bank.tags.forget(line / banks);
        }
    }

    /// When the next request is at its bank.
    pub fn next(&self) -> u64 {
        self.coming.peek().map_or(u64::MAX, |first| first.0.0)
    }

    /// The next of the requests that are at their banks by now: its requester, if that gets an answer, and when. No bank keeps a line
    /// of the CPU's memory: `remote` says when it is there.
    pub fn serve(
        &mut self,
        now: u64,
        mut remote: impl FnMut(u64, Remote) -> u64,
    ) -> Option<(u64, Requester)> {
        loop {
            let first = self.coming.peek().filter(|first| first.0.0 <= now)?;
            let Reverse((at, _, _, line, how, requester)) = *first;
            self.coming.pop();
            let (reads, writes) = (how != Use::Store, how != Use::Load);
            let comes = if how.is_of_context() {
                self.context(at, line, how)
            } else if is_of_host(line >> PAGE_LINE_BITS) {
                remote(at, Remote { reads, writes })
            } else {
                self.access(at, line, writes, reads)
            };
            if reads {
                return Some((comes, requester));
            }
        }
    }

    /// A line of a context passes a bank's tags, and takes its turn in the bank and in the channel. It says when the line is read or
    /// written.
    fn context(&mut self, at: u64, line: u64, how: Use) -> u64 {
        let Caches {
            latency,
            dram,
            dram_interval,
            ..
        } = self.caches;
        let banks = self.banks.len() as u64;
        let bank = &mut self.banks[(line % banks) as usize];
        let start = at.max(bank.free);
        let channel = bank.dram_free.max(start + latency);
        (bank.free, bank.dram_free) = (start + 1, channel + dram_interval);
        self.traffic.contexts += 1;
        match how {
            Use::Restore => channel + dram,
            _ => channel + dram_interval,
        }
    }

    /// An access of a bank, and when its line is there. What is only written need not be there before.
    fn access(&mut self, at: u64, line: u64, writes: bool, reads: bool) -> u64 {
        let Caches {
            latency,
            misses,
            dram,
            dram_interval,
            ..
        } = self.caches;
        let banks = self.banks.len() as u64;
        let bank = &mut self.banks[(line % banks) as usize];
        let key = line / banks;
        let mut start = at.max(bank.free);
        bank.misses.retain(|(_, comes)| *comes > start);
        let under_way = bank.misses.iter().find(|miss| miss.0 == key);
        let mut comes = under_way.map_or(start + latency, |miss| miss.1.max(start + latency));
        let is_there = bank.tags.uses(key);
        if !is_there {
            if reads && bank.misses.len() >= misses {
                let first = bank.misses.iter().map(|(_, comes)| *comes).min();
                start = first.unwrap_or(start);
                bank.misses.retain(|(_, comes)| *comes > start);
            }
            let mut channel = bank.dram_free.max(start + latency);
            if bank.tags.insert(key) {
                self.traffic.to_dram += 1;
                channel += dram_interval;
                bank.dram_free = channel;
            }
            comes = start + latency;
            if reads {
                self.traffic.from_dram += 1;
                self.traffic.waited += channel - comes;
                bank.dram_free = channel + dram_interval;
                comes = channel + dram;
                bank.misses.push((key, comes));
            }
        }
        if writes {
            bank.tags.write(key);
        }
        self.traffic.waited += start - at;
        bank.free = start + 1;
        match reads {
            true => self.traffic.lines += 1,
            false => self.traffic.stores += 1,
        }
        comes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Caches = Caches {
        lines: 8,
        ways: 2,
        banks: 2,
        latency: 50,
        misses: 2,
        dram: 200,
        dram_interval: 8,
    };

    /// When requests of one SM are answered, in the order in which they are served.
    fn answers(memory: &mut SharedMemory, requests: &[(u64, u64, Use)]) -> Vec<(u64, u32)> {
        for (&(at, line, how), id) in requests.iter().zip(0..) {
            memory.request_of(at, 3, Request { line, how, id });
        }
        let mut found = Vec::new();
        while let Some((at, requester)) = memory.serve(u64::MAX, |_, _| panic!("a line of the CPU"))
        {
            let Requester::Sm(3, id) = requester else {
                panic!("{requester:?}");
            };
            found.push((at, id));
        }
        found
    }

    #[test]
    fn banks_serve_side_by_side_and_lines_under_way_merge() {
        let memory = &mut SharedMemory::new(SMALL);
        let load = |at, line| (at, line, Use::Load);
        let found = answers(memory, &[load(0, 0), load(0, 1), load(0, 2), load(9, 0)]);
        // Line 2 follows in the bank of line 0 a cycle later, and in its channel 8 cycles later.
        assert_eq!(found, [(250, 0), (250, 1), (258, 2), (250, 3)]);
        assert_eq!(answers(memory, &[load(300, 0)]), [(350, 0)]);
        assert_eq!(memory.traffic.from_dram, 3);
    }

    #[test]
    fn what_was_written_goes_back_when_it_is_replaced() {
        let memory = &mut SharedMemory::new(SMALL);
        // Lines 0, 4 and 8 are of one set of two ways.
        let store = |at, line| (at, line, Use::Store);
        let found = answers(memory, &[store(0, 0), store(1, 4), (2, 8, Use::Load)]);
        assert_eq!(found, [(2 + 50 + 8 + 200, 2)]);
        let Traffic {
            stores, to_dram, ..
        } = memory.traffic;
        assert_eq!((stores, to_dram), (2, 1));
    }

    #[test]
    fn the_lines_of_a_freed_frame_come_again() {
        let memory = &mut SharedMemory::new(SMALL);
        let load = |at, line| (at, line, Use::Load);
        answers(memory, &[load(0, 33), load(0, 64), (1, 33, Use::Store)]);
        memory.forget(1);
        let found = answers(memory, &[load(900, 33), load(900, 64)]);
        assert_eq!(found, [(1_150, 0), (950, 1)]);
        assert_eq!(memory.traffic.to_dram, 0);
    }

    #[test]
    fn a_bank_waits_for_so_many_lines() {
        let memory = &mut SharedMemory::new(SMALL);
        let load = |line| (0, line, Use::Load);
        let found = answers(memory, &[load(0), load(2), load(4)]);
        assert_eq!(found, [(250, 0), (258, 1), (250 + 50 + 200, 2)]);
    }

    #[test]
    fn contexts_and_caches_share_the_channels() {
        let memory = &mut SharedMemory::new(SMALL);
        // All three are in bank 1, because the contexts of SM 3 begin three banks further.
        let (save, restore) = ((0, 0, Use::Save), (0, 2, Use::Restore));
        let found = answers(memory, &[save, restore, (0, 1, Use::Load)]);
        assert_eq!(found, [(58, 0), (258, 1), (266, 2)]);
        // They pass the tags: the cache has the line that was loaded, and no other.
        let found = answers(memory, &[(400, 0, Use::Save), (500, 3, Use::Load)]);
        assert_eq!(found, [(458, 0), (500 + 50 + 200, 1)]);
        assert_eq!(memory.traffic.contexts, 3);
    }
}
