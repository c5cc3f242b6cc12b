//! The part of the SM pipeline between operand read and the memory unit: a short queue of memory instructions, and in
//! the schemes that have them the replay queue and the operand log. Its rules are on the page of `sm_pipeline`.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::instruction::Request;
use super::log_access::LogAccess;
use super::memory_places::MemoryPlaces;
use crate::params::{
    CLASS_BITS, LOG_ENTRY_BITS, LOG_WORDS, OPCODE_BITS, SLOT_BITS, SLOTS, WARP_BITS, WIDTH,
};
use crate::primitives::register::Register;
use crate::sm::replay_queue::ReplayQueue;

/// The stage between operand read and the memory unit: a short queue, the replay queue and the operand log. A replay
/// queue of `QUEUE_ENTRIES` entries with indices of `QUEUE_INDEX` bits, counted in `QUEUE_COUNT` bits, and ages of
/// `AGE` bits; a log of `LOG_ENTRIES` entries with indices of `LOG_INDEX` bits, counted in `LOG_COUNT` bits; scoreboard
/// entries with numbers of `ENTRY` bits.
#[allow(missing_docs)] // the page of the pipeline
#[block(new(queues: bool, logs: bool))]
pub struct MemoryStage<
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
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,

    /// A memory instruction is issued.
    pub issuing: Signal<In, Bit>,
    /// An instruction that needs a place in the replay queue is issued.
    pub issuing_global: Signal<In, Bit>,
    /// Ports whose instruction in operand read takes log entries, one bit each; at most one is high.
    pub port_takes: [Signal<In, Bit>; WIDTH],
    /// Slot of the instruction in each port's operand read.
    pub port_slot: [Signal<In, Bits<SLOT_BITS>>; WIDTH],
    /// Ports whose instruction takes two log entries instead of one, one bit each; ignored without
    /// `port_takes`.
    pub port_two: [Signal<In, Bit>; WIDTH],
    /// A memory instruction arrives from operand read.
    pub push_valid: Signal<In, Bit>,
    /// Instruction that arrives.
    pub push: Signal<In, Request>,
    /// Scoreboard entry of the instruction that arrives.
    pub push_entry: Signal<In, Bits<ENTRY>>,
    /// The instruction that arrives is replayed.
    pub push_replayed: Signal<In, Bit>,
    /// The instruction that arrives only goes to the replay queue.
    pub push_squashed: Signal<In, Bit>,
    /// Replay-queue entry of the instruction that arrives, if it is replayed.
    pub push_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// Log entry of the address of the instruction that arrives, if it is replayed.
    pub push_log_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// Log entry of the store data of the instruction that arrives, if it is replayed.
    pub push_log_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// A warp stops.
    pub stop_valid: Signal<In, Bit>,
    /// Warp that stops.
    pub stop_warp: Signal<In, Bits<WARP_BITS>>,
    /// The memory unit takes the front.
    pub memory_ready: Signal<In, Bit>,
    /// The last TLB check of a global-memory instruction has succeeded.
    pub checked_valid: Signal<In, Bit>,
    /// Replay-queue entry of the checked instruction.
    pub checked_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// Slot of the checked instruction.
    pub checked_slot: Signal<In, Bits<SLOT_BITS>>,
    /// The checked instruction is a store.
    pub checked_store: Signal<In, Bit>,
    /// Log entry of the checked instruction's address.
    pub checked_log_address: Signal<In, Bits<LOG_INDEX>>,
    /// Log entry of the checked instruction's store data.
    pub checked_log_data: Signal<In, Bits<LOG_INDEX>>,
    /// An instruction faults.
    pub fault_valid: Signal<In, Bit>,
    /// Warp of the instruction that faults.
    pub fault_warp: Signal<In, Bits<WARP_BITS>>,
    /// Replay-queue entry of the instruction that faults.
    pub fault_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// A warp is resumed.
    pub resume_valid: Signal<In, Bit>,
    /// Warp that is resumed.
    pub resume_warp: Signal<In, Bits<WARP_BITS>>,
    /// The replayed instruction on offer is taken.
    pub replay_ready: Signal<In, Bit>,
    /// A kernel starts, and the operand log is partitioned again.
    pub launch_valid: Signal<In, Bit>,
    /// Log entries of each thread block of the kernel.
    pub launch_entries: Signal<In, Bits<LOG_COUNT>>,
    /// The squashed instruction that has left the stage still waits to be reported to the scoreboards.
    pub waiting_squash: Signal<In, Bit>,
    /// The thread block in `save_slot` is to leave, and its warps have stopped and drained.
    pub save_valid: Signal<In, Bit>,
    /// Slot of the thread block that is to leave.
    pub save_slot: Signal<In, Bits<SLOT_BITS>>,
    /// The instruction that leaves is taken, or an operand of it may leave the log.
    pub saved_ready: Signal<In, Bit>,
    /// Operand of the front: 32 lanes of two words each.
    pub operand: [Signal<In, Bits<32>>; LOG_WORDS],

    /// The short queue has a place for one more instruction, besides the one in operand read.
    pub credit: Signal<Out, Bit>,
    /// The short queue has places for two more instructions, besides the one in operand read.
    pub credit_two: Signal<Out, Bit>,
    /// `credit_two` is high, or was in the cycle before, so that a chosen warp may issue a memory
    /// instruction.
    pub credit_chosen: Signal<Out, Bit>,
    /// The replay queue has a place for one more instruction; high without a queue.
    pub place: Signal<Out, Bit>,
    /// The replay queue has places for two more instructions; high without a queue.
    pub place_two: Signal<Out, Bit>,
    /// `place_two` is high, or was in the cycle before and one place is left, so that a chosen warp may issue
    /// a global-memory instruction.
    pub place_chosen: Signal<Out, Bit>,
    /// An instruction is at the front.
    pub front_valid: Signal<Out, Bit>,
    /// The next operand of the front is the data of a store; low for an address.
    pub front_data: Signal<Out, Bit>,
    /// Warp of the front.
    pub front_warp: Signal<Out, Bits<WARP_BITS>>,
    /// Slot of the front's thread block.
    pub front_slot: Signal<Out, Bits<SLOT_BITS>>,
    /// Class of the front.
    pub front_class: Signal<Out, Bits<CLASS_BITS>>,
    /// Opcode of the front.
    pub front_opcode: Signal<Out, Bits<OPCODE_BITS>>,
    /// Program counter of the front.
    pub front_pc: Signal<Out, Bits<32>>,
    /// Lanes of the front.
    pub front_mask: Signal<Out, Bits<32>>,
    /// Scoreboard entry of the front.
    pub front_entry: Signal<Out, Bits<ENTRY>>,
    /// The front is replayed.
    pub front_replayed: Signal<Out, Bit>,
    /// The front only goes to the replay queue.
    pub front_squashed: Signal<Out, Bit>,
    /// Replay-queue entry of the front.
    pub front_index: Signal<Out, Bits<QUEUE_INDEX>>,
    /// Log entry of the front's address.
    pub front_log_address: Signal<Out, Bits<LOG_INDEX>>,
    /// Log entry of the front's store data.
    pub front_log_data: Signal<Out, Bits<LOG_INDEX>>,
    /// The front goes to the memory unit.
    pub memory_valid: Signal<Out, Bit>,
    /// The front leaves for the replay queue only, without having been executed.
    pub squashed_valid: Signal<Out, Bit>,
    /// The message of a successful check is accepted.
    pub checked_ready: Signal<Out, Bit>,
    /// The replay queue accepts a resume; high without a queue.
    pub resume_ready: Signal<Out, Bit>,
    /// The replay queue presents an instruction to issue again.
    pub replay_valid: Signal<Out, Bit>,
    /// The replay queue has presented all instructions of the warp.
    pub replay_done: Signal<Out, Bit>,
    /// Instruction that the replay queue presents, for a replay or a save.
    pub replay: Signal<Out, Request>,
    /// Replay-queue entry of the presented instruction.
    pub replay_index: Signal<Out, Bits<QUEUE_INDEX>>,
    /// Log entry of the presented instruction's address.
    pub replay_log_address: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// Log entry of the presented instruction's store data.
    pub replay_log_data: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// The replay queue accepts a save; high without a queue.
    pub save_ready: Signal<Out, Bit>,
    /// The replay queue has presented all instructions of the thread block that leaves.
    pub save_done: Signal<Out, Bit>,
    /// An instruction leaves, and all of its operands have left the log.
    pub saved_valid: Signal<Out, Bit>,
    /// `logged_data` holds an operand of the instruction that leaves.
    pub spilled_valid: Signal<Out, Bit>,
    /// `logged_data` holds an operand of a replayed instruction.
    pub logged_valid: Signal<Out, Bit>,
    /// Instructions in the replay queue.
    pub occupancy: Signal<Out, Bits<QUEUE_COUNT>>,
    /// Slots that have a free log entry besides those that are taken in this cycle, one bit each; all without
    /// a log.
    pub left_one: [Signal<Out, Bit>; SLOTS],
    /// Slots that have at least two free log entries besides those that are taken in this cycle, one bit
    /// each; all without a log.
    pub left_two: [Signal<Out, Bit>; SLOTS],
    /// Slots that had a free log entry in the cycle before, one bit each.
    pub seen_one: [Signal<Out, Bit>; SLOTS],
    /// Slots that had at least two free log entries in the cycle before, one bit each.
    pub seen_two: [Signal<Out, Bit>; SLOTS],
    /// Operand that was last read from the log: 32 lanes of two words each; 0 without a log.
    pub logged_data: [Signal<Out, Bits<32>>; LOG_WORDS],

    has_place: Register<Bit>,
    has_two: Register<Bit>,
    had_two: Register<Bit>,

    // A queue or a log that the scheme does not have stays in reset, and synthesis removes it.
    #[init(Constant::new(queues))]
    queues: Constant<Bit>,
    #[init(Constant::new(logs))]
    logs: Constant<Bit>,
    #[init(Constant::new((QUEUE_ENTRIES as LiteralType).into()))]
    capacity: Constant<Bits<QUEUE_COUNT>>,
    #[used(self.queues.val())]
    queue: ReplayQueue<QUEUE_ENTRIES, QUEUE_INDEX, QUEUE_COUNT, AGE>,
    places: MemoryPlaces<ENTRY, QUEUE_INDEX>,
    #[init(LogAccess::new(logs))]
    #[used(self.logs.val())]
    log_access: LogAccess<LOG_ENTRIES, LOG_INDEX, LOG_COUNT>,

    coming: Signal<Local, Bit>,
    coming_one: Signal<Local, Bits<QUEUE_COUNT>>,
    coming_two: Signal<Local, Bits<QUEUE_COUNT>>,
    coming_three: Signal<Local, Bits<QUEUE_COUNT>>,
    coming_four: Signal<Local, Bits<QUEUE_COUNT>>,
    promised: Signal<Local, Bits<QUEUE_COUNT>>,
    promised_one: Signal<Local, Bits<QUEUE_COUNT>>,
    promised_two: Signal<Local, Bits<QUEUE_COUNT>>,
    front: Signal<Local, Request>,
    store: Signal<Local, Bit>,
    global: Signal<Local, Bit>,
    inserts: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
}

