#![doc = include_str!("../../../docs/blocks/sm_pipeline.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{
    CLASS_BITS, CONTESTS, LOG_WORDS, OPCODE_BITS, REGISTER_BITS, SLOT_BITS, SLOTS, UNITS,
    WARP_BITS, WIDTH,
};
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

mod buffer;
mod fetch_port;
mod instruction;
mod issue_port;
mod log_access;
mod log_room;
mod log_spill;
mod log_turns;
mod memory_place;
mod memory_places;
mod memory_stage;
mod of_slot;
mod operand_read;
mod reissue;
mod resume;
mod reverts;
mod squash;
mod unit_check;
mod warp;

use fetch_port::FetchPort;
use instruction::{Messages, Request, Units};
use issue_port::IssuePort;
use log_room::LogRoom;
use log_turns::LogTurns;
use memory_stage::MemoryStage;
use operand_read::OperandRead;
use reissue::Reissue;
use resume::Resume;
use reverts::Reverts;
use squash::Squash;
use warp::Warp;

/// What distinguishes the schemes of Tanasic et al. (§3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// A faulting instruction waits in the memory unit.
    StallOnFault,
    /// No fetch behind a global-memory instruction until it commits.
    WarpDisableCommit,
    /// No fetch behind a global-memory instruction until its last TLB check.
    WarpDisableLastCheck,
    /// A replay queue, and sources held until the last TLB check.
    ReplayQueue,
    /// A replay queue and an operand log.
    OperandLog,
}

