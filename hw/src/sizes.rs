//! The blocks of the GMMU, and the scheduler of an SM, at the papers' widths: what is left to choose is how much they hold.

use crate::mmu::far_fault_mshr::FarFaultMshr;
use crate::mmu::fault_buffer::FaultBuffer;
use crate::mmu::l2_tlb::L2Tlb;
use crate::mmu::page_walk_cache::PageWalkCache;
use crate::mmu::page_walker::PageWalker;
use crate::params::{
    BEAT_COUNT_BITS, BEAT_WORDS, BLOCK_BITS, CHECK_POLYNOMIAL, CONTEXT_BITS, CONTEXT_PAIRS,
    CONTEXTS, COUNT_BITS, EPOCH_BITS, FAR_FAULT_BITS, FILTER_BITS, FILTER_COUNT_BITS, FRAME_BITS,
    IN_FLIGHT_BITS, L2_TLB_PAIRS, L2_TLB_WAYS, LANES, LENGTH_BITS, LEVEL_BITS, LISTED_ROWS,
    LISTED_WORDS, LOG_COUNT_BITS, MSHR_COUNT_BITS, OPERAND_BITS, PAGE_BITS, PC_BITS, PLACE_BITS,
    QUEUE_COUNT_BITS, QUEUE_ENTRIES, REGION_BITS, RESIDENCE_BITS, RING_BITS, ROW_BITS,
    ROW_GROUP_BITS, SECTOR_BITS, SECTORS, SHARED_BITS, SLOT_BITS, SLOTS, SM_BITS, SMS, SPACE_BITS,
    STATE_BITS, TABLE_BITS, TIME_BITS, WARP_BITS, WORD_BITS,
};
use crate::preempt::checkpoint::Checkpoint;
use crate::sm::block_scheduler::BlockScheduler;

/// The TLB of all SMs, with sets of `I`-bit numbers.
pub type SharedTlb<const I: usize, const C: usize, const X: usize, const T: usize, const R: usize> =
    L2Tlb<
        SMS,
        SM_BITS,
        I,
        C,
        L2_TLB_WAYS,
        L2_TLB_PAIRS,
        X,
        PAGE_BITS,
        T,
        SPACE_BITS,
        FRAME_BITS,
        R,
        LEVEL_BITS,
    >;

/// A walker of tables of 4 levels, for `N` requesters with `J`-bit numbers: `T` walks with `I`-bit numbers, and `Q`
/// requests with `K`-bit numbers in front of them.
pub type Walker<
    const N: usize,
    const J: usize,
    const T: usize,
    const I: usize,
    const Q: usize,
    const K: usize,
    const E: usize,
> = PageWalker<N, J, T, I, Q, K, PAGE_BITS, SPACE_BITS, FRAME_BITS, WORD_BITS, E>;

/// A page-walk cache for `T` walks with `I`-bit numbers, in sets of 4 ways with `N`-bit numbers.
pub type WalkCache<
    const T: usize,
    const I: usize,
    const N: usize,
    const D: usize,
    const G: usize,
    const E: usize,
> = PageWalkCache<T, I, WORD_BITS, TABLE_BITS, N, 4, 2, D, G, E>;

/// The far-fault MSHRs of a GPU.
pub type FarFaultMshrs<
    const E: usize,
    const I: usize,
    const O: usize,
    const W: usize,
    const K: usize,
> = FarFaultMshr<E, I, O, PAGE_BITS, SPACE_BITS, W, SMS, FAR_FAULT_BITS, K, REGION_BITS>;

/// The fault buffer of a GPU with 64 far-fault MSHRs.
pub type PaperFaultBuffer = FaultBuffer<
    SMS,
    SM_BITS,
    PAGE_BITS,
    SPACE_BITS,
    6,
    7,
    RING_BITS,
    FRAME_BITS,
    WORD_BITS,
    LANES,
    PC_BITS,
    FILTER_BITS,
    FILTER_COUNT_BITS,
    51,
    COUNT_BITS,
    TIME_BITS,
    IN_FLIGHT_BITS,
>;

/// The local scheduler of an SM, which follows `E` pages.
pub type LocalScheduler<const E: usize> = BlockScheduler<
    SLOTS,
    SLOT_BITS,
    5,
    CONTEXTS,
    CONTEXT_BITS,
    CONTEXT_PAIRS,
    E,
    PAGE_BITS,
    SPACE_BITS,
    MSHR_COUNT_BITS,
    RESIDENCE_BITS,
>;

/// The checkpoint engine of an SM with 256 KB of registers, 96 KB of shared memory and 64 warps.
pub type CheckpointEngine = Checkpoint<
    BEAT_WORDS,
    32,
    BLOCK_BITS,
    LENGTH_BITS,
    EPOCH_BITS,
    BEAT_COUNT_BITS,
    CHECK_POLYNOMIAL,
    ROW_BITS,
    { ROW_BITS - ROW_GROUP_BITS },
    LISTED_ROWS,
    LISTED_WORDS,
    SECTORS,
    SECTOR_BITS,
    LANES,
    WARP_BITS,
    STATE_BITS,
    SHARED_BITS,
    OPERAND_BITS,
    LOG_COUNT_BITS,
    QUEUE_ENTRIES,
    QUEUE_COUNT_BITS,
    PLACE_BITS,
>;
