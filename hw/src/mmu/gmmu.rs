#![doc = include_str!("../../../docs/blocks/gmmu.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::designs::far_fault_mshr::FarFaultMshrs;
use crate::designs::fault_buffer::PaperFaultBuffer;
use crate::designs::l2_tlb::SharedTlb;
use crate::designs::page_walk_cache::WalkCache;
use crate::designs::page_walker::Walker;
use crate::params::{
    ASID_BITS, FAR_FAULT_BITS, LANES, LOG_ENTRY_BITS, MSHR_COUNT_BITS, PC_BITS, PFN_BITS,
    REGION_BITS, REQUESTER_BITS, REQUESTERS, SLOT_BITS, SM_BITS, SMS, VPN_BITS, WARP_BITS,
    WORD_BITS, ones,
};
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

mod address;
mod dispatch;

use address::Address;
use dispatch::ResponseDispatch;

/// How far an invalidation has come.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Phase {
    /// No invalidation is under way.
    Idle,
    /// The page-walk cache is invalidated.
    Cache,
    /// The walks under way restart.
    Walker,
    /// The response register empties.
    ResponseDispatch,
    /// The L2 TLB is invalidated.
    Tlb,
    /// The SMs invalidate their L1 TLBs.
    Sms,
}

/// GMMU: L2 TLB, page walker, page-walk cache, far-fault MSHRs and fault buffer as one unit. `WALKS` walks with numbers
/// of `WALK` bits; an entry that one of them has read has a number of `ENTRY` = `WALK` + 3 bits.
#[block(top, new(updates: bool))]
pub struct Gmmu<const WALKS: usize, const WALK: usize, const ENTRY: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: invalidates every translation and drops every request, walk and fault.
    pub reset: Signal<In, Bit>,

    /// SMs that request a translation, one bit each.
    pub request_valid: [Signal<In, Bit>; SMS],
    /// Page number of each SM's request.
    pub request_vpn: [Signal<In, Bits<VPN_BITS>>; SMS],
    /// Address space of each SM's request.
    pub request_asid: [Signal<In, Bits<ASID_BITS>>; SMS],
    /// Requests whose page is to be written, one bit each.
    pub request_write: [Signal<In, Bit>; SMS],
    /// The query of the fault buffer is taken.
    pub detail_ready: Signal<In, Bit>,
    /// The query of the fault buffer is answered.
    pub context_valid: Signal<In, Bit>,
    /// The SM has an instruction that waits for the page.
    pub context_known: Signal<In, Bit>,
    /// Warp of the instruction.
    pub context_warp: Signal<In, Bits<WARP_BITS>>,
    /// Thread-block slot of the instruction.
    pub context_slot: Signal<In, Bits<SLOT_BITS>>,
    /// Address of the instruction.
    pub context_pc: Signal<In, Bits<PC_BITS>>,
    /// Lanes of the instruction.
    pub context_lanes: Signal<In, Bits<LANES>>,
    /// Scheme by which the instruction will be restarted.
    pub context_scheme: Signal<In, Bits<3>>,
    /// Operand-log entry of the instruction.
    pub context_pointer: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// Memory takes the request for an entry.
    pub memory_ready: Signal<In, Bit>,
    /// Memory answers; the response is always taken.
    pub response_valid: Signal<In, Bit>,
    /// Walk that the response is for.
    pub response_walk: Signal<In, Bits<WALK>>,
    /// Entry from memory; of an update, the entry before it.
    pub response_data: Signal<In, Bits<64>>,
    /// There is no such word in memory.
    pub response_error: Signal<In, Bit>,
    /// The update was refused, because the entry was not the expected one.
    pub response_changed: Signal<In, Bit>,
    /// Memory takes the word of a record.
    pub write_ready: Signal<In, Bit>,
    /// The oldest word without an acknowledgement is in memory.
    pub written: Signal<In, Bit>,
    /// The driver writes a register of the fault buffer; the write is always taken.
    pub register_valid: Signal<In, Bit>,
    /// Number of the register that is written.
    pub register_number: Signal<In, Bits<4>>,
    /// Value of the register that is written.
    pub register_data: Signal<In, Bits<64>>,
    /// Number of the register that is read.
    pub read_number: Signal<In, Bits<4>>,
    /// Translations are to be invalidated.
    pub invalidate_valid: Signal<In, Bit>,
    /// Scope of the invalidation: 0 the translations that contain this page, 1 those of this space, 2 or 3 all.
    pub invalidate_scope: Signal<In, Bits<2>>,
    /// Page number of the invalidation.
    pub invalidate_vpn: Signal<In, Bits<VPN_BITS>>,
    /// Address space of the invalidation.
    pub invalidate_asid: Signal<In, Bits<ASID_BITS>>,
    /// The root of a space is written; it is always taken.
    pub root_valid: Signal<In, Bit>,
    /// Address space of the root.
    pub root_asid: Signal<In, Bits<ASID_BITS>>,
    /// Frame of the space's first table.
    pub root_pfn: Signal<In, Bits<PFN_BITS>>,
    /// Bits 51 to 32 of an address that memory does not have: those from MAXPHYADDR on are 1, and MAXPHYADDR is at
    /// most 12 plus the width of `last_pfn`.
    pub reserved_bits: Signal<In, Bits<20>>,
    /// Pages may be execute-disabled (IA32_EFER.NXE).
    pub execute_disable: Signal<In, Bit>,
    /// Last frame of memory.
    pub last_pfn: Signal<In, Bits<PFN_BITS>>,
    /// Levels of tables whose entries are cached: bit 0 is level 2, bit 1 level 3, bit 2 level 4, bit 3 level 5.
    pub cached_levels: Signal<In, Bits<4>>,
    /// The L2 TLB takes the pages that walks find.
    pub shared_tlb: Signal<In, Bit>,
    /// SMs keep large pages: a translation of a page of 2 MB or 1 GB is reported as one.
    pub large_fills: Signal<In, Bit>,
    /// Far faults that an SM may have.
    pub far_limit: Signal<In, Bits<FAR_FAULT_BITS>>,
    /// Far faults are handled by regions of 64 KB.
    pub region: Signal<In, Bit>,

    /// SMs whose request is accepted, one bit each.
    pub request_ready: [Signal<Out, Bit>; SMS],
    /// SMs that receive a report on a page, one bit each.
    pub fill_valid: [Signal<Out, Bit>; SMS],
    /// Kind of each SM's report: 0 a translation, 1 a denial, 2 the far fault is held, 3 it is not held, 4 the far
    /// fault was cancelled, 5 a translation of a large page.
    pub fill_kind: [Signal<Out, Bits<3>>; SMS],
    /// Page number of the report.
    pub fill_vpn: Signal<Out, Bits<VPN_BITS>>,
    /// Address space of the report.
    pub fill_asid: Signal<Out, Bits<ASID_BITS>>,
    /// Frame of a translation.
    pub fill_pfn: Signal<Out, Bits<PFN_BITS>>,
    /// The page may be written.
    pub fill_writable: Signal<Out, Bit>,
    /// The page's dirty bit was clear, or a write has to request the page again.
    pub fill_clean: Signal<Out, Bit>,
    /// Place of the far fault in the queue.
    pub fill_place: Signal<Out, Bits<MSHR_COUNT_BITS>>,
    /// SMs whose far fault is resolved and that request the page again, one bit each.
    pub resolve_valid: [Signal<Out, Bit>; SMS],
    /// Page number of the resolved far fault.
    pub resolve_vpn: Signal<Out, Bits<VPN_BITS>>,
    /// Address space of the resolved far fault.
    pub resolve_asid: Signal<Out, Bits<ASID_BITS>>,
    /// All SMs invalidate translations.
    pub drop_valid: Signal<Out, Bit>,
    /// Scope of the invalidation: 1 this space, 2 or 3 all.
    pub drop_scope: Signal<Out, Bits<2>>,
    /// Address space of the invalidation.
    pub drop_asid: Signal<Out, Bits<ASID_BITS>>,
    /// Query for the instruction of an SM that has waited longest for a page.
    pub detail_valid: Signal<Out, Bit>,
    /// SM of the query.
    pub detail_sm: Signal<Out, Bits<SM_BITS>>,
    /// Page number of the query.
    pub detail_vpn: Signal<Out, Bits<VPN_BITS>>,
    /// Address space of the query.
    pub detail_asid: Signal<Out, Bits<ASID_BITS>>,
    /// An entry of a table is requested of memory.
    pub memory_valid: Signal<Out, Bit>,
    /// Walk that requests the entry.
    pub memory_walk: Signal<Out, Bits<WALK>>,
    /// Address of the entry from bit 3 on.
    pub memory_word: Signal<Out, Bits<WORD_BITS>>,
    /// Level of the entry.
    pub memory_level: Signal<Out, Bits<3>>,
    /// The entry is updated instead of read, in one step: its accessed bit is set, if it equals `memory_expected`
    /// but for its accessed and dirty bits.
    pub memory_update: Signal<Out, Bit>,
    /// The update sets the dirty bit as well.
    pub memory_dirty: Signal<Out, Bit>,
    /// Expected value of the entry that is updated.
    pub memory_expected: Signal<Out, Bits<64>>,
    /// A word of a record is to be written to memory.
    pub write_valid: Signal<Out, Bit>,
    /// Number of the word.
    pub write_address: Signal<Out, Bits<WORD_BITS>>,
    /// Value of the word.
    pub write_data: Signal<Out, Bits<64>>,
    /// Value of the register in `read_number`.
    pub read_data: Signal<Out, Bits<64>>,
    /// The driver has something to handle.
    pub interrupts: Signal<Out, Bit>,
    /// The invalidation is complete.
    pub invalidate_ready: Signal<Out, Bit>,
    /// Far faults that are held.
    pub held: Signal<Out, Bits<MSHR_COUNT_BITS>>,

    tlb: SharedTlb<7, 8, 10, 29, 42>,
    #[init(Walker::new(updates))]
    walker: Walker<REQUESTERS, REQUESTER_BITS, WALKS, WALK, 2, 1, ENTRY>,
    cache: WalkCache<WALKS, WALK, 8, 10, 29, 31>,
    mshrs: FarFaultMshrs<64, 6, 7, 54, 7>,
    buffer: PaperFaultBuffer,
    dispatch: ResponseDispatch,

    phase: Register<Phase>,
    // Walks of the MSHRs that are not answered.
    walks: Register<Bits<MSHR_COUNT_BITS>>,
    // The page of a region that is reported next.
    beat: Register<Bits<REGION_BITS>>,
    // A report of the MSHRs has waited since the cycle before: it goes before that of a denial.
    favoured: Register<Bit>,

    #[init(Constant::new(ones(VPN_BITS).into()))]
    translated: Constant<Bits<52>>,
    #[init(Constant::new((ones(VPN_BITS) & !ones(REGION_BITS)).into()))]
    outside: Constant<Bits<VPN_BITS>>,
    #[init(Constant::new(ones(REGION_BITS).into()))]
    last_beat: Constant<Bits<REGION_BITS>>,

    address: [Address; REQUESTERS],
    some_nack: OrTree<SMS>,
    some_walk: Signal<Local, Bit>,
    begun: Signal<Local, Bit>,
    hit: Signal<Local, Bit>,
    denies: Signal<Local, Bit>,
    woken: Signal<Local, Bits<VPN_BITS>>,
    ends: Signal<Local, Bit>,
    beats: Signal<Local, Bit>,
    answers: Signal<Local, Bit>,
    respond_valid: Signal<Local, Bit>,
    denial: Signal<Local, Bit>,
    reported: Signal<Local, Bit>,
}

