//! What an SM is connected to: its ends of the links to the GMMU, to the L2 cache and to the dispatcher.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::super::sm::{Below, Misses, Request};
use crate::simt::Memory;
use crate::sm::l1_tlb::Inputs;

/// Walks on their way to the GMMU at most.
const WALKS: usize = 8;

/// A walk on its way to the GMMU.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// When it is there.
    pub due: u64,
    pub vpn: u64,
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

/// The SM's ends of its links. The shared parts take what is due, and put in what is to come.
#[derive(Clone, Debug)]
pub struct Port {
    crossbar: u64,
    translation: u64,
    pub walks: VecDeque<Walk>,
    pub translations: VecDeque<Translation>,
    /// Requests of lines, with the time at which they leave the SM.
    pub requests: Vec<(u64, Request)>,
    /// Requests that are answered, and when.
    pub answers: BinaryHeap<Reverse<(u64, u32)>>,
    /// Lent for the cycle of the SM.
    pub memory: Memory,
    /// Thread blocks that were dispatched to this SM.
    pub blocks: VecDeque<usize>,
    /// It has a free slot and no block.
    pub has_room: bool,
    /// All thread blocks were dispatched.
    pub is_last: bool,
    misses: Misses,
}

impl Port {
    pub fn new(crossbar: u64, translation: u64) -> Self {
        Self {
            crossbar,
            translation,
            walks: VecDeque::new(),
            translations: VecDeque::new(),
            requests: Vec::new(),
            answers: BinaryHeap::new(),
            memory: Memory::new(),
            blocks: VecDeque::new(),
            has_room: false,
            is_last: false,
            misses: Misses::default(),
        }
    }
}

impl Below for Port {
    fn translations(&mut self, now: u64, inputs: &mut Inputs) -> u16 {
        inputs.walk_ready = self.walks.len() < WALKS;
        (inputs.fill_valid, inputs.resolve_valid) = (false, false);
        inputs.invalidate_valid = false;
        let is_due = self
            .translations
            .front()
            .is_some_and(|first| first.due <= now);
        let first = if is_due {
            self.translations.pop_front()
        } else {
            None
        };
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

    fn walk(&mut self, now: u64, vpn: u64, write: bool) {
        let due = now + self.translation;
        self.walks.push_back(Walk { due, vpn, write });
    }

    fn request(&mut self, at: u64, request: Request) -> Option<u64> {
        self.misses.lines += 1;
        self.requests.push((at + self.crossbar, request));
        None
    }

    fn arrived(&mut self, now: u64) -> Option<u32> {
        let is_due = self.answers.peek().is_some_and(|first| first.0.0 <= now);
        let first = if is_due { self.answers.pop() } else { None };
        first.map(|Reverse((_, id))| id)
    }

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn next_block(&mut self) -> Option<usize> {
        let next = self.blocks.pop_front();
        self.has_room |= next.is_none();
        next
    }

    fn has_blocks(&self) -> bool {
        !self.blocks.is_empty() || !self.is_last
    }

    fn misses(&self) -> Misses {
        self.misses
    }
}