/// SM pipeline: fetch, issue, operand read and commit of the warps of an SM, in one of five exception schemes. `WARPS`
/// warps with numbers of `WARP` bits; each port serves `PORT_WARPS` of them, with numbers of `PORT_WARP` bits and
/// `PAIRS` pairs. `INSTRUCTIONS` instructions of a warp with scoreboard entries of `ENTRY` bits. A replay queue of
/// `QUEUE_ENTRIES` entries with indices of `QUEUE_INDEX` bits, counted in `QUEUE_COUNT` bits, and ages of `AGE` bits.
/// An operand log of `LOG_ENTRIES` entries with indices of `LOG_INDEX` bits, counted in `LOG_COUNT` bits.
#[block(top, new(scheme: Scheme, greedy: bool))]
pub struct SmPipeline<
    const WARPS: usize,
    const PORT_WARPS: usize,
    const PORT_WARP: usize,
    const PAIRS: usize,
    const WARP: usize,
    const INSTRUCTIONS: usize,
    const ENTRY: usize,
    const QUEUE_ENTRIES: usize,
    const QUEUE_INDEX: usize,
    const QUEUE_COUNT: usize,
    const AGE: usize,
    const LOG_ENTRIES: usize,
    const LOG_INDEX: usize,
    const LOG_COUNT: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: drops every instruction and stops every warp.
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
    /// A warp that has stopped and drained is to go on, its squashed instructions first.
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
    /// The memory unit takes the instruction at the front.
    pub memory_ready: Signal<In, Bit>,
    /// Operand that the front of the memory stage requests: 32 lanes of 64 bits.
    pub operand: [Signal<In, Bits<32>>; LOG_WORDS],
    /// Units whose instruction commits, one bit each.
    pub finished_valid: [Signal<In, Bit>; UNITS],
    /// Warp of each unit's instruction.
    pub finished_warp: [Signal<In, Bits<WARP_BITS>>; UNITS],
    /// Scoreboard entry of each unit's instruction.
    pub finished_entry: [Signal<In, Bits<ENTRY>>; UNITS],
    /// The last TLB check of a global-memory instruction has succeeded.
    pub checked_valid: Signal<In, Bit>,
    /// Warp of the checked instruction.
    pub checked_warp: Signal<In, Bits<WARP_BITS>>,
    /// Scoreboard entry of the checked instruction.
    pub checked_entry: Signal<In, Bits<ENTRY>>,
    /// Replay-queue entry of the checked instruction.
    pub checked_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// Thread-block slot of the checked instruction.
    pub checked_slot: Signal<In, Bits<SLOT_BITS>>,
    /// The checked instruction is a store.
    pub checked_store: Signal<In, Bit>,
    /// Operand-log entry of the checked instruction's address.
    pub checked_log_address: Signal<In, Bits<LOG_INDEX>>,
    /// Operand-log entry of the checked instruction's store data.
    pub checked_log_data: Signal<In, Bits<LOG_INDEX>>,
    /// A TLB check of a global-memory instruction has failed: the page is absent.
    pub faulted_valid: Signal<In, Bit>,
    /// Warp of the faulting instruction.
    pub faulted_warp: Signal<In, Bits<WARP_BITS>>,
    /// Scoreboard entry of the faulting instruction.
    pub faulted_entry: Signal<In, Bits<ENTRY>>,
    /// Replay-queue entry of the faulting instruction.
    pub faulted_index: Signal<In, Bits<QUEUE_INDEX>>,
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

    /// The resume is accepted.
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
    pub read_entry: [Signal<Out, Bits<ENTRY>>; WIDTH],
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
    /// The front goes to the memory unit.
    pub memory_valid: Signal<Out, Bit>,
    /// Warp of the front.
    pub memory_warp: Signal<Out, Bits<WARP_BITS>>,
    /// Thread-block slot of the front.
    pub memory_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Scoreboard entry of the front, which names it in later messages.
    pub memory_entry: Signal<Out, Bits<ENTRY>>,
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
    /// The message of a successful check is accepted.
    pub checked_ready: Signal<Out, Bit>,
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

    // The port that goes first if both want the only unit of a kind: for special functions, control, memory instructions,
    // and for memory besides, if both need a place in the queue.
    favoured: [Register<Bit>; CONTESTS],
    kept: [Register<Bit>; WIDTH],
    // The unit for special functions was ready in the cycle before.
    had_special: Register<Bit>,
    // A save was accepted in the cycle before, in a scheme that has nothing to save.
    saved_nothing: Register<Bit>,

    // The scheme.
    #[init(Constant::new(scheme != Scheme::StallOnFault))]
    squashes: Constant<Bit>,
    #[init(Constant::new(matches!(scheme, Scheme::WarpDisableCommit | Scheme::WarpDisableLastCheck)))]
    disables: Constant<Bit>,
    #[init(Constant::new(matches!(scheme, Scheme::WarpDisableLastCheck | Scheme::ReplayQueue)))]
    checks: Constant<Bit>,
    #[init(Constant::new(matches!(scheme, Scheme::ReplayQueue | Scheme::OperandLog)))]
    queues: Constant<Bit>,
    #[init(Constant::new(scheme == Scheme::OperandLog))]
    logs: Constant<Bit>,

    #[init((0..WARPS) .map(|_| Warp::new(scheme == Scheme::ReplayQueue)) .collect())]
    warp: Vec<Warp<INSTRUCTIONS, ENTRY>>,
    fetch_port: [FetchPort<PORT_WARPS, PORT_WARP>; WIDTH],
    #[init(std::array::from_fn(|_| IssuePort::new(greedy)))]
    issue_port: [IssuePort<PORT_WARPS, PORT_WARP, PAIRS, ENTRY>; WIDTH],
    // The log's room for each port, and for an instruction that is restored; and whose turn it is to take it.
    room: [LogRoom; WIDTH + 1],
    log_turns: LogTurns<WARPS>,
    operand_read: [OperandRead<ENTRY>; WIDTH],
    reissue: Reissue<QUEUE_INDEX>,
    reverts: Reverts<WARPS, WARP>,
    resume: Resume,
    squash: Squash<ENTRY>,
    #[init(MemoryStage::new(matches!(scheme, Scheme::ReplayQueue | Scheme::OperandLog), scheme == Scheme::OperandLog))]
    stage: MemoryStage<
        ENTRY,
        QUEUE_ENTRIES,
        QUEUE_INDEX,
        QUEUE_COUNT,
        AGE,
        LOG_ENTRIES,
        LOG_INDEX,
        LOG_COUNT,
    >,
    some_requesting: [OrTree<PORT_WARPS>; WIDTH],
    reissue_entry: OneHotMux<WARPS, Bits<ENTRY>>,
    drained: OrTree<WARPS>,
    slot_busy: OrTree<WARPS>,

    messages: Signal<Local, Messages>,
    free_units: Signal<Local, Units>,
    choice: Signal<Local, Units>,
    fault: Signal<Local, Bit>,
    clash: Signal<Local, Bit>,
    clashes: [Signal<Local, Bit>; CONTESTS],
    both_memory: Signal<Local, Bit>,
    both_global: Signal<Local, Bit>,
    both_wait: Signal<Local, Bit>,
    keeps: [Signal<Local, Bit>; WIDTH],
    conflict: Signal<Local, Bit>,
    second_first: Signal<Local, Bit>,
    go: [Signal<Local, Bit>; WIDTH],
    pair_go: [Signal<Local, Bit>; WIDTH],
    pushed: Signal<Local, Request>,
}

