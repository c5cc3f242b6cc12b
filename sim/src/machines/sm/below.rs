//! What an SM is connected to below its L1 TLB and its L1 cache.

use super::outcome::Misses;
use super::work::{Kind, ThreadBlock};
use crate::page::Page;
use crate::simt::Memory;
use crate::sm::l1_tlb;
use crate::sm::sm_pipeline::Class;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// Reads a line.
    Load,
    /// Writes through the L1 cache, which does not keep the line for it.
    Store,
    /// Changes it in the L2 cache.
    Atomic,
    /// Writes a line of a context to DRAM, past the L2 cache.
    Save,
    /// Reads a line of a context from there.
    Restore,
}

impl Use {
    /// What a global-memory instruction of this class and kind does.
    #[must_use]
    pub const fn of(class: Class, kind: Kind) -> Self {
        match (class, kind) {
            (_, Kind::Atomic) => Self::Atomic,
            (Class::Store, _) => Self::Store,
            _ => Self::Load,
        }
    }

    /// Whether it is a context's.
    #[must_use]
    pub const fn is_of_context(self) -> bool {
        matches!(self, Self::Save | Self::Restore)
    }
}

/// The bit of a request's number that says that it is for a line of a context.
pub const CONTEXT: u32 = 1 << 31;

/// A line that is requested of the L2 cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its number: its physical address without the bits inside a line of 128 B.
    pub line: u64,
    /// What is done with it.
    pub how: Use,
    /// What its answer comes with; a store has none.
    pub id: u32,
}

/// What an SM is connected to: the GMMU, the L2 cache, global memory, and the dispatcher of thread blocks.
pub trait Below {
    /// What the L1 TLB receives in this cycle: whether its walk is taken, an answer, and a resolved far fault. The rest of
    /// `inputs` stands. It returns the place of the answer's far fault in the queue of faults, 0 if there is none.
    fn translations(&mut self, now: u64, inputs: &mut l1_tlb::Inputs) -> u16;
    /// A walk that was taken.
    fn walk(&mut self, now: u64, page: Page, write: bool);
    /// Requests a line at a time, which may have passed or be to come. It says when the line comes if that is known;
    /// otherwise [`Below::arrived`] says it.
    fn request(&mut self, at: u64, request: Request) -> Option<u64>;
    /// Whether the L1 cache may keep a line.
    fn caches(&self, _line: u64) -> bool {
        true
    }
    /// The next request whose line has come.
    fn arrived(&mut self, now: u64) -> Option<u32>;
    /// The number of the next line of a context that has come, or been written.
    fn arrived_of_context(&mut self, _now: u64) -> Option<u32> {
        None
    }
    /// Global memory, if it is the SM's own. Otherwise its owner performs what [`Below::access`] notes.
    fn memory(&mut self) -> Option<&mut Memory>;
    /// The instruction of a warp's entry accesses global memory now. It finds what it reads there before it commits.
    fn access(&mut self, now: u64, warp: u8, entry: u8);
    /// An access of a line is performed now: its page, and its number by its physical address.
    fn performs(&mut self, _now: u64, _page: u64, _line: u64) {}
    /// No line with a translation from before so many invalidations is still to leave.
    fn settles(&mut self, _now: u64, _invalidations: usize) {}
    /// Cycles from an access of global memory to its end, at least.
    fn access_cycles(&self) -> u64;
    /// The next thread block for a slot that is free; none if none is there yet, or at all.
    fn next_block(&mut self, now: u64) -> Option<ThreadBlock>;
    /// Whether thread blocks may still come.
    fn has_blocks(&self, now: u64) -> bool;
    /// The SM runs thread blocks of the kernel of this number from now on.
    fn turn_to(&mut self, _kernel: u8) {}
    /// The lines that were requested, and what they waited.
    fn misses(&self) -> Misses;
}
