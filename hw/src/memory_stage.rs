//! The part of the SM pipeline between operand read and the memory unit: a short queue of memory instructions, and in
//! the schemes that have them the replay queue and the operand log. Its rules are on the page of `sm_pipeline`.

use rust_hdl::prelude::*;

use crate::memory::MemoryUse;
use crate::operand_log::OperandLog;
use crate::params::{
    CLASS_BITS, LOG_BANKS, LOG_ENTRY_BITS, LOG_WORDS, MEMORY_PLACES, OPCODE_BITS, REGISTER_BITS,
    SLOT_BITS, SLOTS, WARP_BITS,
};
use crate::ports::Hardware;
use crate::register::Register;
use crate::replay_queue::ReplayQueue;

/// A queue of `N` entries with `I`-bit numbers, counted in `O` bits, ages of `A` bits; a log of `E` entries with `P`-bit
/// numbers, counted in `C` bits; scoreboard entries with `J`-bit numbers.
#[allow(missing_docs)] // the page of the pipeline
#[derive(LogicBlock)]
pub struct MemoryStage<
    const J: usize,
    const N: usize,
    const I: usize,
    const O: usize,
    const A: usize,
    const E: usize,
    const P: usize,
    const C: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub issuing: Signal<In, Bit>,
    pub issuing_global: Signal<In, Bit>,
    pub coming: Signal<In, Bit>,
    pub push_valid: Signal<In, Bit>,
    pub push_warp: Signal<In, Bits<WARP_BITS>>,
    pub push_slot: Signal<In, Bits<SLOT_BITS>>,
    pub push_entry: Signal<In, Bits<J>>,
    pub push_class: Signal<In, Bits<CLASS_BITS>>,
    pub push_destination: Signal<In, Bits<REGISTER_BITS>>,
    pub push_address_register: Signal<In, Bits<REGISTER_BITS>>,
    pub push_data_register: Signal<In, Bits<REGISTER_BITS>>,
    pub push_pc: Signal<In, Bits<32>>,
    pub push_mask: Signal<In, Bits<32>>,
    pub push_opcode: Signal<In, Bits<OPCODE_BITS>>,
    pub push_replayed: Signal<In, Bit>,
    pub push_squashed: Signal<In, Bit>,
    pub push_index: Signal<In, Bits<I>>,
    pub push_log_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    pub push_log_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    pub stop_valid: Signal<In, Bit>,
    pub stop_warp: Signal<In, Bits<WARP_BITS>>,
    pub memory_ready: Signal<In, Bit>,
    pub checked_valid: Signal<In, Bit>,
    pub checked_index: Signal<In, Bits<I>>,
    pub checked_slot: Signal<In, Bits<SLOT_BITS>>,
    pub checked_store: Signal<In, Bit>,
    pub checked_log_address: Signal<In, Bits<P>>,
    pub checked_log_data: Signal<In, Bits<P>>,
    pub faulted_valid: Signal<In, Bit>,
    pub faulted_warp: Signal<In, Bits<WARP_BITS>>,
    pub faulted_index: Signal<In, Bits<I>>,
    pub resume_valid: Signal<In, Bit>,
    pub resume_warp: Signal<In, Bits<WARP_BITS>>,
    pub replay_ready: Signal<In, Bit>,
    pub launch_valid: Signal<In, Bit>,
    pub launch_entries: Signal<In, Bits<C>>,
    pub waiting_squash: Signal<In, Bit>,
    pub save_valid: Signal<In, Bit>,
    pub save_slot: Signal<In, Bits<SLOT_BITS>>,
    pub saved_ready: Signal<In, Bit>,
    pub operand: [Signal<In, Bits<32>>; LOG_WORDS],

    pub credit: Signal<Out, Bit>,
    pub place: Signal<Out, Bit>,
    pub front_valid: Signal<Out, Bit>,
    pub front_data: Signal<Out, Bit>,
    pub memory_valid: Signal<Out, Bit>,
    pub memory_warp: Signal<Out, Bits<WARP_BITS>>,
    pub memory_slot: Signal<Out, Bits<SLOT_BITS>>,
    pub memory_entry: Signal<Out, Bits<J>>,
    pub memory_class: Signal<Out, Bits<CLASS_BITS>>,
    pub memory_replayed: Signal<Out, Bit>,
    pub memory_squashed: Signal<Out, Bit>,
    pub memory_pc: Signal<Out, Bits<32>>,
    pub memory_mask: Signal<Out, Bits<32>>,
    pub memory_opcode: Signal<Out, Bits<OPCODE_BITS>>,
    pub memory_index: Signal<Out, Bits<I>>,
    pub memory_log_address: Signal<Out, Bits<P>>,
    pub memory_log_data: Signal<Out, Bits<P>>,
    pub squashed_valid: Signal<Out, Bit>,
    pub squashed_warp: Signal<Out, Bits<WARP_BITS>>,
    pub squashed_entry: Signal<Out, Bits<J>>,
    pub checked_ready: Signal<Out, Bit>,
    pub resume_ready: Signal<Out, Bit>,
    pub replay_valid: Signal<Out, Bit>,
    pub replay_done: Signal<Out, Bit>,
    pub replay_warp: Signal<Out, Bits<WARP_BITS>>,
    pub replay_slot: Signal<Out, Bits<SLOT_BITS>>,
    pub replay_store: Signal<Out, Bit>,
    pub replay_destination: Signal<Out, Bits<REGISTER_BITS>>,
    pub replay_address_register: Signal<Out, Bits<REGISTER_BITS>>,
    pub replay_data_register: Signal<Out, Bits<REGISTER_BITS>>,
    pub replay_pc: Signal<Out, Bits<32>>,
    pub replay_mask: Signal<Out, Bits<32>>,
    pub replay_opcode: Signal<Out, Bits<OPCODE_BITS>>,
    pub replay_index: Signal<Out, Bits<I>>,
    pub replay_log_address: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    pub replay_log_data: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    pub save_ready: Signal<Out, Bit>,
    pub save_done: Signal<Out, Bit>,
    pub saved_valid: Signal<Out, Bit>,
    pub spilled_valid: Signal<Out, Bit>,
    pub logged_valid: Signal<Out, Bit>,
    pub occupancy: Signal<Out, Bits<O>>,
    pub free_one: [Signal<Out, Bit>; SLOTS],
    pub free_two: [Signal<Out, Bit>; SLOTS],
    pub logged_data: [Signal<Out, Bits<32>>; LOG_WORDS],

    // The instructions, the front in place 0.
    count: Register<Bits<2>>,
    no_credit: Register<Bit>,
    place_warp: [Register<Bits<WARP_BITS>>; MEMORY_PLACES],
    place_slot: [Register<Bits<SLOT_BITS>>; MEMORY_PLACES],
    place_entry: [Register<Bits<J>>; MEMORY_PLACES],
    place_class: [Register<Bits<CLASS_BITS>>; MEMORY_PLACES],
    place_destination: [Register<Bits<REGISTER_BITS>>; MEMORY_PLACES],
    place_address_register: [Register<Bits<REGISTER_BITS>>; MEMORY_PLACES],
    place_data_register: [Register<Bits<REGISTER_BITS>>; MEMORY_PLACES],
    place_pc: [Register<Bits<32>>; MEMORY_PLACES],
    place_mask: [Register<Bits<32>>; MEMORY_PLACES],
    place_opcode: [Register<Bits<OPCODE_BITS>>; MEMORY_PLACES],
    place_replayed: [Register<Bit>; MEMORY_PLACES],
    place_squashed: [Register<Bit>; MEMORY_PLACES],
    place_index: [Register<Bits<I>>; MEMORY_PLACES],
    place_log_address: [Register<Bits<LOG_ENTRY_BITS>>; MEMORY_PLACES],
    place_log_data: [Register<Bits<LOG_ENTRY_BITS>>; MEMORY_PLACES],
    // Operands of the front that are in the log, or were read from it.
    step: Register<Bits<2>>,
    // The last one arrived in the cycle before, and allocated.
    fresh: Register<Bit>,
    // The second release of a store that was checked in the cycle before.
    releasing: Register<Bit>,
    releasing_slot: Register<Bits<SLOT_BITS>>,
    releasing_entry: Register<Bits<P>>,
    // Operands of the instruction that leaves which were read from the log, and the release of the last one.
    spilled: Register<Bits<2>>,
    spill_releasing: Register<Bit>,
    spill_slot: Register<Bits<SLOT_BITS>>,
    spill_entry: Register<Bits<P>>,

    // A queue or a log that the scheme does not have stays in reset, and synthesis removes it.
    queues: Constant<Bit>,
    logs: Constant<Bit>,
    log_mask: Constant<Bits<32>>,
    queue: ReplayQueue<N, I, O, A>,
    log: OperandLog<E, P, C>,

    inserting: [Signal<Local, Bit>; MEMORY_PLACES],
    coming_one: Signal<Local, Bits<O>>,
    coming_two: Signal<Local, Bits<O>>,
    coming_three: Signal<Local, Bits<O>>,
    promised: Signal<Local, Bits<O>>,
    promised_more: Signal<Local, Bits<O>>,
    capacity: Constant<Bits<O>>,
    has_place: Register<Bit>,
    front_store: Signal<Local, Bit>,
    front_global: Signal<Local, Bit>,
    last_operand: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
    stepping: Signal<Local, Bit>,
    complete: Signal<Local, Bit>,
    inserts: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    leaves_squashed: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    left: Signal<Local, Bits<2>>,
    last: Signal<Local, Bits<2>>,
    checked: Signal<Local, Bit>,
    stopping: [Signal<Local, Bit>; MEMORY_PLACES],
    log_address: [Signal<Local, Bits<LOG_ENTRY_BITS>>; MEMORY_PLACES],
    log_data: [Signal<Local, Bits<LOG_ENTRY_BITS>>; MEMORY_PLACES],
    front_index: Signal<Local, Bits<I>>,
    spills: Signal<Local, Bits<2>>,
    spilled_all: Signal<Local, Bit>,
    spill: Signal<Local, Bit>,
    leave: Signal<Local, Bit>,
}

