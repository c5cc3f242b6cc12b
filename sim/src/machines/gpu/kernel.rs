//! The kernels of a GPU: one, and a second one that is launched while that runs.

use super::super::sm::{Preemption, ThreadBlocks, Work};
use super::pager::Accessed;
use super::parameters::REGION_BITS;
use crate::page::Page;
use crate::simt::Memory;

/// The launch of a second kernel while the first one runs. It preempts every SM, and has an address space of its own.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'work> {
    /// The kernel.
    pub work: &'work Work,
    /// The cycle in which it is launched.
    pub at: u64,
    /// How each SM makes room for it.
    pub preemption: Preemption,
}

/// A kernel that the GPU runs.
#[derive(Clone, Debug)]
pub struct Kernel<'work> {
    /// Its address space, whose number is its own.
    asid: u8,
    pub work: &'work Work,
    /// Global memory, if values are computed.
    pub memory: Memory,
    /// Thread blocks that were not dispatched.
    pub blocks: ThreadBlocks<'work>,
}

impl<'work> Kernel<'work> {
    pub fn new(asid: u8, work: &'work Work, has_values: bool) -> Self {
        let computation = work.computation.as_ref().filter(|_| has_values);
        Self {
            asid,
            work,
            memory: computation.map_or_else(Memory::new, |values| values.memory.clone()),
            blocks: work.thread_blocks(),
        }
    }

    /// Its pages of these numbers.
    fn pages_of(&self, numbers: impl Iterator<Item = u64>) -> impl Iterator<Item = Page> {
        let asid = self.asid;
        numbers.map(move |vpn| Page { vpn, asid })
    }

    /// What it accesses, by parts whose pages have numbers of so many bits in it.
    pub fn accessed(&self, page_bits: u32) -> Accessed {
        Accessed {
            space: self.work.space.clone(),
            pages: self.work.pages().iter().copied().collect(),
            most: self.work.most_parts(page_bits),
        }
    }

    /// The pages that it accesses, in the order in which the oracle does so first.
    pub fn first_touched(&self) -> impl Iterator<Item = Page> {
        self.pages_of(self.work.first_touched().iter().copied())
    }

    /// The pages that it accesses.
    pub fn pages(&self) -> impl Iterator<Item = Page> {
        self.pages_of(self.work.pages().iter().copied())
    }

    /// The pages that the CPU has written: what a program finds in memory, or what was copied before a trace.
    pub fn written(&self) -> impl Iterator<Item = Page> {
        let computation = self.work.computation.iter();
        let found = computation.flat_map(|computation| computation.memory.pages());
        self.pages_of(found.chain(self.work.copied_pages(1 << REGION_BITS)))
    }
}
