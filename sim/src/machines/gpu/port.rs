//! What an SM is connected to: its ends of the links to the GMMU, to the L2 cache and to the dispatcher.
//!
//! Whatever goes over a link is there a known number of cycles later. So an SM and the shared parts need not meet for as many
//! cycles as the fastest link takes.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::super::sm::{Below, CONTEXT, Misses, Request, ThreadBlock};
use super::shared_memory::PAGE_LINE_BITS;
use super::tables::is_of_host;
use crate::page::Page;
use crate::simt::Memory;
use crate::sm::l1_tlb::Inputs;

/// Walks between an SM and the GMMU at most: as many credits has the link.
const WALKS: usize = 8;
/// Kernels at most.
pub const KERNELS: usize = 2;

/// A walk on its way to the GMMU.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// When it is there.
    pub due: u64,
    pub page: Page,
    pub write: bool,
}

/// What the GMMU has for the L1 TLB in a cycle.
#[derive(Clone, Debug)]
pub struct Translation {
    /// When it is there.
    pub due: u64,
    pub inputs: Inputs,
    /// The place of its far fault in the queue of faults.
    pub place: u16,
}

/// An instruction that accesses global memory: when, its kernel, its warp and its entry.
pub type Access = (u64, usize, u8, u8);

/// A translation with which an access was performed: when, of which page, in which frame.
pub type Translated = (u64, Page, u64);

/// What an SM has for others since they met last.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    pub walks: Vec<Walk>,
    /// Requests of lines, with the time at which they are at their banks.
    pub requests: Vec<(u64, Request)>,
    pub accesses: Vec<Access>,
    /// Translations of accesses, if they are watched.
    pub translated: Vec<Translated>,
    /// When it is known elsewhere that no line with a translation from before an invalidation is still to leave: a time for each
    /// invalidation.
    pub settled: Vec<u64>,
    /// When a slot has become free for which there is no block, and of which kernel.
    pub rooms: Vec<(u64, usize)>,
}

/// The thread blocks of a kernel for an SM.
#[derive(Clone, Debug)]
pub struct Supply {
    /// Those that were dispatched to this SM, and when they come.
    pub blocks: VecDeque<(u64, ThreadBlock)>,
    /// The SM has reported a slot that is free, and has no block for it yet.
    waits: bool,
    /// The time from which on it is known here that all were dispatched.
    pub last: u64,
}

impl Supply {
    const fn new() -> Self {
        Self {
            blocks: VecDeque::new(),
            waits: false,
            last: u64::MAX,
        }
    }
}

/// The SM's ends of its links. The shared parts take what it has sent, and put in what is to come.
#[derive(Clone, Debug)]
pub struct Port {
    crossbar: u64,
    translation: u64,
    /// Cycles of the faster one of the two.
    fastest: u64,
    now: u64,
    pub sent: Sent,
    /// Walks that it has sent and that the GMMU has not taken, as far as is known here, and when the next credits come.
    walks: usize,
    pub credits: VecDeque<u64>,
    pub translations: VecDeque<Translation>,
    /// Requests that are answered, and when.
    answers: BinaryHeap<Reverse<(u64, u32)>>,
    /// Lines of contexts that have come or were written, and when.
    contexts: BinaryHeap<Reverse<(u64, u32)>>,
    /// The supply of each kernel.
    pub supplies: [Supply; KERNELS],
    /// The kernel that the SM runs.
    kernel: usize,
    misses: Misses,
    /// It is watched with which translations accesses are performed.
    pub is_watched: bool,
}

impl Port {
    pub fn new(crossbar: u64, translation: u64) -> Self {
        Self {
            crossbar,
            translation,
            fastest: crossbar.min(translation),
            now: 0,
            sent: Sent::default(),
            walks: 0,
            credits: VecDeque::new(),
            translations: VecDeque::new(),
            answers: BinaryHeap::new(),
            contexts: BinaryHeap::new(),
            supplies: [const { Supply::new() }; KERNELS],
            kernel: 0,
            misses: Misses::default(),
            is_watched: false,
        }
    }

