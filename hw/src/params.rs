//! Sizes, written once, with the paper's value and place.

use rust_hdl::prelude::LiteralType;

/// Registers of 128 B, one of 32 bits for each lane of a warp, in an SM's register file (Tanasic et al., MICRO-50, Table 1,
/// and Li et al., TCAD: 256 KB), as bits of a row's number.
pub const ROW_BITS: usize = 11;
/// Rows by which registers are allocated to warps, as bits of a number: NVIDIA's occupancy tables give a warp registers of
/// 32 bits by 256 (compute capability 3.0 and later).
pub const ROW_GROUP_BITS: usize = 3;
/// Lanes of a warp (Tanasic et al., MICRO-50, Table 1).
pub const LANES: usize = 32;
/// Warps of an SM (Table 1: 64), as bits of a warp number.
pub const WARP_BITS: usize = 6;
/// Warps of an SM.
pub const SM_WARPS: usize = 1 << WARP_BITS;
/// Thread blocks of an SM (Table 1: 16), as bits of a slot number.
pub const SLOT_BITS: usize = 4;
/// Thread-block slots of an SM.
pub const SLOTS: usize = 1 << SLOT_BITS;
/// Bits of a register number; register 255 is the zero register of NVIDIA's instruction sets.
pub const REGISTER_BITS: usize = 8;
/// Entries of the largest operand log, 32 KB of 256 B (§5.2), as bits of an entry number.
pub const LOG_ENTRY_BITS: usize = 7;
/// Words of 32 bits in a log entry: an 8-byte address or datum for each lane (§5.2).
pub const LOG_WORDS: usize = LANES * 2;
/// Banks of the operand log: one lane each.
pub const LOG_BANKS: usize = 32;
/// Bits of an age in the replay queue: an instruction may be outlived by 2^6 - 1 younger ones of its warp, as many as
/// warps fit the SM; then the warp's issue waits.
pub const AGE_BITS: usize = 6;
/// Bits of a line number: a line has 128 B (Table 1), a virtual address 48 bits.
pub const LINE_BITS: usize = 41;
/// Low bits of a line number that are inside a page of 4 KB (Table 1).
pub const PAGE_LINE_BITS: usize = 5;
/// Lines of a page of 4 KB.
pub const PAGE_LINES: usize = 1 << PAGE_LINE_BITS;
/// Bits of a page number: a page has 4 KB (Table 1), a virtual address 48 bits.
pub const VPN_BITS: usize = 36;
/// Bits of a frame number: physical addresses of 40 bits.
pub const PFN_BITS: usize = 28;
/// Bits of a line's number in physical memory.
pub const PHYSICAL_LINE_BITS: usize = PFN_BITS + PAGE_LINE_BITS;
/// Bits of the number of a word of 64 bits in them.
pub const WORD_BITS: usize = PFN_BITS + TABLE_BITS;
/// Bits of the number of an entry of a page table: 512 of 64 bits fill a frame.
pub const TABLE_BITS: usize = 9;
/// Bits of the number of an address space.
pub const ASID_BITS: usize = 8;
/// Bits by which the load/store unit tells its TLB checks apart; the TLB gives them back.
pub const CHECK_TAG_BITS: usize = 8;
/// Sets of the L1 TLB (Table 1: 32 entries, 8-way), as bits of a set number.
pub const L1_TLB_SET_BITS: usize = 2;
/// Sets of the L1 TLB.
pub const L1_TLB_SETS: usize = 1 << L1_TLB_SET_BITS;
/// Ways of the L1 TLB (Table 1: 8).
pub const L1_TLB_WAYS: usize = 8;
/// Pairs of ways of a set: a bit of each says which was used last.
pub const L1_TLB_PAIRS: usize = L1_TLB_WAYS * (L1_TLB_WAYS - 1) / 2;
/// Bits of a page number above those of its set.
pub const L1_TLB_TAG_BITS: usize = VPN_BITS - L1_TLB_SET_BITS;
/// Pages for which the L1 TLB waits at once, as bits of a number. No paper says how many. Four far faults an SM are
/// enough (Zheng et al., HPCA 2016, section 3.2); as many again are for misses that are no faults.
pub const L1_TLB_MISS_BITS: usize = 3;
/// Pages for which the L1 TLB waits at once.
pub const L1_TLB_MISSES: usize = 1 << L1_TLB_MISS_BITS;
/// Bits of a count of them.
pub const L1_TLB_MISS_COUNT_BITS: usize = L1_TLB_MISS_BITS + 1;
/// Pairs of them: a bit of each says which was missed last.
pub const L1_TLB_MISS_PAIRS: usize = L1_TLB_MISSES * (L1_TLB_MISSES - 1) / 2;
/// Instructions that may finish in a cycle: one of each unit (Table 1: 2 math, 1 special function, 1 branch, 1 load/store),
/// and one that is squashed.
pub const FINISHES: usize = 6;
/// Instructions of a warp that are buffered or in flight.
pub const SCOREBOARD_ENTRIES: usize = 8;
/// Bits of their numbers.
pub const ENTRY_BITS: usize = 3;
/// Bits of an instruction's class.
pub const CLASS_BITS: usize = 3;
/// Bits of an opcode: with one more, which tells a store, it fits the replay queue.
pub const OPCODE_BITS: usize = 7;
/// Memory instructions between operand read and the memory unit: one that arrives and one that leaves in a cycle, one that is
/// in operand read, and one more, so that a warp is chosen while another one takes a place.
pub const MEMORY_PLACES: usize = 4;
/// Instructions that are fetched, and issued, in a cycle (Table 1: 2 from 1 or 2 warps).
pub const WIDTH: usize = 2;
/// What the two issue ports may both want, and only one can have: the unit for special functions, control, memory, and memory
/// with a place in the replay queue.
pub const CONTESTS: usize = 4;
/// Units that finish instructions: two for mathematics, special functions, control, memory (Table 1).
pub const UNITS: usize = FINISHES - 1;
/// SMs of the GPU (Tanasic et al., MICRO-50, Table 1: 16), as bits of an SM's number.
pub const SM_BITS: usize = 4;
/// SMs of the GPU.
pub const SMS: usize = 1 << SM_BITS;
/// Requesters of a GMMU's page walker: the SMs and the far-fault MSHRs.
pub const REQUESTERS: usize = SMS + 1;
/// Bits of their numbers.
pub const REQUESTER_BITS: usize = SM_BITS + 1;
/// Bits of the number of a far-fault MSHR: 4 for each SM (Zheng et al., HPCA 2016, section 3.2).
pub const MSHR_BITS: usize = 6;
/// Bits of a count of them, and of a place in their queue.
pub const MSHR_COUNT_BITS: usize = MSHR_BITS + 1;
/// Bits of a count of an SM's far faults: 4 are enough (Zheng et al., HPCA 2016, section 3.2), and a real micro-TLB has had 56.
pub const FAR_FAULT_BITS: usize = 7;
/// The engine that a record names: NVIDIA's graphics engine up to Ada; from Hopper on it is 384.
pub const ENGINE: u64 = 64;
/// SMs of a GPC have numbers of so many bits.
pub const GPC_SM_BITS: usize = 3;
/// Bits of a page number inside the region by which faults are handled: 64 KB (Tanasic, section 5).
pub const REGION_BITS: usize = 4;
/// Ways of the L2 TLB (Tanasic, Table 1: 1,024 entries, 8-way).
pub const L2_TLB_WAYS: usize = 8;
/// Pairs of them: a bit of each says which was used last.
pub const L2_TLB_PAIRS: usize = L2_TLB_WAYS * (L2_TLB_WAYS - 1) / 2;
/// Bits of a page number that one level of the tables translates (Intel SDM, volume 3A, 4.5).
pub const LEVEL_BITS: usize = 9;
/// Bits of the number of a record in the fault buffer, more than any driver's ring has (NVIDIA: 32,768 records).
pub const RING_BITS: usize = 16;
/// Records that a fault is compared with, as bits of a number.
pub const FILTER_BITS: usize = 3;
/// Bits of a count of them.
pub const FILTER_COUNT_BITS: usize = FILTER_BITS + 1;
/// Bits that count the words of records that memory has taken and not acknowledged.
pub const IN_FLIGHT_BITS: usize = 6;
/// Bits of the fault buffer's counters, and of a sequence number.
pub const COUNT_BITS: usize = 32;
/// Bits of the time in a record (NVIDIA's packet: 64).
pub const TIME_BITS: usize = 64;
/// Bits of a PC: a virtual address.
pub const PC_BITS: usize = 48;
/// Cycles of a tick, in which the time of a thread block is counted, as bits of a number: 16, or 13 ns at 1,216 MHz.
pub const TICK_BITS: usize = 4;
/// Bits of a thread block's time in ticks, and of the number of its instructions: 14 ms at 1,216 MHz, and a million. The
/// longest block of Li et al., TCAD, Table I, takes 985 us.
pub const BLOCK_TIME_BITS: usize = 20;
/// Contexts of thread blocks in memory: one for each extra block that an SM may have (Tanasic et al., MICRO-50, section 4.1:
/// 4), and one more, for a block that is exchanged.
pub const CONTEXTS: usize = 5;
/// Bits of a context's number, and of a count of contexts.
pub const CONTEXT_BITS: usize = 3;
/// Pairs of contexts: a bit of each says which was left last.
pub const CONTEXT_PAIRS: usize = CONTEXTS * (CONTEXTS - 1) / 2;
/// Bits of the cycles for which a thread block stays on its SM: 54 us at 1,216 MHz. The longest fault of Tanasic et al.,
/// section 5.3, takes 25 us.
pub const RESIDENCE_BITS: usize = 16;
/// Words of 32 bits in a beat of a context: 32 B move in a cycle.
pub const BEAT_WORDS: usize = 8;
/// Bits of the number of a thread block in its grid, as a context carries them: with a kind and a length a word.
pub const BLOCK_BITS: usize = 16;
/// Bits of the number of beats behind a header: 256 KB, a whole register file (Li et al., TCAD, Table II).
pub const LENGTH_BITS: usize = 13;
/// Bits that tell the contexts of a block from each other.
pub const EPOCH_BITS: usize = 8;
/// Bits of a count of beats: 2 MB.
pub const BEAT_COUNT_BITS: usize = 16;
/// A primitive polynomial of degree 32 without its highest term: x^32 + x^22 + x^2 + x + 1.
pub const CHECK_POLYNOMIAL: usize = 0x40_0007;
/// Rows that a header of a context names, two in each word but its first.
pub const LISTED_ROWS: usize = 2 * LISTED_WORDS;
/// Words of a header that name rows.
pub const LISTED_WORDS: usize = BEAT_WORDS - 1;
/// Sectors of a row: a beat each.
pub const SECTORS: usize = 1 << SECTOR_BITS;
/// Bits of the number of a sector.
pub const SECTOR_BITS: usize = 2;
/// Bits of the number of a beat of a warp's SIMT state: 256 B, a PC and mask for each of 21 groups of lanes.
pub const STATE_BITS: usize = 3;
/// Bits of the number of a beat in shared memory (Li et al., TCAD, Table II: 96 KB).
pub const SHARED_BITS: usize = 12;
/// Bits of the number of a beat of an operand: 256 B.
pub const OPERAND_BITS: usize = 3;
/// Entries of the replay queue of an SM whose blocks leave and come back.
pub const QUEUE_ENTRIES: usize = 64;
/// Bits of a count of them.
pub const QUEUE_COUNT_BITS: usize = 7;
/// Bits of a count of log entries.
pub const LOG_COUNT_BITS: usize = LOG_ENTRY_BITS + 1;
/// Bits of the place of a beat: in the register file.
pub const PLACE_BITS: usize = ROW_BITS + SECTOR_BITS;

/// A number of so many ones.
#[must_use]
pub const fn ones(bits: usize) -> LiteralType {
    (u64::MAX >> (64 - bits)) as LiteralType
}
