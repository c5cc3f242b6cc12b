//! The blocks of the GMMU, and the scheduler of an SM, at the papers' widths: what is left to choose is how much they hold.

use crate::mmu::far_fault_mshr::FarFaultMshr;
use crate::mmu::fault_buffer::FaultBuffer;
use crate::mmu::l2_tlb::L2Tlb;
use crate::mmu::page_walk_cache::PageWalkCache;
use crate::mmu::page_walker::PageWalker;
use crate::params::{
    ASID_BITS, BEAT_COUNT_BITS, BEAT_WORDS, BLOCK_BITS, CHECK_POLYNOMIAL, CONTEXT_BITS,
    CONTEXT_PAIRS, CONTEXTS, COUNT_BITS, EPOCH_BITS, FAR_FAULT_BITS, FILTER_BITS,
    FILTER_COUNT_BITS, IN_FLIGHT_BITS, L2_TLB_PAIRS, L2_TLB_WAYS, LANES, LENGTH_BITS, LEVEL_BITS,
    LISTED_ROWS, LISTED_WORDS, LOG_COUNT_BITS, MSHR_COUNT_BITS, OPERAND_BITS, PC_BITS, PFN_BITS,
    PLACE_BITS, QUEUE_COUNT_BITS, QUEUE_ENTRIES, REGION_BITS, RESIDENCE_BITS, RING_BITS, ROW_BITS,
    ROW_GROUP_BITS, SECTOR_BITS, SECTORS, SHARED_BITS, SLOT_BITS, SLOTS, SM_BITS, SMS, STATE_BITS,
    TABLE_BITS, TIME_BITS, VPN_BITS, WARP_BITS, WORD_BITS,
};
use crate::preempt::checkpoint::Checkpoint;
use crate::sm::block_scheduler::BlockScheduler;

/// The TLB of all SMs, with set numbers of `SET` bits.
pub type SharedTlb<
    const SET: usize,
    const SET_COUNT: usize,
    const ENTRY: usize,
    const TAG: usize,
    const TAG_WORD: usize,
> = L2Tlb<
    SMS,
    SM_BITS,
    SET,
    SET_COUNT,
    L2_TLB_WAYS,
    L2_TLB_PAIRS,
    ENTRY,
    VPN_BITS,
    TAG,
    ASID_BITS,
    PFN_BITS,
    TAG_WORD,
    LEVEL_BITS,
>;

/// A walker of tables of 4 levels, for `REQUESTERS` requesters with numbers of `REQUESTER` bits: `WALKS` walks with numbers of
/// `WALK` bits, and in front of them `REQUESTS` requests with numbers of `REQUEST` bits.
pub type Walker<
    const REQUESTERS: usize,
    const REQUESTER: usize,
    const WALKS: usize,
    const WALK: usize,
    const REQUESTS: usize,
    const REQUEST: usize,
    const ENTRY: usize,
> = PageWalker<
    REQUESTERS,
    REQUESTER,
    WALKS,
    WALK,
    REQUESTS,
    REQUEST,
    VPN_BITS,
    ASID_BITS,
    PFN_BITS,
    WORD_BITS,
    ENTRY,
>;

/// A page-walk cache for `WALKS` walks with numbers of `WALK` bits, in sets of 4 ways, with set numbers of `SET` bits.
pub type WalkCache<
    const WALKS: usize,
    const WALK: usize,
    const SET: usize,
    const ENTRY: usize,
    const TAG: usize,
    const TAG_WORD: usize,
> = PageWalkCache<WALKS, WALK, WORD_BITS, TABLE_BITS, SET, 4, 2, ENTRY, TAG, TAG_WORD>;

/// The far-fault MSHRs of a GPU.
pub type FarFaultMshrs<
    const ENTRIES: usize,
    const INDEX: usize,
    const COUNT: usize,
    const NAME: usize,
    const SM_COUNT: usize,
> = FarFaultMshr<
    ENTRIES,
    INDEX,
    COUNT,
    VPN_BITS,
    ASID_BITS,
    NAME,
    SMS,
    FAR_FAULT_BITS,
    SM_COUNT,
    REGION_BITS,
>;

/// The fault buffer of a GPU with 64 far-fault MSHRs.
pub type PaperFaultBuffer = FaultBuffer<
    SMS,
    SM_BITS,
    VPN_BITS,
    ASID_BITS,
    6,
    7,
    RING_BITS,
    PFN_BITS,
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

/// The local scheduler of an SM, which follows `PAGES` pages.
pub type LocalScheduler<const PAGES: usize> = BlockScheduler<
    SLOTS,
    SLOT_BITS,
    5,
    CONTEXTS,
    CONTEXT_BITS,
    CONTEXT_PAIRS,
    PAGES,
    VPN_BITS,
    ASID_BITS,
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