    /// When the next thing comes here.
    pub fn comes(&self, now: u64) -> u64 {
        let translation = self.translations.front().map(|first| first.due);
        let answer = self.answers.peek().map(|first| first.0.0);
        let supply = &self.supplies[self.kernel];
        let block = supply.blocks.front().map(|first| first.0);
        let last = Some(supply.last).filter(|&last| last > now);
        let line = self.contexts.peek().map(|first| first.0.0);
        let all = [translation, answer, line, block, last];
        all.into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// The SM has ended: invalidations that come find nothing to wait for.
    pub fn has_ended(&mut self) {
        let dropped = self.translations.drain(..);
        let dropped = dropped.filter(|one| one.inputs.invalidate_valid);
        let times = dropped.map(|one| one.due + self.translation);
        self.sent.settled.extend(times);
    }

    /// A request is answered at a time.
    pub fn answer(&mut self, due: u64, id: u32) {
        let is_of_context = id & CONTEXT != 0;
        let answers = if is_of_context {
            &mut self.contexts
        } else {
            &mut self.answers
        };
        answers.push(Reverse((due, id & !CONTEXT)));
    }
}

/// Takes the first of a queue if it is as it should be.
pub fn first_if<T>(queue: &mut VecDeque<T>, is_so: impl FnOnce(&T) -> bool) -> Option<T> {
    let is_so = queue.front().is_some_and(is_so);
    if is_so { queue.pop_front() } else { None }
}

impl Below for Port {
    fn translations(&mut self, now: u64, inputs: &mut Inputs) -> u16 {
        while first_if(&mut self.credits, |due| *due <= now).is_some() {
            self.walks -= 1;
        }
        inputs.walk_ready = self.walks < WALKS;
        (inputs.fill_valid, inputs.resolve_valid) = (false, false);
        inputs.invalidate_valid = false;
        let first = first_if(&mut self.translations, |first| first.due <= now);
        let Some(Translation {
            inputs: from,
            place,
            ..
        }) = first
        else {
            return 0;
        };
        inputs.fill_valid = from.fill_valid;
        inputs.fill_kind = from.fill_kind;
        inputs.fill_vpn = from.fill_vpn;
        inputs.fill_asid = from.fill_asid;
        inputs.fill_pfn = from.fill_pfn;
        inputs.fill_writable = from.fill_writable;
        inputs.fill_clean = from.fill_clean;
        inputs.resolve_valid = from.resolve_valid;
        inputs.resolve_vpn = from.resolve_vpn;
        inputs.resolve_asid = from.resolve_asid;
        inputs.invalidate_valid = from.invalidate_valid;
        inputs.invalidate_scope = from.invalidate_scope;
        inputs.invalidate_asid = from.invalidate_asid;
        place
    }

    fn walk(&mut self, now: u64, page: Page, write: bool) {
        let due = now + self.translation;
        self.walks += 1;
        self.sent.walks.push(Walk { due, page, write });
    }

    fn request(&mut self, at: u64, request: Request) -> Option<u64> {
        self.misses.lines += u64::from(!request.how.is_of_context());
        let at = at.max(self.now) + self.crossbar;
        self.sent.requests.push((at, request));
        None
    }

    fn caches(&self, line: u64) -> bool {
        !is_of_host(line >> PAGE_LINE_BITS)
    }

    fn arrived(&mut self, now: u64) -> Option<u32> {
        self.now = now;
        let is_due = self.answers.peek().is_some_and(|first| first.0.0 <= now);
        let first = if is_due { self.answers.pop() } else { None };
        first.map(|Reverse((_, id))| id)
    }

    fn arrived_of_context(&mut self, now: u64) -> Option<u32> {
        let is_due = self.contexts.peek().is_some_and(|first| first.0.0 <= now);
        let first = if is_due { self.contexts.pop() } else { None };
        first.map(|Reverse((_, number))| number)
    }

    fn memory(&mut self) -> Option<&mut Memory> {
        None
    }

    fn access(&mut self, now: u64, warp: u8, entry: u8) {
        self.sent.accesses.push((now, self.kernel, warp, entry));
    }

    fn performs(&mut self, now: u64, page: u64, line: u64) {
        if self.is_watched {
            let asid = self.kernel as u8;
            let page = Page { vpn: page, asid };
            self.sent
                .translated
                .push((now, page, line >> PAGE_LINE_BITS));
        }
    }

    fn settles(&mut self, now: u64, invalidations: usize) {
        let due = now + self.translation;
        self.sent.settled.extend((0..invalidations).map(|_| due));
    }

    fn access_cycles(&self) -> u64 {
        self.fastest
    }

    fn next_block(&mut self, now: u64) -> Option<ThreadBlock> {
        let supply = &mut self.supplies[self.kernel];
        let next = first_if(&mut supply.blocks, |first| first.0 <= now);
        if next.is_none() && !supply.waits && supply.last > now {
            supply.waits = true;
            self.sent.rooms.push((now, self.kernel));
        }
        supply.waits &= next.is_none();
        next.map(|(_, block)| block)
    }

    fn has_blocks(&self, now: u64) -> bool {
        let supply = &self.supplies[self.kernel];
        !supply.blocks.is_empty() || supply.last > now
    }

    fn turn_to(&mut self, kernel: u8) {
        self.kernel = kernel.into();
    }

    fn misses(&self) -> Misses {
        self.misses
    }
}
