#![doc = include_str!("../../../docs/blocks/sm_unit.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::designs::coalescer::PaperCoalescer;
use crate::designs::l1_tlb::PaperL1Tlb;
use crate::designs::memory_unit::PaperMemoryUnit;
use crate::params::{
    AGE_BITS, ASID_BITS, CLASS_BITS, ENTRY_BITS, L1_TLB_MISS_COUNT_BITS, LANES, LINE_BITS,
    LOG_WORDS, OPCODE_BITS, PFN_BITS, PHYSICAL_LINE_BITS, REGISTER_BITS, SCOREBOARD_ENTRIES,
    SLOT_BITS, SM_WARPS, UNITS, VPN_BITS, WARP_BITS, WIDTH,
};
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::register::Register;
use crate::sm::sm_pipeline::{Scheme, SmPipeline};

/// SM unit: the pipeline of an SM with its memory unit, its coalescer and its L1 TLB. `WARPS` warps with numbers of `WARP`
/// bits; each port of the pipeline serves `PORT_WARPS` of them, with numbers of `PORT_WARP` bits and `PAIRS` pairs. A
/// replay queue of `QUEUE_ENTRIES` entries with indices of `QUEUE_INDEX` bits, counted in `QUEUE_COUNT` bits. An operand
/// log of `LOG_ENTRIES` entries with indices of `LOG_INDEX` bits, counted in `LOG_COUNT` bits.
#[block(top, new(scheme: Scheme))]
pub struct SmUnit<
    const WARPS: usize,
    const PORT_WARPS: usize,
    const PORT_WARP: usize,
    const PAIRS: usize,
    const WARP: usize,
    const QUEUE_ENTRIES: usize,
    const QUEUE_INDEX: usize,
    const QUEUE_COUNT: usize,
    const LOG_ENTRIES: usize,
    const LOG_INDEX: usize,
    const LOG_COUNT: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: drops every instruction and access, invalidates every translation, and stops every warp.
    pub reset: Signal<In, Bit>,

    /// A warp begins; with a stop in the same cycle it only gets its slot.
    pub start_valid: Signal<In, Bit>,
    /// Warp that begins.
    pub start_warp: Signal<In, Bits<WARP_BITS>>,
    /// Slot of the warp's thread block.
    pub start_slot: Signal<In, Bits<SLOT_BITS>>,
    /// A warp ends, or is to leave.
    pub stop_valid: Signal<In, Bit>,
    /// Warp that stops.
    pub stop_warp: Signal<In, Bits<WARP_BITS>>,
    /// A warp that waits for no page is to go on; the memory unit resumes the others.
    pub resume_valid: Signal<In, Bit>,
    /// Warp that is to go on.
    pub resume_warp: Signal<In, Bits<WARP_BITS>>,
    /// The requested instructions have come, in the same cycle, one bit for each port.
    pub fetched_valid: [Signal<In, Bit>; WIDTH],
    /// Class of each fetched instruction.
    pub fetched_class: [Signal<In, Bits<CLASS_BITS>>; WIDTH],
    /// Destination of each fetched instruction.
    pub fetched_destination: [Signal<In, Bits<REGISTER_BITS>>; WIDTH],
    /// First source of each fetched instruction; of a memory instruction, the address.
    pub fetched_source_a: [Signal<In, Bits<REGISTER_BITS>>; WIDTH],
    /// Second source of each fetched instruction; of a store, the data.
    pub fetched_source_b: [Signal<In, Bits<REGISTER_BITS>>; WIDTH],
    /// Third source of each fetched instruction.
    pub fetched_source_c: [Signal<In, Bits<REGISTER_BITS>>; WIDTH],
    /// Program counter of each fetched instruction.
    pub fetched_pc: [Signal<In, Bits<32>>; WIDTH],
    /// Lanes of each fetched instruction.
    pub fetched_mask: [Signal<In, Bits<32>>; WIDTH],
    /// Opcode of each fetched instruction.
    pub fetched_opcode: [Signal<In, Bits<OPCODE_BITS>>; WIDTH],
    /// The unit for special functions takes two more instructions: one of this cycle, one of the next.
    pub special_ready: Signal<In, Bit>,
    /// Operand that the front of the memory stage requests: 32 lanes of 64 bits.
    pub operand: [Signal<In, Bits<32>>; LOG_WORDS],
    /// Units whose instruction commits, one bit each.
    pub finished_valid: [Signal<In, Bit>; UNITS],
    /// Warp of each unit's instruction.
    pub finished_warp: [Signal<In, Bits<WARP_BITS>>; UNITS],
    /// Scoreboard entry of each unit's instruction.
    pub finished_entry: [Signal<In, Bits<ENTRY_BITS>>; UNITS],
    /// A kernel starts, and the operand log is partitioned again.
    pub launch_valid: Signal<In, Bit>,
    /// Operand-log entries of each thread block of the kernel.
    pub launch_entries: Signal<In, Bits<LOG_COUNT>>,
    /// The thread block in `save_slot` is to leave, once its warps have stopped and drained.
    pub save_valid: Signal<In, Bit>,
    /// Slot of the thread block that is to leave.
    pub save_slot: Signal<In, Bits<SLOT_BITS>>,
    /// The instruction that leaves is taken, or an operand of the next one may leave the log.
    pub saved_ready: Signal<In, Bit>,
    /// A squashed instruction comes back, the oldest of a warp first.
    pub restore_valid: Signal<In, Bit>,
    /// Warp of the restored instruction, which has stopped and drained.
    pub restore_warp: Signal<In, Bits<WARP_BITS>>,
    /// Slot to which the restored instruction belongs now.
    pub restore_slot: Signal<In, Bits<SLOT_BITS>>,
    /// The restored instruction is a store.
    pub restore_store: Signal<In, Bit>,
    /// Destination of the restored instruction.
    pub restore_destination: Signal<In, Bits<REGISTER_BITS>>,
    /// Address register of the restored instruction.
    pub restore_source_a: Signal<In, Bits<REGISTER_BITS>>,
    /// Store-data register of the restored instruction.
    pub restore_source_b: Signal<In, Bits<REGISTER_BITS>>,
    /// Program counter of the restored instruction.
    pub restore_pc: Signal<In, Bits<32>>,
    /// Lanes of the restored instruction.
    pub restore_mask: Signal<In, Bits<32>>,
    /// Opcode of the restored instruction.
    pub restore_opcode: Signal<In, Bits<OPCODE_BITS>>,
    /// Line of the address of each lane of the access that was taken last, from the storage of its operands, in the cycle
    /// after it was taken and until another one is.
    pub access_line: [Signal<In, Bits<LINE_BITS>>; LANES],
    /// The front goes to another unit than the memory unit: one of shared memory, or one that may raise other exceptions.
    pub front_other: Signal<In, Bit>,
    /// That unit takes the front.
    pub other_ready: Signal<In, Bit>,
    /// Another unit's global-memory instruction raises no exception.
    pub certain_valid: Signal<In, Bit>,
    /// Warp of that instruction.
    pub certain_warp: Signal<In, Bits<WARP_BITS>>,
    /// Scoreboard entry of that instruction.
    pub certain_entry: Signal<In, Bits<ENTRY_BITS>>,
    /// Replay-queue entry of that instruction.
    pub certain_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// Thread-block slot of that instruction.
    pub certain_slot: Signal<In, Bits<SLOT_BITS>>,
    /// That instruction has the class of a store.
    pub certain_store: Signal<In, Bit>,
    /// Operand-log entry of its first operand.
    pub certain_log_address: Signal<In, Bits<LOG_INDEX>>,
    /// Operand-log entry of its second operand.
    pub certain_log_data: Signal<In, Bits<LOG_INDEX>>,
    /// Another unit's instruction raises an exception.
    pub raised_valid: Signal<In, Bit>,
    /// Warp of that instruction.
    pub raised_warp: Signal<In, Bits<WARP_BITS>>,
    /// Scoreboard entry of that instruction.
    pub raised_entry: Signal<In, Bits<ENTRY_BITS>>,
    /// Replay-queue entry of that instruction.
    pub raised_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// Warps that are not to be resumed, one bit each.
    pub hold: [Signal<In, Bit>; SM_WARPS],
    /// A warp leaves with its thread block, and waits for nothing here.
    pub leave_valid: Signal<In, Bit>,
    /// Warp that leaves.
    pub leave_warp: Signal<In, Bits<WARP_BITS>>,
    /// Address space of the SM.
    pub asid: Signal<In, Bits<ASID_BITS>>,
    /// The cache takes the line.
    pub line_ready: Signal<In, Bit>,
    /// The walk on offer is taken.
    pub walk_ready: Signal<In, Bit>,
    /// The answer to a walk, or the cancellation of a far fault.
    pub fill_valid: Signal<In, Bit>,
    /// Kind of the answer: 0 a translation, 1 denied, 2 far fault held, 3 Nack (the far fault is not held), 4 the
    /// far fault was cancelled, 5 a translation of a large page.
    pub fill_kind: Signal<In, Bits<3>>,
    /// Page number of the answer.
    pub fill_vpn: Signal<In, Bits<VPN_BITS>>,
    /// Address space of the answer.
    pub fill_asid: Signal<In, Bits<ASID_BITS>>,
    /// Frame of a translation.
    pub fill_pfn: Signal<In, Bits<PFN_BITS>>,
    /// The page may be written.
    pub fill_writable: Signal<In, Bit>,
    /// The page's dirty bit was clear when it was read.
    pub fill_clean: Signal<In, Bit>,
    /// A far fault that was held has resolved.
    pub resolve_valid: Signal<In, Bit>,
    /// Page number of the resolved far fault.
    pub resolve_vpn: Signal<In, Bits<VPN_BITS>>,
    /// Address space of the resolved far fault.
    pub resolve_asid: Signal<In, Bits<ASID_BITS>>,
    /// Translations are invalidated.
    pub invalidate_valid: Signal<In, Bit>,
    /// Scope of the invalidation: 0 this page, 1 every page of this space, 2 or 3 everything.
    pub invalidate_scope: Signal<In, Bits<2>>,
    /// Page number of the invalidation.
    pub invalidate_vpn: Signal<In, Bits<VPN_BITS>>,
    /// Address space of the invalidation.
    pub invalidate_asid: Signal<In, Bits<ASID_BITS>>,
    /// Far faults that the GMMU can hold for this SM.
    pub far_limit: Signal<In, Bits<L1_TLB_MISS_COUNT_BITS>>,

    /// That resume is accepted.
    pub resume_ready: Signal<Out, Bit>,
    /// The next instruction of a warp is requested, one bit for each port.
    pub fetch_valid: [Signal<Out, Bit>; WIDTH],
    /// Warp whose next instruction each port requests.
    pub fetch_warp: [Signal<Out, Bits<WARP_BITS>>; WIDTH],
    /// Fetched instructions of a warp were not issued after all, and the source goes back.
    pub revert_valid: Signal<Out, Bit>,
    /// Warp whose instructions were not issued.
    pub revert_warp: Signal<Out, Bits<WARP_BITS>>,
    /// Number of instructions that were not issued.
    pub revert_count: Signal<Out, Bits<2>>,
    /// Instructions that read their operands, one bit for each port.
    pub read_valid: [Signal<Out, Bit>; WIDTH],
    /// Warp of each instruction that reads its operands.
    pub read_warp: [Signal<Out, Bits<WARP_BITS>>; WIDTH],
    /// Scoreboard entry of each instruction that reads its operands.
    pub read_entry: [Signal<Out, Bits<ENTRY_BITS>>; WIDTH],
    /// Class of each instruction that reads its operands.
    pub read_class: [Signal<Out, Bits<CLASS_BITS>>; WIDTH],
    /// Instructions that are issued again; with an operand log, it holds their operands.
    pub read_replayed: [Signal<Out, Bit>; WIDTH],
    /// Destination of each instruction that reads its operands.
    pub read_destination: [Signal<Out, Bits<REGISTER_BITS>>; WIDTH],
    /// First source of each instruction that reads its operands.
    pub read_source_a: [Signal<Out, Bits<REGISTER_BITS>>; WIDTH],
    /// Second source of each instruction that reads its operands.
    pub read_source_b: [Signal<Out, Bits<REGISTER_BITS>>; WIDTH],
    /// Third source of each instruction that reads its operands.
    pub read_source_c: [Signal<Out, Bits<REGISTER_BITS>>; WIDTH],
    /// Program counter of each instruction that reads its operands.
    pub read_pc: [Signal<Out, Bits<32>>; WIDTH],
    /// Lanes of each instruction that reads its operands.
    pub read_mask: [Signal<Out, Bits<32>>; WIDTH],
    /// Opcode of each instruction that reads its operands.
    pub read_opcode: [Signal<Out, Bits<OPCODE_BITS>>; WIDTH],
    /// An instruction is at the front of the memory stage.
    pub memory_front: Signal<Out, Bit>,
    /// The front requests the data of a store on `operand`; low for an address.
    pub memory_data: Signal<Out, Bit>,
    /// The front goes to the memory unit or to another one.
    pub memory_valid: Signal<Out, Bit>,
    /// The front is taken, if it goes.
    pub memory_ready: Signal<Out, Bit>,
    /// Warp of the front.
    pub memory_warp: Signal<Out, Bits<WARP_BITS>>,
    /// Thread-block slot of the front.
    pub memory_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Scoreboard entry of the front, which names it in later messages.
    pub memory_entry: Signal<Out, Bits<ENTRY_BITS>>,
    /// Class of the front.
    pub memory_class: Signal<Out, Bits<CLASS_BITS>>,
    /// The front is issued again.
    pub memory_replayed: Signal<Out, Bit>,
    /// The front only goes to the replay queue, because its warp has stopped.
    pub memory_squashed: Signal<Out, Bit>,
    /// Program counter of the front.
    pub memory_pc: Signal<Out, Bits<32>>,
    /// Lanes of the front.
    pub memory_mask: Signal<Out, Bits<32>>,
    /// Opcode of the front.
    pub memory_opcode: Signal<Out, Bits<OPCODE_BITS>>,
    /// Replay-queue entry of the front, which names it in later messages.
    pub memory_index: Signal<Out, Bits<QUEUE_INDEX>>,
    /// Operand-log entry of the front's address, which names it in later messages.
    pub memory_log_address: Signal<Out, Bits<LOG_INDEX>>,
    /// Operand-log entry of the front's store data, which names it in later messages.
    pub memory_log_data: Signal<Out, Bits<LOG_INDEX>>,
    /// `logged_data` holds an operand of a replayed instruction, from the log.
    pub logged_valid: Signal<Out, Bit>,
    /// Operand from the log: 32 lanes of 64 bits.
    pub logged_data: [Signal<Out, Bits<32>>; LOG_WORDS],
    /// Instructions in the replay queue.
    pub occupancy: Signal<Out, Bits<QUEUE_COUNT>>,
    /// The save is accepted: the warps of the slot have stopped and drained.
    pub save_ready: Signal<Out, Bit>,
    /// The save has ended: the squashed instructions of the thread block have left.
    pub save_done: Signal<Out, Bit>,
    /// `logged_data` holds an operand of the instruction that leaves next: the address, then a store's data.
    pub spilled_valid: Signal<Out, Bit>,
    /// An instruction leaves; its operands are shown only in the cycle after `saved_ready`.
    pub saved_valid: Signal<Out, Bit>,
    /// Warp of the instruction that leaves.
    pub saved_warp: Signal<Out, Bits<WARP_BITS>>,
    /// The instruction that leaves is a store.
    pub saved_store: Signal<Out, Bit>,
    /// Destination of the instruction that leaves.
    pub saved_destination: Signal<Out, Bits<REGISTER_BITS>>,
    /// Address register of the instruction that leaves.
    pub saved_source_a: Signal<Out, Bits<REGISTER_BITS>>,
    /// Store-data register of the instruction that leaves.
    pub saved_source_b: Signal<Out, Bits<REGISTER_BITS>>,
    /// Program counter of the instruction that leaves.
    pub saved_pc: Signal<Out, Bits<32>>,
    /// Lanes of the instruction that leaves.
    pub saved_mask: Signal<Out, Bits<32>>,
    /// Opcode of the instruction that leaves.
    pub saved_opcode: Signal<Out, Bits<OPCODE_BITS>>,
    /// The restored instruction is taken.
    pub restore_ready: Signal<Out, Bit>,
    /// The message of another unit that nothing is raised is accepted.
    pub certain_ready: Signal<Out, Bit>,
    /// The message of another unit that something is raised is accepted.
    pub raised_ready: Signal<Out, Bit>,
    /// An instruction faults, or raises an exception.
    pub faulted_valid: Signal<Out, Bit>,
    /// The fault is that an access is not allowed.
    pub faulted_denied: Signal<Out, Bit>,
    /// Warp of the faulting instruction.
    pub faulted_warp: Signal<Out, Bits<WARP_BITS>>,
    /// Scoreboard entry of the faulting instruction.
    pub faulted_entry: Signal<Out, Bits<ENTRY_BITS>>,
    /// Replay-queue entry of the faulting instruction.
    pub faulted_index: Signal<Out, Bits<QUEUE_INDEX>>,
    /// A warp waits for an absent page from now on.
    pub absent_valid: Signal<Out, Bit>,
    /// Warp that waits for the page.
    pub absent_warp: Signal<Out, Bits<WARP_BITS>>,
    /// Thread-block slot of the warp that waits.
    pub absent_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Page number of the absent page.
    pub absent_vpn: Signal<Out, Bits<VPN_BITS>>,
    /// A line of a checked instruction is to be accessed.
    pub line_valid: Signal<Out, Bit>,
    /// Number of the line in physical memory.
    pub line_number: Signal<Out, Bits<PHYSICAL_LINE_BITS>>,
    /// Lanes that access the line, one bit each.
    pub line_mask: Signal<Out, Bits<LANES>>,
    /// Warp of the line's instruction.
    pub line_warp: Signal<Out, Bits<WARP_BITS>>,
    /// Scoreboard entry of the line's instruction.
    pub line_entry: Signal<Out, Bits<ENTRY_BITS>>,
    /// The line's instruction is a store.
    pub line_store: Signal<Out, Bit>,
    /// The line is the last one of its instruction.
    pub line_last: Signal<Out, Bit>,
    /// No line with a translation from before the last invalidation is still to leave.
    pub settled: Signal<Out, Bit>,
    /// A page is to be walked.
    pub walk_valid: Signal<Out, Bit>,
    /// Page number of the walk.
    pub walk_vpn: Signal<Out, Bits<VPN_BITS>>,
    /// Address space of the walk.
    pub walk_asid: Signal<Out, Bits<ASID_BITS>>,
    /// The check that missed the page first was a write.
    pub walk_write: Signal<Out, Bit>,

    #[init(Constant::new(scheme != Scheme::StallOnFault))]
    squashes: Constant<Bit>,
    #[init(Constant::new(1.into()))]
    first_lane: Constant<Bits<LANES>>,
    #[init(SmPipeline::new(scheme, false))]
    pipeline: SmPipeline<
        WARPS,
        PORT_WARPS,
        PORT_WARP,
        PAIRS,
        WARP,
        SCOREBOARD_ENTRIES,
        ENTRY_BITS,
        QUEUE_ENTRIES,
        QUEUE_INDEX,
        QUEUE_COUNT,
        AGE_BITS,
        LOG_ENTRIES,
        LOG_INDEX,
        LOG_COUNT,
    >,
    unit: PaperMemoryUnit<QUEUE_INDEX, LOG_INDEX>,
    coalescer: PaperCoalescer,
    tlb: PaperL1Tlb,
    // The access that was taken last, until the memory unit and the coalescer accept it.
    held: Register<Bit>,
    held_warp: Register<Bits<WARP_BITS>>,
    held_slot: Register<Bits<SLOT_BITS>>,
    held_entry: Register<Bits<ENTRY_BITS>>,
    held_index: Register<Bits<QUEUE_INDEX>>,
    held_log_address: Register<Bits<LOG_INDEX>>,
    held_log_data: Register<Bits<LOG_INDEX>>,
    held_store: Register<Bit>,
    held_mask: Register<Bits<LANES>>,
    takes: Signal<Local, Bit>,
    request_mask: OneHotMux<LANES, Bits<LANES>>,
}