impl<
    const J: usize,
    const N: usize,
    const I: usize,
    const O: usize,
    const A: usize,
    const E: usize,
    const P: usize,
    const C: usize,
> Logic for MemoryStage<J, N, I, O, A, E, P, C>
{
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..MEMORY_PLACES {
            self.place_warp[i].clock.next = self.clock.val();
            self.place_warp[i].reset.next = self.reset.val();
            self.place_slot[i].clock.next = self.clock.val();
            self.place_slot[i].reset.next = self.reset.val();
            self.place_entry[i].clock.next = self.clock.val();
            self.place_entry[i].reset.next = self.reset.val();
            self.place_class[i].clock.next = self.clock.val();
            self.place_class[i].reset.next = self.reset.val();
            self.place_destination[i].clock.next = self.clock.val();
            self.place_destination[i].reset.next = self.reset.val();
            self.place_address_register[i].clock.next = self.clock.val();
            self.place_address_register[i].reset.next = self.reset.val();
            self.place_data_register[i].clock.next = self.clock.val();
            self.place_data_register[i].reset.next = self.reset.val();
            self.place_pc[i].clock.next = self.clock.val();
            self.place_pc[i].reset.next = self.reset.val();
            self.place_mask[i].clock.next = self.clock.val();
            self.place_mask[i].reset.next = self.reset.val();
            self.place_opcode[i].clock.next = self.clock.val();
            self.place_opcode[i].reset.next = self.reset.val();
            self.place_replayed[i].clock.next = self.clock.val();
            self.place_replayed[i].reset.next = self.reset.val();
            self.place_squashed[i].clock.next = self.clock.val();
            self.place_squashed[i].reset.next = self.reset.val();
            self.place_index[i].clock.next = self.clock.val();
            self.place_index[i].reset.next = self.reset.val();
            self.place_log_address[i].clock.next = self.clock.val();
            self.place_log_address[i].reset.next = self.reset.val();
            self.place_log_data[i].clock.next = self.clock.val();
            self.place_log_data[i].reset.next = self.reset.val();
        }
        self.count.clock.next = self.clock.val();
        self.count.reset.next = self.reset.val();
        self.no_credit.clock.next = self.clock.val();
        self.no_credit.reset.next = self.reset.val();
        self.has_place.clock.next = self.clock.val();
        self.has_place.reset.next = self.reset.val() || !self.queues.val();
        self.fresh.clock.next = self.clock.val();
        self.fresh.reset.next = self.reset.val() || !self.logs.val();
        self.step.clock.next = self.clock.val();
        self.step.reset.next = self.reset.val();
        self.releasing.clock.next = self.clock.val();
        self.releasing.reset.next = self.reset.val();
        self.releasing_slot.clock.next = self.clock.val();
        self.releasing_slot.reset.next = self.reset.val();
        self.releasing_entry.clock.next = self.clock.val();
        self.releasing_entry.reset.next = self.reset.val();
        self.spilled.clock.next = self.clock.val();
        self.spilled.reset.next = self.reset.val() || !self.logs.val();
        self.spill_releasing.clock.next = self.clock.val();
        self.spill_releasing.reset.next = self.reset.val() || !self.logs.val();
        self.spill_slot.clock.next = self.clock.val();
        self.spill_slot.reset.next = self.reset.val() || !self.logs.val();
        self.spill_entry.clock.next = self.clock.val();
        self.spill_entry.reset.next = self.reset.val() || !self.logs.val();
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val() || !self.queues.val();
        self.log.clock.next = self.clock.val();
        self.log.reset.next = self.reset.val() || !self.logs.val();

        // What the front needs before it goes: its operands in the log, or from it, and a place in the queue. A load has
        // one operand and a store two. The classes are those below 6; an empty stage shows class 0.
        self.front_valid.next = self.count.q.val().any();
        self.front_global.next = self.place_class[0].q.val().get_bit(2);
        self.front_store.next =
            self.place_class[0].q.val().get_bit(2) && self.place_class[0].q.val().get_bit(0);
        self.wants.next = self.logs.val()
            && self.front_global.val()
            && ((self.step.q.val() == 0) || (self.front_store.val() && (self.step.q.val() == 1)));
        self.last_operand.next = !self.front_store.val() || (self.step.q.val() == 1);
        self.stepping.next = self.wants.val()
            && ((!self.place_replayed[0].q.val() && self.log.write_ready.val())
                || (self.place_replayed[0].q.val() && self.log.replay_ready.val()));
        self.complete.next = self.count.q.val().any()
            && (!self.wants.val() || (self.stepping.val() && self.last_operand.val()));
        self.inserts.next =
            self.queues.val() && self.front_global.val() && !self.place_replayed[0].q.val();
        // The queue has room (G5), so only a scan can hold up an insert.
        self.goes.next =
            self.complete.val() && (!self.inserts.val() || self.queue.memory_free.val());
        self.leaves_squashed.next =
            self.goes.val() && self.place_squashed[0].q.val() && !self.waiting_squash.val();
        self.pop.next = self.leaves_squashed.val()
            || (self.goes.val() && !self.place_squashed[0].q.val() && self.memory_ready.val());
        self.step.d.next = self.step.q.val() + self.stepping.val();
        if self.pop.val() {
            self.step.d.next = 0.into();
        }

        // The instructions move up; one that arrives goes behind the last.
        self.left.next = self.count.q.val();
        if self.pop.val() {
            self.left.next = self.count.q.val() - 1;
        }
        self.count.d.next = self.left.val() + self.push_valid.val();
        for i in 0..MEMORY_PLACES {
            self.stopping[i].next = self.queues.val()
                && !self.place_replayed[i].q.val()
                && ((self.place_class[i].q.val() == 4) || (self.place_class[i].q.val() == 5))
                && ((self.faulted_valid.val()
                    && (self.place_warp[i].q.val() == self.faulted_warp.val()))
                    || (self.stop_valid.val()
                        && (self.place_warp[i].q.val() == self.stop_warp.val())));
        }
        // What arrived in the cycle before is the last one, and learns its log entries now.
        self.last.next = self.count.q.val() - 1;
        for i in 0..MEMORY_PLACES {
            self.log_address[i].next = self.place_log_address[i].q.val();
            self.log_data[i].next = self.place_log_data[i].q.val();
            if self.fresh.q.val() && (self.last.val() == i.to_bits::<2>()) {
                self.log_address[i].next =
                    bit_cast::<LOG_ENTRY_BITS, P>(self.log.allocated_address.val());
                self.log_data[i].next =
                    bit_cast::<LOG_ENTRY_BITS, P>(self.log.allocated_data.val());
            }
        }
        self.fresh.d.next = self.coming.val();
        for i in 0..MEMORY_PLACES {
            self.place_warp[i].d.next = self.place_warp[i].q.val();
            self.place_slot[i].d.next = self.place_slot[i].q.val();
            self.place_entry[i].d.next = self.place_entry[i].q.val();
            self.place_class[i].d.next = self.place_class[i].q.val();
            self.place_destination[i].d.next = self.place_destination[i].q.val();
            self.place_address_register[i].d.next = self.place_address_register[i].q.val();
            self.place_data_register[i].d.next = self.place_data_register[i].q.val();
            self.place_pc[i].d.next = self.place_pc[i].q.val();
            self.place_mask[i].d.next = self.place_mask[i].q.val();
            self.place_opcode[i].d.next = self.place_opcode[i].q.val();
            self.place_replayed[i].d.next = self.place_replayed[i].q.val();
            self.place_squashed[i].d.next =
                self.place_squashed[i].q.val() || self.stopping[i].val();
            self.place_index[i].d.next = self.place_index[i].q.val();
            self.place_log_address[i].d.next = self.log_address[i].val();
            self.place_log_data[i].d.next = self.log_data[i].val();
        }
        for i in 1..MEMORY_PLACES {
            if self.pop.val() {
                self.place_warp[i - 1].d.next = self.place_warp[i].q.val();
                self.place_slot[i - 1].d.next = self.place_slot[i].q.val();
                self.place_entry[i - 1].d.next = self.place_entry[i].q.val();
                self.place_class[i - 1].d.next = self.place_class[i].q.val();
                self.place_destination[i - 1].d.next = self.place_destination[i].q.val();
                self.place_address_register[i - 1].d.next = self.place_address_register[i].q.val();
                self.place_data_register[i - 1].d.next = self.place_data_register[i].q.val();
                self.place_pc[i - 1].d.next = self.place_pc[i].q.val();
                self.place_mask[i - 1].d.next = self.place_mask[i].q.val();
                self.place_opcode[i - 1].d.next = self.place_opcode[i].q.val();
                self.place_replayed[i - 1].d.next = self.place_replayed[i].q.val();
                self.place_squashed[i - 1].d.next =
                    self.place_squashed[i].q.val() || self.stopping[i].val();
                self.place_index[i - 1].d.next = self.place_index[i].q.val();
                self.place_log_address[i - 1].d.next = self.log_address[i].val();
                self.place_log_data[i - 1].d.next = self.log_data[i].val();
            }
        }
        // Behind the last one there is nothing, so that an empty stage shows zeros.
        if self.pop.val() {
            self.place_warp[2].d.next = 0.into();
            self.place_slot[2].d.next = 0.into();
            self.place_entry[2].d.next = 0.into();
            self.place_class[2].d.next = 0.into();
            self.place_destination[2].d.next = 0.into();
            self.place_address_register[2].d.next = 0.into();
            self.place_data_register[2].d.next = 0.into();
            self.place_pc[2].d.next = 0.into();
            self.place_mask[2].d.next = 0.into();
            self.place_opcode[2].d.next = 0.into();
            self.place_replayed[2].d.next = false;
            self.place_squashed[2].d.next = false;
            self.place_index[2].d.next = 0.into();
            self.place_log_address[2].d.next = 0.into();
            self.place_log_data[2].d.next = 0.into();
        }
        for i in 0..MEMORY_PLACES {
            if self.push_valid.val() && (self.left.val() == i.to_bits::<2>()) {
                self.place_warp[i].d.next = self.push_warp.val();
                self.place_slot[i].d.next = self.push_slot.val();
                self.place_entry[i].d.next = self.push_entry.val();
                self.place_class[i].d.next = self.push_class.val();
                self.place_destination[i].d.next = self.push_destination.val();
                self.place_address_register[i].d.next = self.push_address_register.val();
                self.place_data_register[i].d.next = self.push_data_register.val();
                self.place_pc[i].d.next = self.push_pc.val();
                self.place_mask[i].d.next = self.push_mask.val();
                self.place_opcode[i].d.next = self.push_opcode.val();
                self.place_replayed[i].d.next = self.push_replayed.val();
                self.place_squashed[i].d.next = self.push_squashed.val();
                self.place_index[i].d.next = self.push_index.val();
                self.place_log_address[i].d.next = self.push_log_address.val();
                self.place_log_data[i].d.next = self.push_log_data.val();
            }
        }
        // There will be a place for another one, besides what will be in operand read.
        self.no_credit.d.next =
            (self.count.d.val() == 3) || ((self.count.d.val() == 2) && self.issuing.val());
        self.credit.next = !self.no_credit.q.val();

        // The queue has an entry for one more instruction besides those that are on their way to it. What has faulted
        // leaves it by a replay, which comes through this stage, so nothing here may wait for an entry, nor for an
        // old instruction of its warp that may fault.
        for i in 0..MEMORY_PLACES {
            self.inserting[i].next = !self.place_replayed[i].q.val()
                && ((self.place_class[i].q.val() == 4) || (self.place_class[i].q.val() == 5));
        }
        self.coming_one.next = self.queue.occupancy.val() + self.inserting[0].val();
        self.coming_two.next = self.coming_one.val() + self.inserting[1].val();
        self.coming_three.next = self.coming_two.val() + self.inserting[2].val();
        self.promised.next = self.coming_three.val() + self.coming.val();
        // That is found a cycle before: an entry that is freed in it, or an instruction that grows old, counts a cycle
        // later. At most three instructions are on their way then, and the queue takes four after it has warned.
        self.promised_more.next = self.promised.val() + 1;
        self.has_place.d.next = !self.queue.aged.val()
            && ((self.issuing_global.val() && (self.promised_more.val() < self.capacity.val()))
                || (!self.issuing_global.val() && (self.promised.val() < self.capacity.val())));
        self.place.next = !self.queues.val() || self.has_place.q.val();

        // The queue.
        self.queue.insert_valid.next = self.pop.val() && self.inserts.val();
        self.queue.insert_restored.next = self.place_squashed[0].q.val();
        self.queue.insert_warp.next = self.place_warp[0].q.val();
        self.queue.insert_slot.next = self.place_slot[0].q.val();
        self.queue.insert_pc.next = self.place_pc[0].q.val();
        self.queue.insert_opcode.next = bit_cast::<8, OPCODE_BITS>(self.place_opcode[0].q.val());
        if self.front_store.val() {
            self.queue.insert_opcode.next =
                bit_cast::<8, OPCODE_BITS>(self.place_opcode[0].q.val()) | 128;
        }
        self.queue.insert_destination.next = self.place_destination[0].q.val();
        self.queue.insert_address_register.next = self.place_address_register[0].q.val();
        self.queue.insert_data_register.next = self.place_data_register[0].q.val();
        self.queue.insert_mask.next = self.place_mask[0].q.val();
        self.queue.insert_log_address.next = self.log_address[0].val();
        self.queue.insert_log_data.next = self.log_data[0].val();
        self.checked.next =
            self.checked_valid.val() && !self.releasing.q.val() && !self.spill_releasing.q.val();
        // What was checked can no longer fault, and leaves the queue as if it had committed.
        self.queue.checked_valid.next = false;
        self.queue.checked_index.next = 0.into();
        self.queue.faulted_valid.next = self.faulted_valid.val();
        self.queue.faulted_index.next = self.faulted_index.val();
        self.queue.committed_valid.next = self.checked.val();
        self.queue.committed_index.next = self.checked_index.val();
        self.queue.held_warp.next = 0.into();
        self.queue.held_register.next = 0.into();
        self.queue.resume_valid.next = self.resume_valid.val();
        self.queue.resume_warp.next = self.resume_warp.val();
        self.queue.replay_ready.next = self.replay_ready.val();
        self.queue.save_valid.next = self.save_valid.val();
        self.queue.save_slot.next = self.save_slot.val();
        self.queue.saved_ready.next = self.leave.val();
        self.resume_ready.next = !self.queues.val() || self.queue.resume_ready.val();
        self.replay_valid.next = self.queues.val() && self.queue.replay_valid.val();
        self.replay_done.next = self.queues.val() && self.queue.replay_done.val();
        self.replay_warp.next = self.queue.entry_warp.val();
        self.replay_slot.next = self.queue.entry_slot.val();
        self.replay_store.next = self.queue.entry_opcode.val().get_bit(7);
        self.replay_destination.next = self.queue.entry_destination.val();
        self.replay_address_register.next = self.queue.entry_address_register.val();
        self.replay_data_register.next = self.queue.entry_data_register.val();
        self.replay_pc.next = self.queue.entry_pc.val();
        self.replay_mask.next = self.queue.entry_mask.val();
        self.replay_opcode.next = self.queue.entry_opcode.val().get_bits::<OPCODE_BITS>(0);
        self.replay_index.next = self.queue.entry_index.val();
        self.replay_log_address.next = self.queue.entry_log_address.val();
        self.replay_log_data.next = self.queue.entry_log_data.val();

        // The log.
        self.log.launch_valid.next = self.launch_valid.val();
        self.log.launch_entries.next = self.launch_entries.val();
        self.log.allocate_valid.next = self.coming.val();
        self.log.allocate_slot.next = self.push_slot.val();
        self.log.allocate_store.next = self.push_class.val().get_bit(0);
        self.log.write_valid.next = self.wants.val() && !self.place_replayed[0].q.val();
        self.log.write_entry.next = self.log_address[0].val().get_bits::<P>(0);
        self.log.replay_valid.next = self.wants.val() && self.place_replayed[0].q.val();
        self.log.replay_slot.next = self.place_slot[0].q.val();
        self.log.replay_entry.next = self.log_address[0].val().get_bits::<P>(0);
        if self.step.q.val().any() {
            self.log.write_entry.next = self.log_data[0].val().get_bits::<P>(0);
            self.log.replay_entry.next = self.log_data[0].val().get_bits::<P>(0);
        }
        self.log.release_valid.next =
            self.releasing.q.val() || self.spill_releasing.q.val() || self.checked_valid.val();
        self.log.release_slot.next = self.checked_slot.val();
        self.log.release_entry.next = self.checked_log_address.val();
        if self.releasing.q.val() {
            self.log.release_slot.next = self.releasing_slot.q.val();
            self.log.release_entry.next = self.releasing_entry.q.val();
        }
        if !self.releasing.q.val() && self.spill_releasing.q.val() {
            self.log.release_slot.next = self.spill_slot.q.val();
            self.log.release_entry.next = self.spill_entry.q.val();
        }

        // An instruction that is saved leaves behind its operands; each is released when it was read.
        self.spills.next = 0.into();
        if self.logs.val() && !self.queue.entry_opcode.val().get_bit(7) {
            self.spills.next = 1.into();
        }
        if self.logs.val() && self.queue.entry_opcode.val().get_bit(7) {
            self.spills.next = 2.into();
        }
        self.spilled_all.next = self.spilled.q.val() == self.spills.val();
        self.log.save_valid.next = self.queue.saved_valid.val()
            && !self.spilled_all.val()
            && !self.spill_releasing.q.val()
            && self.saved_ready.val();
        self.log.save_slot.next = self.queue.entry_slot.val();
        self.log.save_entry.next = self.queue.entry_log_address.val().get_bits::<P>(0);
        if self.spilled.q.val().any() {
            self.log.save_entry.next = self.queue.entry_log_data.val().get_bits::<P>(0);
        }
        self.spill.next = self.log.save_ready.val()
            && self.queue.saved_valid.val()
            && !self.spilled_all.val()
            && !self.spill_releasing.q.val()
            && self.saved_ready.val();
        self.leave.next =
            self.queue.saved_valid.val() && self.spilled_all.val() && self.saved_ready.val();
        self.spilled.d.next = self.spilled.q.val() + self.spill.val();
        if self.leave.val() {
            self.spilled.d.next = 0.into();
        }
        self.spill_releasing.d.next =
            self.spill.val() || (self.spill_releasing.q.val() && self.releasing.q.val());
        self.spill_slot.d.next = self.spill_slot.q.val();
        self.spill_entry.d.next = self.spill_entry.q.val();
        if self.spill.val() {
            self.spill_slot.d.next = self.queue.entry_slot.val();
            self.spill_entry.d.next = self.queue.entry_log_address.val().get_bits::<P>(0);
            if self.spilled.q.val().any() {
                self.spill_entry.d.next = self.queue.entry_log_data.val().get_bits::<P>(0);
            }
        }
        self.save_ready.next = !self.queues.val() || self.queue.save_ready.val();
        self.save_done.next = self.queues.val() && self.queue.save_done.val();
        self.saved_valid.next =
            self.queues.val() && self.queue.saved_valid.val() && self.spilled_all.val();
        self.spilled_valid.next = self.logs.val() && self.log.saved_valid.val();
        self.releasing.d.next = self.logs.val() && self.checked.val() && self.checked_store.val();
        self.releasing_slot.d.next = self.checked_slot.val();
        self.releasing_entry.d.next = self.checked_log_data.val();
        self.checked_ready.next = !self.releasing.q.val() && !self.spill_releasing.q.val();
        for k in 0..SLOTS {
            self.free_one[k].next = !self.logs.val() || self.log.free_one[k].val();
            self.free_two[k].next = !self.logs.val() || self.log.free_two[k].val();
        }
        self.logged_valid.next = self.logs.val() && self.log.replayed_valid.val();
        for j in 0..LOG_WORDS {
            self.log.write_data[j].next = self.operand[j].val();
            self.logged_data[j].next = self.log.read_data[j].val() & self.log_mask.val();
        }

        // To the memory unit.
        self.front_index.next = self.queue.insert_index.val();
        if self.place_replayed[0].q.val() {
            self.front_index.next = self.place_index[0].q.val();
        }

        self.front_data.next = self.step.q.val() == 1;
        self.memory_valid.next = self.goes.val() && !self.place_squashed[0].q.val();
        self.squashed_valid.next = self.leaves_squashed.val();
        self.squashed_warp.next = self.place_warp[0].q.val();
        self.squashed_entry.next = self.place_entry[0].q.val();
        self.memory_warp.next = self.place_warp[0].q.val();
        self.memory_slot.next = self.place_slot[0].q.val();
        self.memory_entry.next = self.place_entry[0].q.val();
        self.memory_class.next = self.place_class[0].q.val();
        self.memory_pc.next = self.place_pc[0].q.val();
        self.memory_mask.next = self.place_mask[0].q.val();
        self.memory_opcode.next = self.place_opcode[0].q.val();
        self.memory_replayed.next = self.place_replayed[0].q.val();
        self.memory_squashed.next = self.place_squashed[0].q.val();
        self.memory_log_address.next = self.log_address[0].val().get_bits::<P>(0);
        self.memory_log_data.next = self.log_data[0].val().get_bits::<P>(0);
        self.memory_index.next = self.front_index.val();
        self.occupancy.next = self.queue.occupancy.val();
    }
}

