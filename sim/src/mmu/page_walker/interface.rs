//! Sizes and ports of the page walker.

use crate::ports;

/// Requesters of the largest configuration: 16 SMs and their far-fault MSHRs.
pub const MOST_REQUESTERS: usize = 17;

/// A value for each requester.
pub type Each = [u64; MOST_REQUESTERS];

/// The sizes of a walker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Requesters.
    pub requesters: usize,
    /// Walks at once, a power of two.
    pub walks: usize,
    /// Requests that wait in front of the walks, a power of two: 2 where requesters take turns, more where they are
    /// served in the order in which they came.
    pub waiting: usize,
    /// Levels of tables, 4 or 5.
    pub levels: u8,
    /// Bits of an address space.
    pub space_bits: usize,
    /// Bits of a frame number, at most 40.
    pub frame_bits: usize,
    /// The walker sets accessed and dirty bits.
    pub updates: bool,
}

impl Parameters {
    /// 16 SMs that take turns, tables of 4 levels whose accessed and dirty bits are left to software.
    #[must_use]
    pub const fn with_walks(walks: usize) -> Self {
        Self {
            requesters: 16,
            walks,
            waiting: 2,
            levels: 4,
            space_bits: 8,
            frame_bits: 28,
            updates: false,
        }
    }

    /// Bits of a walk's number.
    #[must_use]
    pub const fn walk_bits(&self) -> usize {
        self.walks.ilog2() as usize
    }
}

/// Bits of an address above those inside a page of 4 KB.
pub const PAGE_BITS: usize = 52;

ports! {
    /// What goes into a walker in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Ends all walks and forgets them.
        reset: bool = 1,
        /// A requester asks for a walk.
        request_valid: Each = (parameters.requesters, 1),
        /// Its page: bits 63 to 12 of an address.
        request_page: Each = (parameters.requesters, PAGE_BITS),
        /// Its address space.
        request_space: Each = (parameters.requesters, parameters.space_bits),
        /// It is to be written.
        request_write: Each = (parameters.requesters, 1),
        /// It is to be executed.
        request_execute: Each = (parameters.requesters, 1),
        /// A user does it.
        request_user: Each = (parameters.requesters, 1),
        /// The answer is taken.
        answer_ready: bool = 1,
        /// The memory request is taken.
        memory_ready: bool = 1,
        /// Memory answers,
        response_valid: bool = 1,
        /// a request of this walk,
        response_walk: u8 = parameters.walk_bits(),
        /// with this word; of an update, with the word before it.
        response_data: u64 = 64,
        /// There is no such word.
        response_error: bool = 1,
        /// The word to update was not as expected, and was left alone.
        response_changed: bool = 1,
        /// It is what was kept of the word, and memory was not asked.
        response_kept: bool = 1,
        /// A root is written,
        root_valid: bool = 1,
        /// that of this space:
        root_space: u8 = parameters.space_bits,
        /// the frame of its first table.
        root_frame: u64 = parameters.frame_bits,
        /// What has been read of tables is to be forgotten,
        invalidate_valid: bool = 1,
        /// of this space,
        invalidate_space: u8 = parameters.space_bits,
        /// or of all.
        invalidate_all: bool = 1,
        /// Bits 51 to 32 of an entry that are above the physical address: MAXPHYADDR, at most 12 more than `frame_bits`.
        reserved_bits: u32 = 20,
        /// Pages may be execute-disabled: IA32_EFER.NXE.
        execute_disable: bool = 1,
        /// The last frame of memory.
        last_frame: u64 = parameters.frame_bits,
        /// A request that is not a user's joins no walk.
        alone: bool = 1,
    }
}

ports! {
    /// What a walker shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// A requester's request is accepted.
        request_ready: Each = (parameters.requesters, 1),
        /// A walk has ended:
        answer_valid: bool = 1,
        /// of these requesters,
        answer_requesters: Each = (parameters.requesters, 1),
        /// of this page,
        answer_page: u64 = PAGE_BITS,
        /// in this space,
        answer_space: u8 = parameters.space_bits,
        /// for a write,
        answer_write: bool = 1,
        /// to execute,
        answer_execute: bool = 1,
        /// for a user.
        answer_user: bool = 1,
        /// Why there is no translation, or 0.
        answer_cause: u8 = 3,
        /// The error code of a page fault.
        answer_code: u8 = 5,
        /// The level of the entry that maps the page, or is to blame.
        answer_level: u8 = 3,
        /// The frame of this page.
        answer_frame: u64 = parameters.frame_bits,
        /// A read would have found the page.
        answer_readable: bool = 1,
        /// It may be written.
        answer_writable: bool = 1,
        /// Users may access it.
        answer_user_page: bool = 1,
        /// It may be executed.
        answer_executable: bool = 1,
        /// Its dirty bit is clear.
        answer_clean: bool = 1,
        /// A word of memory is wanted,
        memory_valid: bool = 1,
        /// by this walk,
        memory_walk: u8 = parameters.walk_bits(),
        /// the one with this number,
        memory_word: u64 = parameters.frame_bits + 9,
        /// an entry of this level.
        memory_level: u8 = 3,
        /// Its accessed bit is to be set, in one step, if it is as expected but for its accessed and dirty bits,
        memory_update: bool = 1,
        /// and its dirty bit too.
        memory_dirty: bool = 1,
        /// What is expected.
        memory_expected: u64 = 64,
        /// It is to be asked of memory, whatever is kept of it.
        memory_anew: bool = 1,
        /// The invalidation is done.
        invalidate_ready: bool = 1,
    }
}