impl<const WALKS: usize, const WALK: usize, const ENTRY: usize> Logic for Gmmu<WALKS, WALK, ENTRY> {
    #[logic]
    fn update(&mut self) {
        // The pages of a wake-up: with regions all of a region's, one a cycle.
        self.hit.next = self.tlb.answer_valid.val();
        self.denies.next = self.mshrs.wake_valid.val() && self.mshrs.wake_denied.val();
        self.woken.next = self.mshrs.wake_vpn.val();
        if self.region.val() {
            self.woken.next = (self.mshrs.wake_vpn.val() & self.outside.val())
                | bit_cast::<VPN_BITS, REGION_BITS>(self.beat.q.val());
        }
        self.ends.next = !self.region.val() || (self.beat.q.val() == self.last_beat.val());
        self.beats.next =
            self.mshrs.wake_valid.val() && !(self.mshrs.wake_denied.val() && self.hit.val());
        if self.beats.val() {
            self.beat.d.next = self.beat.q.val() + 1;
        }
        if self.beats.val() && self.ends.val() {
            self.beat.d.next = 0.into();
        }

        // The response to SMs: a hit, the MSHRs' answer, or the result of a walk.
        self.answers.next = self.mshrs.answer_valid.val() && !self.hit.val();
        self.respond_valid.next = self.dispatch.respond_valid.val()
            && !self.hit.val()
            && !self.denies.val()
            && !self.mshrs.answer_valid.val();
        for s in 0..SMS {
            self.fill_valid[s].next = (self.hit.val() && self.tlb.answer_to[s].val())
                || (self.denies.val() && !self.hit.val() && self.mshrs.wake_to[s].val())
                || (self.answers.val()
                    && (self.mshrs.answer_far[s].val() || self.mshrs.answer_nack[s].val()))
                || (self.respond_valid.val() && self.dispatch.response_to[s].val());
            self.fill_kind[s].next = 0.into();
            if self.large_fills.val()
                && ((self.hit.val() && self.tlb.answer_large.val() && self.tlb.answer_to[s].val())
                    || (self.respond_valid.val()
                        && self.dispatch.response_to[s].val()
                        && self.dispatch.response_level.val().get_bit(1)))
            {
                self.fill_kind[s].next = 5.into();
            }
            if self.respond_valid.val()
                && self.dispatch.response_to[s].val()
                && !self.dispatch.response_readable.val()
            {
                self.fill_kind[s].next = 1.into();
            }
            if self.denies.val() && !self.hit.val() && self.mshrs.wake_to[s].val() {
                self.fill_kind[s].next = 4.into();
            }
            if self.answers.val() && self.mshrs.answer_far[s].val() {
                self.fill_kind[s].next = 2.into();
            }
            if self.answers.val() && self.mshrs.answer_nack[s].val() {
                self.fill_kind[s].next = 3.into();
            }
        }
        self.fill_vpn.next = 0.into();
        self.fill_asid.next = 0.into();
        self.fill_pfn.next = 0.into();
        self.fill_writable.next = false;
        self.fill_clean.next = false;
        self.fill_place.next = 0.into();
        if self.respond_valid.val() {
            self.fill_vpn.next = self.dispatch.response_vpn.val();
            self.fill_asid.next = self.dispatch.response_asid.val();
            self.fill_pfn.next = self.dispatch.response_pfn.val();
            self.fill_writable.next = self.dispatch.response_writable.val();
            self.fill_clean.next = self.dispatch.response_clean.val()
                || (self.buffer.replay_writes.val()
                    && self.dispatch.response_readable.val()
                    && !self.dispatch.response_writable.val());
        }
        if self.answers.val() {
            self.fill_vpn.next = self.mshrs.answer_vpn.val();
            self.fill_asid.next = self.mshrs.answer_asid.val();
            self.fill_place.next = self.mshrs.answer_place.val();
        }
        if self.denies.val() {
            self.fill_vpn.next = self.woken.val();
            self.fill_asid.next = self.mshrs.wake_asid.val();
        }
        if self.hit.val() {
            self.fill_vpn.next = self.tlb.answer_vpn.val();
            self.fill_asid.next = self.tlb.answer_asid.val();
            self.fill_pfn.next = self.tlb.answer_pfn.val();
            self.fill_writable.next = self.tlb.answer_writable.val();
            self.fill_clean.next = self.tlb.answer_clean.val()
                || (self.buffer.replay_writes.val() && !self.tlb.answer_writable.val());
        }
        self.resolve_vpn.next = 0.into();
        self.resolve_asid.next = 0.into();
        if self.mshrs.wake_valid.val() && !self.mshrs.wake_denied.val() {
            self.resolve_vpn.next = self.woken.val();
            self.resolve_asid.next = self.mshrs.wake_asid.val();
        }
        for s in 0..SMS {
            self.resolve_valid[s].next =
                self.mshrs.wake_to[s].val() && !self.mshrs.wake_denied.val();
        }

        // The L2 TLB, whose misses are walked.
        for s in 0..SMS {
            self.tlb.request_valid[s].next = self.request_valid[s].val();
            self.tlb.request_vpn[s].next = self.request_vpn[s].val();
            self.tlb.request_asid[s].next = self.request_asid[s].val();
            self.tlb.request_write[s].next = self.request_write[s].val();
            self.request_ready[s].next = self.tlb.request_ready[s].val();
            self.tlb.miss_ready[s].next = self.walker.request_ready[s].val();
            self.walker.request_valid[s].next = self.tlb.miss_valid[s].val();
            self.address[s].vpn.next = self.tlb.miss_vpn[s].val();
            self.walker.request_vpn[s].next = self.address[s].whole.val();
            self.walker.request_asid[s].next = self.tlb.miss_asid[s].val();
            self.walker.request_write[s].next = self.tlb.miss_write[s].val();
            self.walker.request_execute[s].next = false;
            self.walker.request_user[s].next = true;
        }
        self.tlb.fill_valid.next = self.dispatch.fill_valid.val();
        self.tlb.fill_vpn.next = self.dispatch.response_vpn.val();
        self.tlb.fill_asid.next = self.dispatch.response_asid.val();
        self.tlb.fill_pfn.next = self.dispatch.response_pfn.val();
        self.tlb.fill_writable.next = self.dispatch.response_writable.val();
        self.tlb.fill_clean.next = self.dispatch.response_clean.val();
        self.tlb.fill_level.next = bit_cast::<2, 3>(self.dispatch.response_level.val());

        // The walks of the MSHRs join none, so that each begins after the command that requested it.
        self.some_walk.next = self.walks.q.val().any();
        self.walker.no_merge.next = true;
        for m in SMS..REQUESTERS {
            self.walker.request_valid[m].next = self.mshrs.walk_valid.val();
            self.address[m].vpn.next = self.mshrs.walk_vpn.val();
            self.walker.request_vpn[m].next = self.address[m].whole.val();
            self.walker.request_asid[m].next = self.mshrs.walk_asid.val();
            self.walker.request_write[m].next = self.mshrs.walk_write.val();
            self.walker.request_execute[m].next = false;
            self.walker.request_user[m].next = false;
            self.begun.next = self.walker.request_ready[m].val();
        }
        self.mshrs.walk_ready.next = self.begun.val();
        if self.begun.val() && !self.dispatch.answered.val() {
            self.walks.d.next = self.walks.q.val() + 1;
        }
        if !self.begun.val() && self.dispatch.answered.val() {
            self.walks.d.next = self.walks.q.val() - 1;
        }

        // The walker, the cache in front of its memory, and its answers.
        self.walker.root_valid.next = self.root_valid.val();
        self.walker.root_asid.next = self.root_asid.val();
        self.walker.root_pfn.next = self.root_pfn.val();
        self.walker.reserved_bits.next = self.reserved_bits.val();
        self.walker.execute_disable.next = self.execute_disable.val();
        self.walker.last_pfn.next = self.last_pfn.val();
        self.walker.invalidate_asid.next = self.invalidate_asid.val();
        self.walker.invalidate_all.next = self.invalidate_scope.val().get_bit(1);
        self.walker.answer_ready.next = self.dispatch.ready.val();
        self.walker.memory_ready.next = self.cache.request_ready.val();
        self.walker.response_valid.next = self.cache.answer_valid.val();
        self.walker.response_walk.next = self.cache.answer_walk.val();
        self.walker.response_data.next = self.cache.answer_data.val();
        self.walker.response_error.next = self.cache.answer_error.val();
        self.walker.response_changed.next = self.cache.answer_changed.val();
        self.walker.response_kept.next = self.cache.answer_kept.val();
        self.cache.request_valid.next = self.walker.memory_valid.val();
        self.cache.request_walk.next = self.walker.memory_walk.val();
        self.cache.request_word.next = self.walker.memory_word.val();
        self.cache.request_level.next = self.walker.memory_level.val();
        self.cache.request_update.next = self.walker.memory_update.val();
        self.cache.request_dirty.next = self.walker.memory_dirty.val();
        self.cache.request_expected.next = self.walker.memory_expected.val();
        self.cache.request_bypass.next = self.walker.memory_bypass.val();
        self.memory_valid.next = self.cache.memory_valid.val();
        self.memory_walk.next = self.cache.memory_walk.val();
        self.memory_word.next = self.cache.memory_word.val();
        self.memory_level.next = self.cache.memory_level.val();
        self.memory_update.next = self.cache.memory_update.val();
        self.memory_dirty.next = self.cache.memory_dirty.val();
        self.memory_expected.next = self.cache.memory_expected.val();
        self.cache.memory_ready.next = self.memory_ready.val();
        self.cache.response_valid.next = self.response_valid.val();
        self.cache.response_walk.next = self.response_walk.val();
        self.cache.response_data.next = self.response_data.val();
        self.cache.response_error.next = self.response_error.val();
        self.cache.response_changed.next = self.response_changed.val();
        self.cache.cached_levels.next = self.cached_levels.val();
        self.cache.reserved_bits.next = self.reserved_bits.val();
        self.dispatch.valid.next = self.walker.answer_valid.val();
        self.dispatch.requesters.next = self.walker.answer_requesters.val();
        self.dispatch.vpn.next =
            bit_cast::<VPN_BITS, 52>(self.walker.answer_vpn.val() & self.translated.val());
        self.dispatch.asid.next = self.walker.answer_asid.val();
        self.dispatch.write.next = self.walker.answer_write.val();
        self.dispatch.cause.next = self.walker.answer_cause.val();
        self.dispatch.level.next = self.walker.answer_level.val();
        self.dispatch.readable.next = self.walker.answer_readable.val();
        self.dispatch.pfn.next = self.walker.answer_pfn.val();
        self.dispatch.writable.next = self.walker.answer_writable.val();
        self.dispatch.clean.next = self.walker.answer_clean.val();
        self.dispatch.keeps.next = self.shared_tlb.val()
            && (self.walker.answer_user.val() || self.walker.answer_user_page.val());
        self.dispatch.replay_writes.next = self.buffer.replay_writes.val();
        self.dispatch.fill_ready.next = self.tlb.fill_ready.val();
        self.dispatch.respond_ready.next = self.respond_valid.val();
        self.dispatch.fault_ready.next = self.mshrs.fault_ready.val();
        self.dispatch.present_ready.next = self.mshrs.present_ready.val();

        // The far-fault MSHRs: where the driver has no room for a report, no SM may have a new one.
        self.mshrs.region.next = self.region.val();
        self.mshrs.limit.next = 0.into();
        if self.buffer.room.val() {
            self.mshrs.limit.next = self.far_limit.val();
        }
        self.mshrs.fault_valid.next = self.dispatch.fault_valid.val();
        self.mshrs.fault_vpn.next = self.dispatch.response_vpn.val();
        self.mshrs.fault_asid.next = self.dispatch.response_asid.val();
        self.mshrs.fault_access.next = self.dispatch.response_access.val();
        self.mshrs.fault_cause.next = self.dispatch.response_cause.val();
        self.mshrs.fault_level.next = self.dispatch.response_level.val();
        self.mshrs.command_valid.next = self.buffer.command_valid.val();
        self.mshrs.command_cancel.next = self.buffer.command_cancel.val();
        self.mshrs.command_all.next = self.buffer.command_all.val();
        self.mshrs.command_vpn.next = self.buffer.command_vpn.val();
        self.mshrs.command_asid.next = self.buffer.command_asid.val();
        self.mshrs.present_valid.next = self.dispatch.present_valid.val();
        self.mshrs.present_vpn.next = self.dispatch.response_vpn.val();
        self.mshrs.present_asid.next = self.dispatch.response_asid.val();
        self.mshrs.present_missing.next = self.dispatch.present_missing.val();
        self.mshrs.present_cause.next = self.dispatch.response_cause.val();
        self.mshrs.present_level.next = self.dispatch.response_level.val();
        for s in 0..SMS {
            self.mshrs.fault_requesters[s].next = self.dispatch.response_to[s].val();
            self.mshrs.command_requesters[s].next = self.buffer.command_requesters[s].val();
            self.some_nack.of[s].next = self.mshrs.answer_nack[s].val();
        }
        self.mshrs.answer_ready.next = !self.hit.val();
        self.mshrs.wake_ready.next = self.beats.val() && self.ends.val();

        // The fault buffer: reports of far faults and of denials. The choice does not change with time alone: the buffer could
        // be at rest whenever it is the same side's turn.
        self.denial.next = self.dispatch.report_valid.val() && !self.favoured.q.val();
        self.dispatch.report_ready.next = self.denial.val() && self.buffer.fault_ready.val();
        self.reported.next = !self.denial.val() && self.buffer.fault_ready.val();
        self.mshrs.report_ready.next = self.reported.val();
        self.favoured.d.next = self.mshrs.report_valid.val() && !self.reported.val();
        self.buffer.fault_valid.next =
            self.dispatch.report_valid.val() || self.mshrs.report_valid.val();
        self.buffer.fault_replayable.next = !self.denial.val();
        self.buffer.fault_vpn.next = self.mshrs.report_vpn.val();
        self.buffer.fault_asid.next = self.mshrs.report_asid.val();
        self.buffer.fault_access.next = self.mshrs.report_access.val();
        self.buffer.fault_cause.next = self.mshrs.report_cause.val();
        self.buffer.fault_level.next = self.mshrs.report_level.val();
        self.buffer.fault_index.next = self.mshrs.report_index.val();
        self.buffer.fault_place.next = self.mshrs.report_place.val();
        for s in 0..SMS {
            self.buffer.fault_requesters[s].next = self.mshrs.report_requesters[s].val();
            if self.denial.val() {
                self.buffer.fault_requesters[s].next = self.dispatch.response_to[s].val();
            }
        }
        if self.denial.val() {
            self.buffer.fault_vpn.next = self.dispatch.response_vpn.val();
            self.buffer.fault_asid.next = self.dispatch.response_asid.val();
            self.buffer.fault_access.next = self.dispatch.response_access.val();
            self.buffer.fault_cause.next = self.dispatch.response_cause.val();
            self.buffer.fault_level.next = self.dispatch.response_level.val();
            self.buffer.fault_index.next = 0.into();
            self.buffer.fault_place.next = 0.into();
        }
        self.buffer.detail_ready.next = self.detail_ready.val();
        self.buffer.context_valid.next = self.context_valid.val();
        self.buffer.context_known.next = self.context_known.val();
        self.buffer.context_warp.next = self.context_warp.val();
        self.buffer.context_slot.next = self.context_slot.val();
        self.buffer.context_pc.next = self.context_pc.val();
        self.buffer.context_lanes.next = self.context_lanes.val();
        self.buffer.context_scheme.next = self.context_scheme.val();
        self.buffer.context_pointer.next = self.context_pointer.val();
        self.buffer.write_ready.next = self.write_ready.val();
        self.buffer.written.next = self.written.val();
        self.buffer.register_valid.next = self.register_valid.val();
        self.buffer.register_number.next = self.register_number.val();
        self.buffer.register_data.next = self.register_data.val();
        self.buffer.read_number.next = self.read_number.val();
        self.buffer.turned_away.next =
            (self.answers.val() && self.some_nack.any.val() && !self.buffer.room.val())
                || self.mshrs.lost.val();
        self.buffer.command_ready.next = self.mshrs.command_ready.val();
        self.buffer.sweeping.next =
            self.mshrs.sweeping.val() || self.mshrs.walk_valid.val() || self.denies.val();
        self.buffer.walks_pending.next = self.mshrs.walk_valid.val()
            || self.some_walk.val()
            || self.dispatch.present_valid.val();
        self.detail_valid.next = self.buffer.detail_valid.val();
        self.detail_sm.next = self.buffer.detail_sm.val();
        self.detail_vpn.next = self.buffer.detail_vpn.val();
        self.detail_asid.next = self.buffer.detail_asid.val();
        self.write_valid.next = self.buffer.write_valid.val();
        self.write_address.next = self.buffer.write_address.val();
        self.write_data.next = self.buffer.write_data.val();
        self.read_data.next = self.buffer.read_data.val();
        self.interrupts.next = self.buffer.interrupts.val();
        self.held.next = self.mshrs.held.val();

        // An invalidation: a block that reads tables forgets before the block that it answers.
        self.cache.invalidate_valid.next = self.phase.q.val() == Phase::Cache;
        self.walker.invalidate_valid.next = self.phase.q.val() == Phase::Walker;
        self.tlb.invalidate_valid.next = self.phase.q.val() == Phase::Tlb;
        self.tlb.invalidate_scope.next = self.invalidate_scope.val();
        self.tlb.invalidate_vpn.next = self.invalidate_vpn.val();
        self.tlb.invalidate_asid.next = self.invalidate_asid.val();
        self.invalidate_ready.next = self.phase.q.val() == Phase::Sms;
        self.drop_valid.next = self.phase.q.val() == Phase::Sms;
        self.drop_scope.next = 0.into();
        self.drop_asid.next = 0.into();
        if self.phase.q.val() == Phase::Sms {
            self.drop_scope.next = self.invalidate_scope.val();
            if self.invalidate_scope.val() == 0 {
                self.drop_scope.next = 1.into();
            }
            self.drop_asid.next = self.invalidate_asid.val();
        }
        match self.phase.q.val() {
            Phase::Idle => {
                if self.invalidate_valid.val() {
                    self.phase.d.next = Phase::Cache;
                }
            }
            Phase::Cache => {
                if self.cache.invalidate_ready.val() {
                    self.phase.d.next = Phase::Walker;
                }
            }
            Phase::Walker => {
                if self.walker.invalidate_ready.val() {
                    self.phase.d.next = Phase::ResponseDispatch;
                }
            }
            Phase::ResponseDispatch => {
                if self.dispatch.ready.val() {
                    self.phase.d.next = Phase::Tlb;
                }
            }
            Phase::Tlb => {
                if self.tlb.invalidate_ready.val() {
                    self.phase.d.next = Phase::Sms;
                }
            }
            Phase::Sms => {
                self.phase.d.next = Phase::Idle;
            }
            _ => {
                self.phase.d.next = Phase::Idle;
            }
        }
    }
}