impl<
    const J: usize,
    const N: usize,
    const I: usize,
    const O: usize,
    const A: usize,
    const E: usize,
    const P: usize,
    const C: usize,
> MemoryStage<J, N, I, O, A, E, P, C>
{
    /// A stage with or without a replay queue and an operand log.
    pub fn new(queues: bool, logs: bool) -> Self {
        macro_rules! signals {
            ($($field:ident),*; $($array:ident),*) => {
                Self {
                    queues: Constant::new(queues),
                    capacity: Constant::new((N as LiteralType).into()),
                    logs: Constant::new(logs),
                    log_mask: Constant::new(if logs { 0xFFFF_FFFF } else { 0 }.into()),
                    log: OperandLog::new(LOG_BANKS),
                    $($field: Default::default(),)*
                    $($array: std::array::from_fn(|_| Default::default()),)*
                }
            };
        }
        signals!(
            clock, reset, issuing, issuing_global, waiting_squash, fresh, coming, push_valid, push_warp, push_slot, push_entry, push_class, push_destination,
            push_address_register, push_data_register, push_pc, push_mask, push_opcode, push_replayed, push_squashed,
            push_index, push_log_address, push_log_data, stop_valid, stop_warp, memory_ready,
            checked_valid, checked_index, checked_slot, checked_store, checked_log_address,
            checked_log_data, faulted_valid, faulted_warp, faulted_index, resume_valid, resume_warp, replay_ready,
            launch_valid, launch_entries, save_valid, save_slot,
            saved_ready, save_ready, save_done, saved_valid, spilled_valid, spilled, spill_releasing, spill_slot,
            spill_entry, spills, spilled_all, spill, leave, credit, no_credit, place,
            front_valid, front_data, memory_valid, memory_warp, memory_slot, memory_entry, memory_class,
            memory_replayed, memory_squashed, memory_pc, memory_mask, memory_opcode, memory_index,
            memory_log_address, memory_log_data, squashed_valid, squashed_warp, squashed_entry, checked_ready,
            resume_ready, replay_valid, replay_done, replay_warp, replay_slot, replay_store, replay_destination,
            replay_address_register, replay_data_register, replay_pc, replay_mask, replay_opcode, replay_index,
            replay_log_address, replay_log_data, logged_valid, occupancy, count, step, releasing, releasing_slot,
            releasing_entry, queue, coming_one, coming_two, coming_three, promised, promised_more, has_place, front_store, front_global, last_operand, wants, stepping,
            complete, inserts, goes, leaves_squashed, pop, left, last, checked, front_index;
            operand, free_one, free_two, logged_data, place_warp, place_slot, place_entry, place_class,
            place_destination, place_address_register, place_data_register, place_pc, place_mask, place_opcode,
            place_replayed, place_squashed, place_index, place_log_address, place_log_data, log_address, log_data, stopping, inserting
        )
    }

    /// The memories of the queue and of the log, where they are there.
    pub fn memories(&self) -> Vec<MemoryUse> {
        let queue = self.queues.val().then(|| self.queue.memories());
        let log = self.logs.val().then(|| self.log.memories());
        queue.into_iter().chain(log).flatten().collect()
    }
}
