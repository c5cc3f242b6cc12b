//! Sizes and ports of the GMMU.

use crate::mmu::l2_tlb::Each;
use crate::mmu::{far_fault_mshr, fault_buffer, l2_tlb, page_walk_cache, page_walker};
use crate::ports;

/// The sizes of a GMMU: those of its blocks, which must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The TLB of all SMs.
    pub tlb: l2_tlb::Parameters,
    /// The walker, with a requester for each SM and one for the far-fault MSHRs.
    pub walker: page_walker::Parameters,
    /// The cache of page-table entries.
    pub cache: page_walk_cache::Parameters,
    /// The far-fault MSHRs.
    pub mshrs: far_fault_mshr::Parameters,
    /// The fault buffer.
    pub buffer: fault_buffer::Parameters,
}

impl Parameters {
    /// 16 SMs, an L2 TLB of 1,024 entries, a page-walk cache of 8 KB, and 64 far-fault MSHRs.
    #[must_use]
    pub const fn with_walks(walks: usize) -> Self {
        let tlb = l2_tlb::Parameters::with_entries(1024);
        Self {
            tlb,
            walker: page_walker::Parameters {
                requesters: tlb.sms + 1,
                ..page_walker::Parameters::with_walks(walks)
            },
            cache: page_walk_cache::Parameters {
                walks,
                ..page_walk_cache::Parameters::with_set_bits(8)
            },
            mshrs: far_fault_mshr::Parameters::with_entries(64),
            buffer: fault_buffer::Parameters::PAPER,
        }
    }

    /// The SMs.
    #[must_use]
    pub const fn sms(&self) -> usize {
        self.tlb.sms
    }
}

ports! {
    /// What goes into a GMMU in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// An SM asks where a page is.
        request_valid: u16 = parameters.sms(),
        /// Its page number.
        request_page: Each = (parameters.sms(), parameters.tlb.page_bits),
        /// Its space.
        request_space: Each = (parameters.sms(), parameters.tlb.space_bits),
        /// It is to be written.
        request_write: u16 = parameters.sms(),
        /// The question of the fault buffer is taken.
        detail_ready: bool = 1,
        /// It is answered.
        context_valid: bool = 1,
        /// There is such an instruction.
        context_known: bool = 1,
        /// Its warp.
        context_warp: u8 = 6,
        /// Its thread-block slot.
        context_slot: u8 = 4,
        /// Its address.
        context_pc: u64 = parameters.buffer.pc_bits,
        /// Its lanes.
        context_lanes: u64 = parameters.buffer.lanes,
        /// How it will be restarted.
        context_scheme: u8 = 3,
        /// Its entry of the operand log.
        context_pointer: u8 = 7,
        /// Memory takes the request for an entry.
        memory_ready: bool = 1,
        /// Memory answers,
        response_valid: bool = 1,
        /// a request of this walk,
        response_walk: u8 = parameters.walker.walk_bits(),
        /// with this word; of an update, with the word before it.
        response_data: u64 = 64,
        /// There is no such word.
        response_error: bool = 1,
        /// The word to update was not as expected, and was left alone.
        response_changed: bool = 1,
        /// Memory takes the word of a record.
        write_ready: bool = 1,
        /// A word that it took is in memory.
        written: bool = 1,
        /// The driver writes a register.
        register_valid: bool = 1,
        /// Its number.
        register_number: u8 = 4,
        /// What it writes.
        register_data: u64 = 64,
        /// The register that it reads.
        read_number: u8 = 4,
        /// Translations are to be forgotten.
        invalidate_valid: bool = 1,
        /// Which: those of the page that contains this one (0), of this space (1), or all.
        invalidate_scope: u8 = 2,
        /// The page number.
        invalidate_page: u64 = parameters.tlb.page_bits,
        /// The space.
        invalidate_space: u8 = parameters.tlb.space_bits,
        /// A root is written,
        root_valid: bool = 1,
        /// that of this space:
        root_space: u8 = parameters.tlb.space_bits,
        /// the frame of its first table.
        root_frame: u64 = parameters.walker.frame_bits,
        /// Bits 51 to 32 of an entry that are above the physical address.
        reserved_bits: u32 = 20,
        /// Pages may be execute-disabled.
        execute_disable: bool = 1,
        /// The last frame of memory.
        last_frame: u64 = parameters.walker.frame_bits,
        /// Levels of tables whose entries are cached, 2 to 5, a bit for each.
        cached_levels: u8 = 4,
        /// The L2 TLB keeps pages.
        shared_tlb: bool = 1,
        /// Far faults that an SM may have.
        far_limit: u8 = parameters.mshrs.limit_bits,
        /// Far faults are handled by regions.
        region: bool = 1,
    }
}

ports! {
    /// What a GMMU shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// A request is accepted.
        request_ready: u16 = parameters.sms(),
        /// SMs are told of a page:
        fill_valid: u16 = parameters.sms(),
        /// each a translation (0), a denial (1), that its far fault is held (2), or that it is not (3).
        fill_kind: Each = (parameters.sms(), 3),
        /// The page number.
        fill_page: u64 = parameters.tlb.page_bits,
        /// Its space.
        fill_space: u8 = parameters.tlb.space_bits,
        /// Its frame.
        fill_frame: u32 = parameters.tlb.frame_bits,
        /// It may be written.
        fill_writable: bool = 1,
        /// Its dirty bit is clear.
        fill_clean: bool = 1,
        /// The place of a far fault in the queue.
        fill_place: u16 = parameters.mshrs.count_bits(),
        /// Far faults of these SMs are resolved.
        resolve_valid: u16 = parameters.sms(),
        /// The page number.
        resolve_page: u64 = parameters.tlb.page_bits,
        /// Its space.
        resolve_space: u8 = parameters.tlb.space_bits,
        /// All SMs forget translations,
        drop_valid: bool = 1,
        /// of this space (1), or all.
        drop_scope: u8 = 2,
        /// The space.
        drop_space: u8 = parameters.tlb.space_bits,
        /// An SM is asked for the instruction that waits for a page.
        detail_valid: bool = 1,
        /// Its number.
        detail_sm: u8 = parameters.buffer.sm_bits,
        /// The page number.
        detail_page: u64 = parameters.tlb.page_bits,
        /// Its space.
        detail_space: u8 = parameters.tlb.space_bits,
        /// An entry is wanted of memory,
        memory_valid: bool = 1,
        /// by this walk,
        memory_walk: u8 = parameters.walker.walk_bits(),
        /// the word with this number,
        memory_word: u64 = parameters.cache.word_bits,
        /// an entry of this level.
        memory_level: u8 = 3,
        /// Its accessed bit is to be set,
        memory_update: bool = 1,
        /// and its dirty bit too,
        memory_dirty: bool = 1,
        /// if this is what is there.
        memory_expected: u64 = 64,
        /// A word of a record is to be written.
        write_valid: bool = 1,
        /// Its number.
        write_address: u64 = parameters.buffer.word_bits(),
        /// The word.
        write_data: u64 = 64,
        /// The register that is read.
        read_data: u64 = 64,
        /// There is something for the driver.
        interrupts: bool = 1,
        /// What was to be forgotten is.
        invalidate_ready: bool = 1,
        /// Far faults that are held.
        held: u16 = parameters.mshrs.count_bits(),
    }
}