impl<
    const ENTRY: usize,
    const QUEUE_ENTRIES: usize,
    const QUEUE_INDEX: usize,
    const QUEUE_COUNT: usize,
    const AGE: usize,
    const LOG_ENTRIES: usize,
    const LOG_INDEX: usize,
    const LOG_COUNT: usize,
> Logic
    for MemoryStage<
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
        self.has_place.reset.next = self.reset.val() || !self.queues.val();
        self.has_two.reset.next = self.reset.val() || !self.queues.val();
        self.had_two.reset.next = self.reset.val() || !self.queues.val();
        self.queue.reset.next = self.reset.val() || !self.queues.val();

        // What the front needs before it goes: its operands in the log, or from it, and a place in the queue. The
        // classes are those below 6; an empty stage shows class 0.
        self.front.next = self.places.request.val();
        self.global.next = self.front.val().class.get_bit(2);
        self.store.next = self.front.val().class.get_bit(2) && self.front.val().class.get_bit(0);
        self.inserts.next = self.queues.val() && self.global.val() && !self.places.replayed.val();
        // The queue has room (G5), so only a scan can hold up an insert.
        self.goes.next = self.places.valid.val()
            && self.log_access.complete.val()
            && (!self.inserts.val() || self.queue.memory_free.val());
        self.memory_valid.next = self.goes.val() && !self.places.squashed.val();
        self.squashed_valid.next =
            self.goes.val() && self.places.squashed.val() && !self.waiting_squash.val();
        self.pop.next =
            self.squashed_valid.val() || (self.memory_valid.val() && self.memory_ready.val());

        // The short queue.
        self.places.queues.next = self.queues.val();
        self.places.logs.next = self.logs.val();
        self.places.issuing.next = self.issuing.val();
        self.places.push_valid.next = self.push_valid.val();
        self.places.push.next = self.push.val();
        self.places.push_entry.next = self.push_entry.val();
        self.places.push_index.next = self.push_index.val();
        self.places.push_replayed.next = self.push_replayed.val();
        self.places.push_squashed.next = self.push_squashed.val();
        self.places.push_log_address.next = self.push_log_address.val();
        self.places.push_log_data.next = self.push_log_data.val();
        self.places.taking.next = self.coming.val();
        self.places.taken_address.next =
            bit_cast::<LOG_ENTRY_BITS, LOG_INDEX>(self.log_access.taken_address.val());
        self.places.taken_data.next =
            bit_cast::<LOG_ENTRY_BITS, LOG_INDEX>(self.log_access.taken_data.val());
        self.places.pop.next = self.pop.val();
        self.places.fault_valid.next = self.fault_valid.val();
        self.places.fault_warp.next = self.fault_warp.val();
        self.places.stop_valid.next = self.stop_valid.val();
        self.places.stop_warp.next = self.stop_warp.val();
        self.credit.next = self.places.credit.val();
        self.credit_two.next = self.places.credit_two.val();
        self.credit_chosen.next = self.places.credit_chosen.val();
        self.front_valid.next = self.places.valid.val();
        self.front_warp.next = self.front.val().warp;
        self.front_slot.next = self.front.val().slot;
        self.front_class.next = self.front.val().class;
        self.front_opcode.next = self.front.val().opcode;
        self.front_pc.next = self.front.val().pc;
        self.front_mask.next = self.front.val().mask;
        self.front_data.next = self.log_access.second.val();
        self.front_entry.next = self.places.entry.val();
        self.front_replayed.next = self.places.replayed.val();
        self.front_squashed.next = self.places.squashed.val();
        self.front_index.next = self.queue.insert_index.val();
        if self.places.replayed.val() {
            self.front_index.next = self.places.index.val();
        }
        self.front_log_address.next = self.places.log_address.val().get_bits::<LOG_INDEX>(0);
        self.front_log_data.next = self.places.log_data.val().get_bits::<LOG_INDEX>(0);

        // The queue has an entry for one more instruction besides those that are on their way to it. What has faulted
        // leaves it by a replay, which comes through this stage, so nothing here may wait for an entry, nor for an
        // old instruction of its warp that may fault.
        self.coming.next = self.port_takes[0].val() || self.port_takes[1].val();
        self.coming_one.next = self.queue.occupancy.val() + self.places.inserting[0].val();
        self.coming_two.next = self.coming_one.val() + self.places.inserting[1].val();
        self.coming_three.next = self.coming_two.val() + self.places.inserting[2].val();
        self.coming_four.next = self.coming_three.val() + self.places.inserting[3].val();
        self.promised.next = self.coming_four.val() + self.coming.val();
        // That is found a cycle before: an entry that is freed in it, or an instruction that grows old, counts a cycle
        // later. At most four instructions are on their way then, and the queue takes four after it has warned.
        self.promised_one.next = self.promised.val() + 1;
        self.promised_two.next = self.promised.val() + 2;
        self.has_place.d.next = !self.queue.aged.val()
            && ((self.issuing_global.val() && (self.promised_one.val() < self.capacity.val()))
                || (!self.issuing_global.val() && (self.promised.val() < self.capacity.val())));
        self.has_two.d.next = !self.queue.aged.val()
            && ((self.issuing_global.val() && (self.promised_two.val() < self.capacity.val()))
                || (!self.issuing_global.val() && (self.promised_one.val() < self.capacity.val())));
        self.had_two.d.next = self.has_two.q.val();
        self.place.next = !self.queues.val() || self.has_place.q.val();
        // An instruction is chosen while two places are free, and may issue while one is left.
        self.place_two.next = !self.queues.val() || self.has_two.q.val();
        self.place_chosen.next = !self.queues.val()
            || self.has_two.q.val()
            || (self.had_two.q.val() && self.has_place.q.val());

        // Into the replay queue, whose opcodes have one more bit: high for a store.
        self.queue.insert_valid.next = self.pop.val() && self.inserts.val();
        self.queue.insert_restored.next = self.places.squashed.val();
        self.queue.insert_warp.next = self.front.val().warp;
        self.queue.insert_slot.next = self.front.val().slot;
        self.queue.insert_pc.next = self.front.val().pc;
        self.queue.insert_opcode.next = bit_cast::<8, OPCODE_BITS>(self.front.val().opcode);
        if self.store.val() {
            self.queue.insert_opcode.next =
                bit_cast::<8, OPCODE_BITS>(self.front.val().opcode) | 128;
        }
        self.queue.insert_destination.next = self.front.val().destination;
        self.queue.insert_address_register.next = self.front.val().address_register;
        self.queue.insert_data_register.next = self.front.val().data_register;
        self.queue.insert_mask.next = self.front.val().mask;
        self.queue.insert_log_address.next = self.places.log_address.val();
        self.queue.insert_log_data.next = self.places.log_data.val();
        // What was checked can no longer fault, and leaves the queue as if it had committed.
        self.queue.checked_valid.next = false;
        self.queue.checked_index.next = 0.into();
        self.queue.faulted_valid.next = self.fault_valid.val();
        self.queue.faulted_index.next = self.fault_index.val();
        self.queue.committed_valid.next =
            self.checked_valid.val() && self.log_access.checked_ready.val();
        self.queue.committed_index.next = self.checked_index.val();
        self.queue.held_warp.next = 0.into();
        self.queue.held_register.next = 0.into();
        self.queue.resume_valid.next = self.resume_valid.val();
        self.queue.resume_warp.next = self.resume_warp.val();
        self.queue.replay_ready.next = self.replay_ready.val();
        self.queue.save_valid.next = self.save_valid.val();
        self.queue.save_slot.next = self.save_slot.val();
        self.queue.saved_ready.next = self.saved_valid.val() && self.saved_ready.val();
        self.occupancy.next = self.queue.occupancy.val();

        // Out of it, by a replay or a save.
        self.resume_ready.next = !self.queues.val() || self.queue.resume_ready.val();
        self.replay_valid.next = self.queues.val() && self.queue.replay_valid.val();
        self.replay_done.next = self.queues.val() && self.queue.replay_done.val();
        self.replay.next.class = 4.into();
        if self.queue.entry_opcode.val().get_bit(7) {
            self.replay.next.class = 5.into();
        }
        self.replay.next.opcode = self.queue.entry_opcode.val().get_bits::<OPCODE_BITS>(0);
        self.replay.next.destination = self.queue.entry_destination.val();
        self.replay.next.address_register = self.queue.entry_address_register.val();
        self.replay.next.data_register = self.queue.entry_data_register.val();
        self.replay.next.pc = self.queue.entry_pc.val();
        self.replay.next.mask = self.queue.entry_mask.val();
        self.replay.next.warp = self.queue.entry_warp.val();
        self.replay.next.slot = self.queue.entry_slot.val();
        self.replay_index.next = self.queue.entry_index.val();
        self.replay_log_address.next = self.queue.entry_log_address.val();
        self.replay_log_data.next = self.queue.entry_log_data.val();
        self.save_ready.next = !self.queues.val() || self.queue.save_ready.val();
        self.save_done.next = self.queues.val() && self.queue.save_done.val();
        self.saved_valid.next =
            self.queues.val() && self.queue.saved_valid.val() && self.log_access.spilled_all.val();

        // The log.
        self.log_access.logs.next = self.logs.val();
        self.log_access.launch_valid.next = self.launch_valid.val();
        self.log_access.launch_entries.next = self.launch_entries.val();
        for p in 0..WIDTH {
            self.log_access.port_takes[p].next = self.port_takes[p].val();
            self.log_access.port_slot[p].next = self.port_slot[p].val();
            self.log_access.port_two[p].next = self.port_two[p].val();
        }
        self.log_access.front_global.next = self.global.val();
        self.log_access.front_store.next = self.store.val();
        self.log_access.front_replayed.next = self.places.replayed.val();
        self.log_access.front_slot.next = self.front.val().slot;
        self.log_access.front_address.next = self.front_log_address.val();
        self.log_access.front_data.next = self.front_log_data.val();
        self.log_access.pop.next = self.pop.val();
        self.log_access.checked_valid.next = self.checked_valid.val();
        self.log_access.checked_slot.next = self.checked_slot.val();
        self.log_access.checked_store.next = self.checked_store.val();
        self.log_access.checked_address.next = self.checked_log_address.val();
        self.log_access.checked_data.next = self.checked_log_data.val();
        self.log_access.saved_valid.next = self.queue.saved_valid.val();
        self.log_access.saved_slot.next = self.queue.entry_slot.val();
        self.log_access.saved_store.next = self.queue.entry_opcode.val().get_bit(7);
        self.log_access.saved_address.next =
            self.queue.entry_log_address.val().get_bits::<LOG_INDEX>(0);
        self.log_access.saved_data.next = self.queue.entry_log_data.val().get_bits::<LOG_INDEX>(0);
        self.log_access.saved_ready.next = self.saved_ready.val();
        self.checked_ready.next = self.log_access.checked_ready.val();
        self.spilled_valid.next = self.log_access.spilled_valid.val();
        self.logged_valid.next = self.log_access.logged_valid.val();
        for k in 0..SLOTS {
            self.left_one[k].next = self.log_access.left_one[k].val();
            self.left_two[k].next = self.log_access.left_two[k].val();
            self.seen_one[k].next = self.log_access.seen_one[k].val();
            self.seen_two[k].next = self.log_access.seen_two[k].val();
        }
        for j in 0..LOG_WORDS {
            self.log_access.operand[j].next = self.operand[j].val();
            self.logged_data[j].next = self.log_access.logged_data[j].val();
        }
    }
}
