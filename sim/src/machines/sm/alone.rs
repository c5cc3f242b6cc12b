//! An SM by itself: what it is connected to is its own, but for the moments at which DRAM serves others.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::below::{Below, Request, Use};
use super::outcome::Misses;
use super::parameters::{Faults, Timing};
use super::tags::Tags;
use super::work::{ThreadBlock, ThreadBlocks};
use crate::page::Page;
use crate::simt::Memory;
use crate::sm::l1_tlb::{FAR, Inputs, TRANSLATION};

/// Bits of a page number that are not its frame's.
const PFN: u64 = 0x0fff_ffff;

/// An L2 TLB and an L2 cache as tags, walks of fixed latency, and pages that are not there yet.
#[derive(Clone, Debug)]
pub struct Alone<'work> {
    timing: Timing,
    faults: Faults,
    tlb: Tags,
    /// Walks that were taken: when they are over, and the page.
    walks: BinaryHeap<Reverse<(u64, u64)>>,
    /// Far faults that are held: when they resolve, and the page.
    far: BinaryHeap<Reverse<(u64, u64)>>,
    /// When the parts of memory that were not there are, or were.
    arrivals: HashMap<u64, u64>,
    cache: Tags,
    /// When DRAM takes the next line.
    dram_free: u64,
    misses: Misses,
    random: fastrand::Rng,
    pub(super) memory: Memory,
    /// Thread blocks that have not begun.
    pub(super) blocks: ThreadBlocks<'work>,
}

impl<'work> Alone<'work> {
    pub(super) fn new(
        timing: Timing,
        faults: Faults,
        seed: u64,
        blocks: ThreadBlocks<'work>,
    ) -> Self {
        Self {
            timing,
            faults,
            tlb: Tags::new(1024, 8),
            walks: BinaryHeap::new(),
            far: BinaryHeap::new(),
            arrivals: HashMap::new(),
            cache: Tags::new(16_384, 8),
            dram_free: 0,
            misses: Misses::default(),
            random: fastrand::Rng::with_seed(seed),
            memory: Memory::new(),
            blocks,
        }
    }

    /// When a page that was not there at first is; the first request makes it come.
    fn arrival(&mut self, page: u64, now: u64) -> u64 {
        let part = self.part(page);
        *self
            .arrivals
            .entry(part)
            .or_insert(now + self.faults.cycles)
    }

    /// The part of memory that comes with a page.
    fn part(&self, page: u64) -> u64 {
        page >> self
            .faults
            .granule_bits
            .saturating_sub(super::pages::PAGE_BITS)
    }
}

impl Below for Alone<'_> {
    fn translations(&mut self, now: u64, inputs: &mut Inputs) -> u16 {
        let due = |queue: &mut BinaryHeap<Reverse<(u64, u64)>>| {
            let is_due = queue.peek().is_some_and(|first| first.0.0 <= now);
            let first = if is_due { queue.pop() } else { None };
            first.map(|Reverse((_, page))| page)
        };
        inputs.walk_ready = true;
        let resolved = due(&mut self.far);
        inputs.resolve_valid = resolved.is_some();
        inputs.resolve_vpn = resolved.unwrap_or_default();
        let walked = due(&mut self.walks);
        inputs.fill_valid = walked.is_some();
        let Some(page) = walked else { return 0 };
        let arrival = match self.faults.absent {
            true => self.arrival(page, now),
            false => now,
        };
        inputs.fill_vpn = page;
        inputs.fill_pfn = (page & PFN) as u32;
        inputs.fill_writable = true;
        if arrival > now {
            inputs.fill_kind = FAR;
            let place = self.far.len() as u16;
            self.far.push(Reverse((arrival, page)));
            place
        } else {
            inputs.fill_kind = TRANSLATION;
            self.tlb.insert(page);
            0
        }
    }

    fn walk(&mut self, now: u64, Page { vpn: page, .. }: Page, _: bool) {
        let Timing {
            l2_tlb,
            walk,
            walked,
            ..
        } = self.timing;
        // A page that is not there yet can be in no TLB.
        let is_there = !self.faults.absent
            || (self.arrivals.get(&self.part(page))).is_some_and(|&arrival| arrival <= now);
        let known = self.tlb.uses(page) || (walked && is_there);
        // An answer comes in a later cycle at the earliest.
        let takes = l2_tlb + if known { 0 } else { walk };
        self.walks.push(Reverse((now + takes.max(1), page)));
    }

    fn request(&mut self, at: u64, request: Request) -> Option<u64> {
        let answered = at + self.timing.l2;
        if request.how != Use::Store {
            self.misses.lines += 1;
            if self.cache.uses(request.line) {
                return Some(answered);
            }
        }
        self.cache.insert(request.line);
        if request.how == Use::Store {
            return Some(at);
        }
        let begins = answered.max(self.dram_free);
        self.misses.waited += begins - answered;
        self.dram_free = begins + self.timing.dram_interval;
        let spread = self.timing.dram_spread;
        Some(begins + self.timing.dram + self.random.u64(0..=2 * spread) - spread)
    }

    fn arrived(&mut self, _: u64) -> Option<u32> {
        None
    }

    fn memory(&mut self) -> Option<&mut Memory> {
        Some(&mut self.memory)
    }

    fn access(&mut self, _: u64, _: u8, _: u8) {}

    fn access_cycles(&self) -> u64 {
        0
    }

    fn next_block(&mut self, _: u64) -> Option<ThreadBlock> {
        self.blocks.next()
    }

    fn has_blocks(&self, _: u64) -> bool {
        self.blocks.len() > 0
    }

    fn misses(&self) -> Misses {
        self.misses
    }
}