impl<
    const WARPS: usize,
    const PORT_WARPS: usize,
    const PORT_WARP: usize,
    const PAIRS: usize,
    const WARP: usize,
    const QUEUE_ENTRIES: usize,
    const QUEUE_INDEX: usize,
    const QUEUE_COUNT: usize,
    const LOG_ENTRIES: usize,
    const LOG_INDEX: usize,
    const LOG_COUNT: usize,
> Logic
    for SmUnit<
        WARPS,
        PORT_WARPS,
        PORT_WARP,
        PAIRS,
        WARP,
        QUEUE_ENTRIES,
        QUEUE_INDEX,
        QUEUE_COUNT,
        LOG_ENTRIES,
        LOG_INDEX,
        LOG_COUNT,
    >
{
    #[logic]
    fn update(&mut self) {
        // The front of the memory stage goes to another unit, or waits here for the memory unit and the coalescer: in the
        // first cycle of it the log shows the address of what is replayed.
        self.memory_ready.next = (!self.front_other.val()
            && (!self.held.q.val() || self.unit.instruction_ready.val()))
            || (self.front_other.val() && self.other_ready.val());
        self.pipeline.memory_ready.next = self.memory_ready.val();
        self.takes.next =
            self.pipeline.memory_valid.val() && !self.front_other.val() && self.memory_ready.val();
        if self.unit.instruction_ready.val() {
            self.held.d.next = false;
        }
        if self.takes.val() {
            self.held.d.next = true;
            self.held_warp.d.next = self.pipeline.memory_warp.val();
            self.held_slot.d.next = self.pipeline.memory_slot.val();
            self.held_entry.d.next = self.pipeline.memory_entry.val();
            self.held_index.d.next = self.pipeline.memory_index.val();
            self.held_log_address.d.next = self.pipeline.memory_log_address.val();
            self.held_log_data.d.next = self.pipeline.memory_log_data.val();
            self.held_store.d.next = self.pipeline.memory_class.val() == bits::<CLASS_BITS>(5);
            self.held_mask.d.next = self.pipeline.memory_mask.val();
        }
        self.unit.instruction_valid.next = self.held.q.val();
        self.unit.instruction_warp.next = self.held_warp.q.val();
        self.unit.instruction_slot.next = self.held_slot.q.val();
        self.unit.instruction_entry.next = self.held_entry.q.val();
        self.unit.instruction_index.next = self.held_index.q.val();
        self.unit.instruction_log_address.next = self.held_log_address.q.val();
        self.unit.instruction_log_data.next = self.held_log_data.q.val();
        self.unit.instruction_store.next = self.held_store.q.val();
        self.unit.instruction_mask.next = self.held_mask.q.val();
        self.unit.split_ready.next = self.coalescer.instruction_ready.val();
        self.coalescer.instruction_valid.next = self.unit.split_valid.val();
        self.coalescer.instruction_pages.next = false;
        for i in 0..LANES {
            self.coalescer.instruction_mask[i].next = self.held_mask.q.val().get_bit(i);
            self.coalescer.instruction_line[i].next = self.access_line[i].val();
            self.request_mask.of[i].next = self.first_lane.val() << i.to_bits::<LANES>();
            self.request_mask.choose[i].next = self.coalescer.request_mask[i].val();
        }
        self.unit.request_valid.next = self.coalescer.request_valid.val();
        self.unit.request_line.next = self.coalescer.request_line.val();
        self.unit.request_mask.next = self.request_mask.chosen.val();
        self.unit.request_last.next = self.coalescer.request_last.val();
        self.coalescer.request_ready.next = self.unit.request_ready.val();

        // The L1 TLB checks what the memory unit offers.
        self.unit.asid.next = self.asid.val();
        self.unit.check_ready.next = self.tlb.check_ready.val();
        self.unit.answer_hit.next = self.tlb.answer_hit.val();
        self.unit.answer_pfn.next = self.tlb.answer_pfn.val();
        self.unit.answer_fault.next = self.tlb.answer_fault.val();
        self.unit.answer_denied.next = self.tlb.answer_denied.val() && self.squashes.val();
        self.unit.wake_valid.next = self.tlb.wake_valid.val();
        self.unit.wake_all.next = self.tlb.wake_all.val();
        self.unit.wake_vpn.next = self.tlb.wake_vpn.val();
        self.unit.wake_asid.next = self.tlb.wake_asid.val();
        self.unit.invalidate_valid.next = self.invalidate_valid.val();
        self.unit.invalidate_scope.next = self.invalidate_scope.val();
        self.unit.invalidate_asid.next = self.invalidate_asid.val();
        self.tlb.check_valid.next = self.unit.check_valid.val();
        self.tlb.check_vpn.next = self.unit.check_vpn.val();
        self.tlb.check_asid.next = self.asid.val();
        self.tlb.check_write.next = self.unit.check_write.val();
        self.tlb.check_tag.next = 0.into();
        self.tlb.report_faults.next = self.squashes.val();
        self.tlb.walk_ready.next = self.walk_ready.val();
        self.tlb.fill_valid.next = self.fill_valid.val();
        self.tlb.fill_kind.next = self.fill_kind.val();
        self.tlb.fill_vpn.next = self.fill_vpn.val();
        self.tlb.fill_asid.next = self.fill_asid.val();
        self.tlb.fill_pfn.next = self.fill_pfn.val();
        self.tlb.fill_writable.next = self.fill_writable.val();
        self.tlb.fill_clean.next = self.fill_clean.val();
        self.tlb.resolve_valid.next = self.resolve_valid.val();
        self.tlb.resolve_vpn.next = self.resolve_vpn.val();
        self.tlb.resolve_asid.next = self.resolve_asid.val();
        self.tlb.invalidate_valid.next = self.invalidate_valid.val();
        self.tlb.invalidate_scope.next = self.invalidate_scope.val();
        self.tlb.invalidate_vpn.next = self.invalidate_vpn.val();
        self.tlb.invalidate_asid.next = self.invalidate_asid.val();
        self.tlb.far_limit.next = self.far_limit.val();
        self.walk_valid.next = self.tlb.walk_valid.val();
        self.walk_vpn.next = self.tlb.walk_vpn.val();
        self.walk_asid.next = self.tlb.walk_asid.val();
        self.walk_write.next = self.tlb.walk_write.val();

        // What is certain of an instruction: another unit's message goes first, for the memory unit's stays.
        self.pipeline.checked_valid.next =
            self.certain_valid.val() || self.unit.checked_valid.val();
        self.pipeline.checked_warp.next = self.unit.checked_warp.val();
        self.pipeline.checked_entry.next = self.unit.checked_entry.val();
        self.pipeline.checked_index.next = self.unit.checked_index.val();
        self.pipeline.checked_slot.next = self.unit.checked_slot.val();
        self.pipeline.checked_store.next = self.unit.checked_store.val();
        self.pipeline.checked_log_address.next = self.unit.checked_log_address.val();
        self.pipeline.checked_log_data.next = self.unit.checked_log_data.val();
        if self.certain_valid.val() {
            self.pipeline.checked_warp.next = self.certain_warp.val();
            self.pipeline.checked_entry.next = self.certain_entry.val();
            self.pipeline.checked_index.next = self.certain_index.val();
            self.pipeline.checked_slot.next = self.certain_slot.val();
            self.pipeline.checked_store.next = self.certain_store.val();
            self.pipeline.checked_log_address.next = self.certain_log_address.val();
            self.pipeline.checked_log_data.next = self.certain_log_data.val();
        }
        self.certain_ready.next = self.pipeline.checked_ready.val();
        self.unit.checked_ready.next =
            self.pipeline.checked_ready.val() && !self.certain_valid.val();

        // A fault of the memory unit goes before what another unit raises, for it cannot wait.
        self.raised_ready.next = !self.unit.faulted_valid.val();
        self.faulted_valid.next = self.raised_valid.val() || self.unit.faulted_valid.val();
        self.faulted_denied.next = self.unit.faulted_denied.val();
        self.faulted_warp.next = self.unit.faulted_warp.val();
        self.faulted_entry.next = self.unit.faulted_entry.val();
        self.faulted_index.next = self.unit.faulted_index.val();
        if self.raised_valid.val() && !self.unit.faulted_valid.val() {
            self.faulted_warp.next = self.raised_warp.val();
            self.faulted_entry.next = self.raised_entry.val();
            self.faulted_index.next = self.raised_index.val();
        }
        self.pipeline.faulted_valid.next = self.raised_valid.val() || self.unit.faulted_valid.val();
        self.pipeline.faulted_warp.next = self.faulted_warp.val();
        self.pipeline.faulted_entry.next = self.faulted_entry.val();
        self.pipeline.faulted_index.next = self.faulted_index.val();

        // A resume from outside goes first.
        self.pipeline.resume_valid.next = self.resume_valid.val() || self.unit.resume_valid.val();
        self.pipeline.resume_warp.next = self.unit.resume_warp.val();
        if self.resume_valid.val() {
            self.pipeline.resume_warp.next = self.resume_warp.val();
        }
        self.resume_ready.next = self.pipeline.resume_ready.val();
        self.unit.resume_ready.next = self.pipeline.resume_ready.val() && !self.resume_valid.val();
        self.unit.leave_valid.next = self.leave_valid.val();
        self.unit.leave_warp.next = self.leave_warp.val();
        for w in 0..SM_WARPS {
            self.unit.hold[w].next = self.hold[w].val();
        }
        self.unit.line_ready.next = self.line_ready.val();
        self.absent_valid.next = self.unit.absent_valid.val();
        self.absent_warp.next = self.unit.absent_warp.val();
        self.absent_slot.next = self.unit.absent_slot.val();
        self.absent_vpn.next = self.unit.absent_vpn.val();
        self.line_valid.next = self.unit.line_valid.val();
        self.line_number.next = self.unit.line_number.val();
        self.line_mask.next = self.unit.line_mask.val();
        self.line_warp.next = self.unit.line_warp.val();
        self.line_entry.next = self.unit.line_entry.val();
        self.line_store.next = self.unit.line_store.val();
        self.line_last.next = self.unit.line_last.val();
        self.settled.next = self.unit.settled.val();

        // The rest of the pipeline's ports.
        self.pipeline.start_valid.next = self.start_valid.val();
        self.pipeline.start_warp.next = self.start_warp.val();
        self.pipeline.start_slot.next = self.start_slot.val();
        self.pipeline.stop_valid.next = self.stop_valid.val();
        self.pipeline.stop_warp.next = self.stop_warp.val();
        self.pipeline.special_ready.next = self.special_ready.val();
        self.pipeline.launch_valid.next = self.launch_valid.val();
        self.pipeline.launch_entries.next = self.launch_entries.val();
        self.pipeline.save_valid.next = self.save_valid.val();
        self.pipeline.save_slot.next = self.save_slot.val();
        self.pipeline.saved_ready.next = self.saved_ready.val();
        self.pipeline.restore_valid.next = self.restore_valid.val();
        self.pipeline.restore_warp.next = self.restore_warp.val();
        self.pipeline.restore_slot.next = self.restore_slot.val();
        self.pipeline.restore_store.next = self.restore_store.val();
        self.pipeline.restore_destination.next = self.restore_destination.val();
        self.pipeline.restore_source_a.next = self.restore_source_a.val();
        self.pipeline.restore_source_b.next = self.restore_source_b.val();
        self.pipeline.restore_pc.next = self.restore_pc.val();
        self.pipeline.restore_mask.next = self.restore_mask.val();
        self.pipeline.restore_opcode.next = self.restore_opcode.val();
        for i in 0..WIDTH {
            self.pipeline.fetched_valid[i].next = self.fetched_valid[i].val();
            self.pipeline.fetched_class[i].next = self.fetched_class[i].val();
            self.pipeline.fetched_destination[i].next = self.fetched_destination[i].val();
            self.pipeline.fetched_source_a[i].next = self.fetched_source_a[i].val();
            self.pipeline.fetched_source_b[i].next = self.fetched_source_b[i].val();
            self.pipeline.fetched_source_c[i].next = self.fetched_source_c[i].val();
            self.pipeline.fetched_pc[i].next = self.fetched_pc[i].val();
            self.pipeline.fetched_mask[i].next = self.fetched_mask[i].val();
            self.pipeline.fetched_opcode[i].next = self.fetched_opcode[i].val();
        }
        for i in 0..LOG_WORDS {
            self.pipeline.operand[i].next = self.operand[i].val();
        }
        for i in 0..UNITS {
            self.pipeline.finished_valid[i].next = self.finished_valid[i].val();
            self.pipeline.finished_warp[i].next = self.finished_warp[i].val();
            self.pipeline.finished_entry[i].next = self.finished_entry[i].val();
        }
        self.revert_valid.next = self.pipeline.revert_valid.val();
        self.revert_warp.next = self.pipeline.revert_warp.val();
        self.revert_count.next = self.pipeline.revert_count.val();
        self.memory_front.next = self.pipeline.memory_front.val();
        self.memory_data.next = self.pipeline.memory_data.val();
        self.memory_valid.next = self.pipeline.memory_valid.val();
        self.memory_warp.next = self.pipeline.memory_warp.val();
        self.memory_slot.next = self.pipeline.memory_slot.val();
        self.memory_entry.next = self.pipeline.memory_entry.val();
        self.memory_class.next = self.pipeline.memory_class.val();
        self.memory_replayed.next = self.pipeline.memory_replayed.val();
        self.memory_squashed.next = self.pipeline.memory_squashed.val();
        self.memory_pc.next = self.pipeline.memory_pc.val();
        self.memory_mask.next = self.pipeline.memory_mask.val();
        self.memory_opcode.next = self.pipeline.memory_opcode.val();
        self.memory_index.next = self.pipeline.memory_index.val();
        self.memory_log_address.next = self.pipeline.memory_log_address.val();
        self.memory_log_data.next = self.pipeline.memory_log_data.val();
        self.logged_valid.next = self.pipeline.logged_valid.val();
        self.occupancy.next = self.pipeline.occupancy.val();
        self.save_ready.next = self.pipeline.save_ready.val();
        self.save_done.next = self.pipeline.save_done.val();
        self.spilled_valid.next = self.pipeline.spilled_valid.val();
        self.saved_valid.next = self.pipeline.saved_valid.val();
        self.saved_warp.next = self.pipeline.saved_warp.val();
        self.saved_store.next = self.pipeline.saved_store.val();
        self.saved_destination.next = self.pipeline.saved_destination.val();
        self.saved_source_a.next = self.pipeline.saved_source_a.val();
        self.saved_source_b.next = self.pipeline.saved_source_b.val();
        self.saved_pc.next = self.pipeline.saved_pc.val();
        self.saved_mask.next = self.pipeline.saved_mask.val();
        self.saved_opcode.next = self.pipeline.saved_opcode.val();
        self.restore_ready.next = self.pipeline.restore_ready.val();
        for i in 0..WIDTH {
            self.fetch_valid[i].next = self.pipeline.fetch_valid[i].val();
            self.fetch_warp[i].next = self.pipeline.fetch_warp[i].val();
            self.read_valid[i].next = self.pipeline.read_valid[i].val();
            self.read_warp[i].next = self.pipeline.read_warp[i].val();
            self.read_entry[i].next = self.pipeline.read_entry[i].val();
            self.read_class[i].next = self.pipeline.read_class[i].val();
            self.read_replayed[i].next = self.pipeline.read_replayed[i].val();
            self.read_destination[i].next = self.pipeline.read_destination[i].val();
            self.read_source_a[i].next = self.pipeline.read_source_a[i].val();
            self.read_source_b[i].next = self.pipeline.read_source_b[i].val();
            self.read_source_c[i].next = self.pipeline.read_source_c[i].val();
            self.read_pc[i].next = self.pipeline.read_pc[i].val();
            self.read_mask[i].next = self.pipeline.read_mask[i].val();
            self.read_opcode[i].next = self.pipeline.read_opcode[i].val();
        }
        for i in 0..LOG_WORDS {
            self.logged_data[i].next = self.pipeline.logged_data[i].val();
        }
    }
}