impl<
    const WARPS: usize,
    const PORT_WARPS: usize,
    const PORT_WARP: usize,
    const PAIRS: usize,
    const WARP: usize,
    const INSTRUCTIONS: usize,
    const ENTRY: usize,
    const QUEUE_ENTRIES: usize,
    const QUEUE_INDEX: usize,
    const QUEUE_COUNT: usize,
    const AGE: usize,
    const LOG_ENTRIES: usize,
    const LOG_INDEX: usize,
    const LOG_COUNT: usize,
> Logic
    for SmPipeline<
        WARPS,
        PORT_WARPS,
        PORT_WARP,
        PAIRS,
        WARP,
        INSTRUCTIONS,
        ENTRY,
        QUEUE_ENTRIES,
        QUEUE_INDEX,
        QUEUE_COUNT,
        AGE,
        LOG_ENTRIES,
        LOG_INDEX,
        LOG_COUNT,
    >
{
    #[logic]
    fn update(&mut self) {
        self.log_turns.reset.next = self.reset.val() || !self.logs.val();
        self.saved_nothing.reset.next = self.reset.val() || self.queues.val();

        // What happens to warps.
        self.fault.next = self.faulted_valid.val() && self.squashes.val();
        self.squash.queues.next = self.queues.val();
        self.squash.fault_valid.next = self.fault.val();
        self.squash.fault_warp.next = self.faulted_warp.val();
        self.squash.fault_entry.next = self.faulted_entry.val();
        self.squash.squashed_valid.next = self.stage.squashed_valid.val();
        self.squash.squashed_warp.next = self.stage.front_warp.val();
        self.squash.squashed_entry.next = self.stage.front_entry.val();
        self.stage.waiting_squash.next = self.squash.waiting.val();
        self.messages.next.start_valid = self.start_valid.val();
        self.messages.next.start_warp = self.start_warp.val();
        self.messages.next.start_slot = self.start_slot.val();
        self.messages.next.stop_valid = self.stop_valid.val();
        self.messages.next.stop_warp = self.stop_warp.val();
        self.messages.next.fault_valid = self.fault.val();
        self.messages.next.fault_warp = self.faulted_warp.val();
        self.messages.next.fault_refetches = self.disables.val();
        self.messages.next.squash_valid = self.squash.valid.val();
        self.messages.next.squash_warp = self.squash.warp.val();
        self.messages.next.checked_valid =
            self.checked_valid.val() && self.checks.val() && self.stage.checked_ready.val();
        self.messages.next.checked_warp = self.checked_warp.val();
        self.messages.next.proceed_valid = self.resume.proceed_valid.val();
        self.messages.next.proceed_warp = self.resume.proceed_warp.val();
        self.messages.next.reissue_valid = self.reissue.valid.val();
        self.messages.next.reissue_taken = self.reissue.taken.val();
        self.messages.next.reissue_warp = self.reissue.warp.val();
        for w in 0..WARPS {
            self.warp[w].number.next = w.to_bits::<WARP_BITS>();
            self.warp[w].logs.next = self.logs.val();
            self.warp[w].disables.next = self.disables.val();
            self.warp[w].messages.next = self.messages.val();
            self.warp[w].squash_entry.next = self.squash.entry.val();
            self.warp[w].checked_entry.next = self.checked_entry.val();
            self.warp[w].resume_warp.next = self.resume_warp.val();
            self.warp[w].save_slot.next = self.save_slot.val();
            for u in 0..UNITS {
                self.warp[w].finished_valid[u].next = self.finished_valid[u].val();
                self.warp[w].finished_warp[u].next = self.finished_warp[u].val();
                self.warp[w].finished_entry[u].next = self.finished_entry[u].val();
            }
        }

        // A warp has an even number on port 0, an odd one on port 1. An instruction that comes back takes port 0.
        self.fetch_port[0].odd.next = 0.into();
        self.fetch_port[1].odd.next = 1.into();
        self.issue_port[0].odd.next = 0.into();
        self.issue_port[1].odd.next = 1.into();
        self.issue_port[0].blocked.next = self.reissue.valid.val();
        self.issue_port[1].blocked.next = false;

        // Fetch: the requested instructions arrive, and the warps of the next cycle are chosen.
        for p in 0..WIDTH {
            self.fetch_port[p].disables.next = self.disables.val();
            self.fetch_port[p].fetched_class.next = self.fetched_class[p].val();
            self.fetch_port[p].fetched_destination.next = self.fetched_destination[p].val();
            self.fetch_port[p].fetched_source_a.next = self.fetched_source_a[p].val();
            self.fetch_port[p].fetched_source_b.next = self.fetched_source_b[p].val();
            self.fetch_port[p].fetched_source_c.next = self.fetched_source_c[p].val();
            self.fetch_port[p].fetched_pc.next = self.fetched_pc[p].val();
            self.fetch_port[p].fetched_mask.next = self.fetched_mask[p].val();
            self.fetch_port[p].fetched_opcode.next = self.fetched_opcode[p].val();
            self.fetch_port[p].reissue_valid.next = self.reissue.valid.val();
            self.fetch_port[p].reissue_registers.next = self.reissue.registers.val();
            for i in 0..PORT_WARPS {
                self.fetch_port[p].request[i].next = self.warp[2 * i + p].fetch_request.val();
                self.some_requesting[p].of[i].next = self.warp[2 * i + p].requesting.val();
                self.warp[2 * i + p].fetch_chosen.next = self.fetch_port[p].chosen[i].val();
                self.warp[2 * i + p].fetched_valid.next = self.fetched_valid[p].val();
                self.warp[2 * i + p].fetched.next = self.fetch_port[p].fetched.val();
                self.warp[2 * i + p].entry.next = self.fetch_port[p].entry.val();
                self.warp[2 * i + p].entry_stops.next = self.fetch_port[p].entry_stops.val();
                self.warp[2 * i + p].entry_holds.next = self.fetch_port[p].entry_holds.val();
            }
            self.fetch_valid[p].next = self.some_requesting[p].any.val();
            self.fetch_warp[p].next = self.fetch_port[p].warp.val();
        }

        // Issue: whether the warps that were chosen can, and which are chosen for the next cycle.
        self.had_special.d.next = self.special_ready.val();
        self.free_units.next.special = self.special_ready.val() || self.had_special.q.val();
        self.free_units.next.memory = self.stage.credit_chosen.val() && !self.reissue.valid.val();
        self.free_units.next.place = self.stage.place_chosen.val();
        // A memory instruction is chosen only while two places are free: what issues before it takes at most one.
        self.choice.next.special = self.special_ready.val();
        self.choice.next.memory = self.stage.credit_two.val() && !self.reissue.valid.val();
        self.choice.next.place = self.stage.place_two.val();
        for p in 0..WIDTH {
            for i in 0..PORT_WARPS {
                self.issue_port[p].request[i].next = self.warp[2 * i + p].issue_request.val();
                self.issue_port[p].ready[i].next = self.warp[2 * i + p].ready.val();
                self.issue_port[p].pair[i].next = self.warp[2 * i + p].pair.val();
                self.issue_port[p].special[i].next = self.warp[2 * i + p].special.val();
                self.issue_port[p].control[i].next = self.warp[2 * i + p].control.val();
                self.issue_port[p].memory[i].next = self.warp[2 * i + p].memory.val();
                self.issue_port[p].turn[i].next = self.warp[2 * i + p].chosen_turn.val();
                self.issue_port[p].first[i].next = self.warp[2 * i + p].first.val();
                self.issue_port[p].first_entry[i].next = self.warp[2 * i + p].first_entry.val();
                self.issue_port[p].second[i].next = self.warp[2 * i + p].second.val();
                self.issue_port[p].second_entry[i].next = self.warp[2 * i + p].second_entry.val();
                self.issue_port[p].slot[i].next = self.warp[2 * i + p].slot.val();
                self.warp[2 * i + p].issue_chosen.next = self.issue_port[p].chosen[i].val();
                self.warp[2 * i + p].go.next = self.go[p].val();
                self.warp[2 * i + p].pair_go.next = self.pair_go[p].val();
                self.warp[2 * i + p].stays.next =
                    self.clash.val() || self.issue_port[p].blocked.val();
            }
        }
        for w in 0..WARPS {
            self.warp[w].free_units.next = self.free_units.val();
            self.warp[w].choice.next = self.choice.val();
            for k in 0..SLOTS {
                self.warp[w].seen_one[k].next = self.stage.seen_one[k].val();
                self.warp[w].seen_two[k].next = self.stage.seen_two[k].val();
                self.warp[w].calls[k].next = self.log_turns.calls[k].val();
                self.warp[w].kept[k].next = self.log_turns.kept[k].val();
            }
        }
        // The ports take turns at a unit of which there is one. The port that leaves it to the other keeps its choice
        // for a cycle.
        self.both_memory.next =
            self.issue_port[0].needs_memory.val() && self.issue_port[1].needs_memory.val();
        self.both_global.next = self.issue_port[0].older.val().class.get_bit(2)
            && self.issue_port[1].older.val().class.get_bit(2);
        self.clashes[0].next =
            self.issue_port[0].needs_special.val() && self.issue_port[1].needs_special.val();
        self.clashes[1].next =
            self.issue_port[0].needs_control.val() && self.issue_port[1].needs_control.val();
        self.clashes[2].next = self.both_memory.val() && !self.both_global.val();
        self.clashes[3].next = self.both_memory.val() && self.both_global.val();
        self.clash.next = self.clashes[0].val() || self.clashes[1].val() || self.both_memory.val();
        self.second_first.next = (self.clashes[0].val() && self.favoured[0].q.val())
            || (self.clashes[1].val() && self.favoured[1].q.val())
            || (self.clashes[2].val() && self.favoured[2].q.val())
            || (self.clashes[3].val() && self.favoured[3].q.val());
        self.both_wait.next =
            self.clash.val() && self.issue_port[0].waits.val() && self.issue_port[1].waits.val();
        self.keeps[0].next =
            self.both_wait.val() && self.second_first.val() && !self.kept[0].q.val();
        self.keeps[1].next =
            self.both_wait.val() && !self.second_first.val() && !self.kept[1].q.val();
        for p in 0..WIDTH {
            self.kept[p].d.next = self.keeps[p].val();
            self.issue_port[p].keeps.next = self.keeps[p].val();
        }
        self.conflict.next =
            self.clash.val() && self.issue_port[0].can_go.val() && self.issue_port[1].can_go.val();
        self.go[0].next =
            self.issue_port[0].can_go.val() && !(self.conflict.val() && self.second_first.val());
        self.go[1].next =
            self.issue_port[1].can_go.val() && !(self.conflict.val() && !self.second_first.val());
        for p in 0..WIDTH {
            self.issue_port[p].goes.next = self.go[p].val();
        }
        for c in 0..CONTESTS {
            self.favoured[c].d.next =
                self.favoured[c].q.val() ^ (self.conflict.val() && self.clashes[c].val());
        }
        self.pair_go[0].next = self.issue_port[0].can_go.val()
            && !self.issue_port[1].can_go.val()
            && self.issue_port[0].can_pair.val();
        self.pair_go[1].next = self.issue_port[1].can_go.val()
            && !self.issue_port[0].can_go.val()
            && !self.reissue.valid.val()
            && self.issue_port[1].can_pair.val();

        // Log entries, for the warps that were chosen and for what is restored.
        for r in 0..3 {
            self.room[r].logs.next = self.logs.val();
            for k in 0..SLOTS {
                self.room[r].left_one[k].next = self.stage.left_one[k].val();
                self.room[r].left_two[k].next = self.stage.left_two[k].val();
                self.room[r].kept[k].next = self.log_turns.kept[k].val();
            }
        }
        for p in 0..WIDTH {
            self.log_turns.refused[p].next = self.issue_port[p].refused.val();
            self.log_turns.slot[p].next = self.issue_port[p].warp_slot.val();
            self.room[p].turn.next = self.issue_port[p].has_turn.val();
            self.room[p].slot.next = self.issue_port[p].warp_slot.val();
            self.issue_port[p].load_fits.next = self.room[p].load.val();
            self.issue_port[p].store_fits.next = self.room[p].store.val();
        }
        for w in 0..WARPS {
            self.log_turns.turn[w].next = self.warp[w].turn.val();
            self.log_turns.slot_of_warp[w].next = self.warp[w].slot.val();
        }
        self.room[2].turn.next = true;
        self.room[2].slot.next = self.restore_slot.val();
        self.reissue.restore_fits.next = (self.restore_store.val() && self.room[2].store.val())
            || (!self.restore_store.val() && self.room[2].load.val());

        // What comes back, from the queue or else from a saved context.
        self.reissue.queues.next = self.queues.val();
        self.reissue.replay_valid.next = self.stage.replay_valid.val();
        self.reissue.replay.next = self.stage.replay.val();
        self.reissue.replay_index.next = self.stage.replay_index.val();
        self.reissue.replay_log_address.next = self.stage.replay_log_address.val();
        self.reissue.replay_log_data.next = self.stage.replay_log_data.val();
        self.reissue.restore_valid.next = self.restore_valid.val();
        self.reissue.restore.next.class = 4.into();
        if self.restore_store.val() {
            self.reissue.restore.next.class = 5.into();
        }
        self.reissue.restore.next.opcode = self.restore_opcode.val();
        self.reissue.restore.next.destination = self.restore_destination.val();
        self.reissue.restore.next.address_register = self.restore_source_a.val();
        self.reissue.restore.next.data_register = self.restore_source_b.val();
        self.reissue.restore.next.pc = self.restore_pc.val();
        self.reissue.restore.next.mask = self.restore_mask.val();
        self.reissue.restore.next.warp = self.restore_warp.val();
        self.reissue.restore.next.slot = self.restore_slot.val();
        self.reissue.place.next = self.stage.place.val();
        self.reissue.credit.next = self.stage.credit.val();
        self.restore_ready.next = self.reissue.restore_ready.val();
        for w in 0..WARPS {
            self.reissue_entry.choose[w].next = self.reissue.warp.val() == w.to_bits::<WARP_BITS>();
            self.reissue_entry.of[w].next = self.warp[w].arrive_entry.val();
        }

        // Operand read: of a port's own warp, of the other port's warp, or of what comes back, on port 0.
        for p in 0..WIDTH {
            self.operand_read[p].issued[0].next = self.go[p].val();
            self.operand_read[p].instruction[0].next = self.issue_port[p].older.val();
            self.operand_read[p].issued_entry[0].next = self.issue_port[p].older_entry.val();
            self.operand_read[p].issued_warp[0].next = self.issue_port[p].warp.val();
            self.operand_read[p].issued_slot[0].next = self.issue_port[p].warp_slot.val();
            self.operand_read[p].issued[1].next = self.pair_go[1 - p].val();
            self.operand_read[p].instruction[1].next = self.issue_port[1 - p].younger.val();
            self.operand_read[p].issued_entry[1].next = self.issue_port[1 - p].younger_entry.val();
            self.operand_read[p].issued_warp[1].next = self.issue_port[1 - p].warp.val();
            self.operand_read[p].issued_slot[1].next = self.issue_port[1 - p].warp_slot.val();
            self.operand_read[p].instruction[2].next = self.reissue.instruction.val();
            self.operand_read[p].issued_entry[2].next = self.reissue_entry.chosen.val();
            self.operand_read[p].issued_warp[2].next = self.reissue.warp.val();
            self.operand_read[p].issued_slot[2].next = self.reissue.slot.val();
            self.operand_read[p].fault_valid.next = self.fault.val();
            self.operand_read[p].fault_warp.next = self.faulted_warp.val();
            self.operand_read[p].stop_valid.next = self.stop_valid.val();
            self.operand_read[p].stop_warp.next = self.stop_warp.val();
            self.read_valid[p].next = self.operand_read[p].valid.val();
            self.read_warp[p].next = self.operand_read[p].warp.val();
            self.read_entry[p].next = self.operand_read[p].entry.val();
            self.read_class[p].next = self.operand_read[p].class.val();
            self.read_opcode[p].next = self.operand_read[p].opcode.val();
            self.read_destination[p].next = self.operand_read[p].destination.val();
            self.read_source_a[p].next = self.operand_read[p].source_a.val();
            self.read_source_b[p].next = self.operand_read[p].source_b.val();
            self.read_source_c[p].next = self.operand_read[p].source_c.val();
            self.read_pc[p].next = self.operand_read[p].pc.val();
            self.read_mask[p].next = self.operand_read[p].mask.val();
        }
        self.operand_read[0].issued[2].next = self.reissue.taken.val();
        self.operand_read[0].replaying.next = self.reissue.replay_taken.val();
        self.operand_read[0].replayed.next = self.reissue.replayed.val();
        self.operand_read[0].restored.next = self.reissue.restored.val();
        self.operand_read[1].issued[2].next = false;
        self.operand_read[1].replaying.next = false;
        self.operand_read[1].replayed.next = false;
        self.operand_read[1].restored.next = false;
        self.read_replayed[0].next = self.reissue.replayed.val();
        self.read_replayed[1].next = false;

        // The memory stage takes the memory instruction that has read its operands; there is at most one.
        self.stage.issuing.next =
            self.operand_read[0].issues_memory.val() || self.operand_read[1].issues_memory.val();
        self.stage.issuing_global.next =
            self.operand_read[0].issues_global.val() || self.operand_read[1].issues_global.val();
        for p in 0..WIDTH {
            self.stage.port_takes[p].next = self.operand_read[p].allocates.val();
            self.stage.port_slot[p].next = self.operand_read[p].slot.val();
            self.stage.port_two[p].next = self.operand_read[p].class.val().get_bit(0);
        }
        self.stage.push_valid.next =
            self.operand_read[0].memory.val() || self.operand_read[1].memory.val();
        self.pushed.next = self.operand_read[0].request.val();
        self.stage.push_entry.next = self.operand_read[0].entry.val();
        self.stage.push_replayed.next = self.reissue.replayed.val();
        self.stage.push_squashed.next = self.queues.val() && self.operand_read[0].squashed.val();
        if self.operand_read[1].memory.val() {
            self.pushed.next = self.operand_read[1].request.val();
            self.stage.push_entry.next = self.operand_read[1].entry.val();
            self.stage.push_replayed.next = false;
            self.stage.push_squashed.next =
                self.queues.val() && self.operand_read[1].squashed.val();
        }
        self.stage.push.next = self.pushed.val();
        self.stage.push_index.next = self.reissue.index.val();
        self.stage.push_log_address.next = self.reissue.log_address.val();
        self.stage.push_log_data.next = self.reissue.log_data.val();
        self.stage.replay_ready.next = self.stage.credit.val();
        self.stage.stop_valid.next = self.stop_valid.val();
        self.stage.stop_warp.next = self.stop_warp.val();
        self.stage.memory_ready.next = self.memory_ready.val();
        self.stage.checked_valid.next = self.checked_valid.val();
        self.stage.checked_index.next = self.checked_index.val();
        self.stage.checked_slot.next = self.checked_slot.val();
        self.stage.checked_store.next = self.checked_store.val();
        self.stage.checked_log_address.next = self.checked_log_address.val();
        self.stage.checked_log_data.next = self.checked_log_data.val();
        self.stage.fault_valid.next = self.fault.val();
        self.stage.fault_warp.next = self.faulted_warp.val();
        self.stage.fault_index.next = self.faulted_index.val();
        self.stage.resume_valid.next = self.resume.accepted.val();
        self.stage.resume_warp.next = self.resume_warp.val();
        self.stage.launch_valid.next = self.launch_valid.val();
        self.stage.launch_entries.next = self.launch_entries.val();
        for j in 0..LOG_WORDS {
            self.stage.operand[j].next = self.operand[j].val();
            self.logged_data[j].next = self.stage.logged_data[j].val();
        }
        self.memory_front.next = self.stage.front_valid.val();
        self.memory_data.next = self.stage.front_data.val();
        self.memory_valid.next = self.stage.memory_valid.val();
        self.memory_warp.next = self.stage.front_warp.val();
        self.memory_slot.next = self.stage.front_slot.val();
        self.memory_entry.next = self.stage.front_entry.val();
        self.memory_class.next = self.stage.front_class.val();
        self.memory_replayed.next = self.stage.front_replayed.val();
        self.memory_squashed.next = self.stage.front_squashed.val();
        self.memory_pc.next = self.stage.front_pc.val();
        self.memory_mask.next = self.stage.front_mask.val();
        self.memory_opcode.next = self.stage.front_opcode.val();
        self.memory_index.next = self.stage.front_index.val();
        self.memory_log_address.next = self.stage.front_log_address.val();
        self.memory_log_data.next = self.stage.front_log_data.val();
        self.checked_ready.next = self.stage.checked_ready.val();
        self.logged_valid.next = self.stage.logged_valid.val();
        self.occupancy.next = self.stage.occupancy.val();

        // A warp that has stopped gives back what it has not issued; once it has drained, it goes on.
        for w in 0..WARPS {
            self.reverts.request[w].next = self.warp[w].revert_request.val();
            self.reverts.first[w].next = self.warp[w].revert_first.val();
            self.reverts.second[w].next = self.warp[w].revert_second.val();
            self.reverts.squashed[w].next = self.warp[w].revert_squashed.val();
            self.warp[w].revert.next = self.reverts.grant[w].val();
            self.drained.of[w].next = self.warp[w].drained.val();
            self.slot_busy.of[w].next = self.warp[w].stays_in_slot.val();
        }
        self.revert_valid.next = self.reverts.valid.val();
        self.revert_warp.next = self.reverts.warp.val();
        self.revert_count.next = self.reverts.count.val();
        self.resume_ready.next = self.drained.any.val() && self.stage.resume_ready.val();
        self.resume.queues.next = self.queues.val();
        self.resume.resume_valid.next = self.resume_valid.val();
        self.resume.resume_warp.next = self.resume_warp.val();
        self.resume.resume_ready.next = self.resume_ready.val();
        self.resume.replay_done.next = self.stage.replay_done.val();
        self.resume.fault_valid.next = self.fault.val();
        self.resume.fault_warp.next = self.faulted_warp.val();
        self.resume.stop_valid.next = self.stop_valid.val();
        self.resume.stop_warp.next = self.stop_warp.val();

        // A thread block leaves once its warps have stopped and drained.
        self.stage.save_valid.next = self.save_valid.val() && !self.slot_busy.any.val();
        self.stage.save_slot.next = self.save_slot.val();
        self.stage.saved_ready.next = self.saved_ready.val();
        self.save_ready.next = !self.slot_busy.any.val() && self.stage.save_ready.val();
        self.saved_nothing.d.next = self.save_valid.val() && !self.slot_busy.any.val();
        self.save_done.next = self.stage.save_done.val() || self.saved_nothing.q.val();
        self.spilled_valid.next = self.stage.spilled_valid.val();
        self.saved_valid.next = self.stage.saved_valid.val();
        self.saved_warp.next = self.stage.replay.val().warp;
        self.saved_store.next = self.stage.replay.val().class.get_bit(0);
        self.saved_destination.next = self.stage.replay.val().destination;
        self.saved_source_a.next = self.stage.replay.val().address_register;
        self.saved_source_b.next = self.stage.replay.val().data_register;
        self.saved_pc.next = self.stage.replay.val().pc;
        self.saved_mask.next = self.stage.replay.val().mask;
        self.saved_opcode.next = self.stage.replay.val().opcode;
    }
}
