//! What the memory stage does with the operand log: the front's operands go in or come out, and what has been checked or
//! has left gives its entries back.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::log_spill::LogSpill;
use crate::params::{LOG_BANKS, LOG_WORDS, SLOT_BITS, SLOTS, WIDTH};
use crate::primitives::register::Register;
use crate::sm::operand_log::OperandLog;

/// Access of the memory stage to the operand log: writes and reads operands, and releases entries. A log of
/// `LOG_ENTRIES` entries with indices of `LOG_INDEX` bits, counted in `LOG_COUNT` bits.
#[block(new(logs: bool))]
pub struct LogAccess<const LOG_ENTRIES: usize, const LOG_INDEX: usize, const LOG_COUNT: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The scheme has an operand log.
    pub logs: Signal<In, Bit>,
    /// A kernel starts, and the operand log is partitioned again.
    pub launch_valid: Signal<In, Bit>,
    /// Log entries of each thread block of the kernel.
    pub launch_entries: Signal<In, Bits<LOG_COUNT>>,
    /// Ports whose instruction in operand read takes log entries, one bit each; at most one is high.
    pub port_takes: [Signal<In, Bit>; WIDTH],
    /// Slot of the instruction in each port's operand read.
    pub port_slot: [Signal<In, Bits<SLOT_BITS>>; WIDTH],
    /// Ports whose instruction takes two log entries instead of one, one bit each; ignored without
    /// `port_takes`.
    pub port_two: [Signal<In, Bit>; WIDTH],
    /// The front of the memory stage is a global-memory instruction.
    pub front_global: Signal<In, Bit>,
    /// The front is a store.
    pub front_store: Signal<In, Bit>,
    /// The front is replayed.
    pub front_replayed: Signal<In, Bit>,
    /// Slot of the front's thread block.
    pub front_slot: Signal<In, Bits<SLOT_BITS>>,
    /// Log entry of the front's address.
    pub front_address: Signal<In, Bits<LOG_INDEX>>,
    /// Log entry of the front's store data.
    pub front_data: Signal<In, Bits<LOG_INDEX>>,
    /// The front leaves the memory stage.
    pub pop: Signal<In, Bit>,
    /// The last TLB check of a global-memory instruction has succeeded.
    pub checked_valid: Signal<In, Bit>,
    /// Slot of the checked instruction.
    pub checked_slot: Signal<In, Bits<SLOT_BITS>>,
    /// The checked instruction is a store.
    pub checked_store: Signal<In, Bit>,
    /// Log entry of the checked instruction's address.
    pub checked_address: Signal<In, Bits<LOG_INDEX>>,
    /// Log entry of the checked instruction's store data.
    pub checked_data: Signal<In, Bits<LOG_INDEX>>,
    /// The replay queue presents an instruction that leaves with its thread block.
    pub saved_valid: Signal<In, Bit>,
    /// Slot of the instruction that leaves.
    pub saved_slot: Signal<In, Bits<SLOT_BITS>>,
    /// The instruction that leaves is a store.
    pub saved_store: Signal<In, Bit>,
    /// Log entry of the address of the instruction that leaves.
    pub saved_address: Signal<In, Bits<LOG_INDEX>>,
    /// Log entry of the store data of the instruction that leaves.
    pub saved_data: Signal<In, Bits<LOG_INDEX>>,
    /// The instruction that leaves is taken, or an operand of it may leave the log.
    pub saved_ready: Signal<In, Bit>,
    /// Operand of the front: 32 lanes of two words each.
    pub operand: [Signal<In, Bits<32>>; LOG_WORDS],
    /// The front's operands are in the log, or have come from it, at the end of the cycle.
    pub complete: Signal<Out, Bit>,
    /// The next operand of the front is the data of a store.
    pub second: Signal<Out, Bit>,
    /// Log entry for the address of the instruction that took entries in the cycle before.
    pub taken_address: Signal<Out, Bits<LOG_INDEX>>,
    /// Log entry for the store data of the instruction that took entries in the cycle before.
    pub taken_data: Signal<Out, Bits<LOG_INDEX>>,
    /// The message of a successful check is accepted.
    pub checked_ready: Signal<Out, Bit>,
    /// Every operand of the instruction that leaves has left the log.
    pub spilled_all: Signal<Out, Bit>,
    /// `logged_data` holds an operand of the instruction that leaves.
    pub spilled_valid: Signal<Out, Bit>,
    /// `logged_data` holds an operand of a replayed instruction.
    pub logged_valid: Signal<Out, Bit>,
    /// Operand that was last read from the log: 32 lanes of two words each; 0 without a log.
    pub logged_data: [Signal<Out, Bits<32>>; LOG_WORDS],
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

    // Operands of the front that are in the log, or were read from it.
    step: Register<Bits<2>>,
    // An operand of the front is to be read, and where it lies: kept for a cycle, so that the log's check does not wait
    // for the short queue.
    aimed: Register<Bit>,
    aimed_slot: Register<Bits<SLOT_BITS>>,
    aimed_entry: Register<Bits<LOG_INDEX>>,
    // The second release of a store that was checked in the cycle before.
    releasing: Register<Bit>,
    releasing_slot: Register<Bits<SLOT_BITS>>,
    releasing_entry: Register<Bits<LOG_INDEX>>,
    had_one: [Register<Bit>; SLOTS],
    had_two: [Register<Bit>; SLOTS],

    #[init(Constant::new(if logs { 0xFFFF_FFFF } else { 0 }.into()))]
    log_mask: Constant<Bits<32>>,
    #[init(OperandLog::new(LOG_BANKS))]
    operand_log: OperandLog<LOG_ENTRIES, LOG_INDEX, LOG_COUNT>,
    spill: LogSpill<LOG_INDEX>,

    port_one: [Signal<Local, Bit>; WIDTH],
    port_both: [Signal<Local, Bit>; WIDTH],
    takes_one: [Signal<Local, Bit>; SLOTS],
    takes_two: [Signal<Local, Bit>; SLOTS],
    wants: Signal<Local, Bit>,
    stepping: Signal<Local, Bit>,
    last_operand: Signal<Local, Bit>,
    front_entry: Signal<Local, Bits<LOG_INDEX>>,
}

impl<const LOG_ENTRIES: usize, const LOG_INDEX: usize, const LOG_COUNT: usize> Logic
    for LogAccess<LOG_ENTRIES, LOG_INDEX, LOG_COUNT>
{
    #[logic]
    fn update(&mut self) {
        self.aimed.reset.next = self.reset.val() || !self.logs.val();
        self.aimed_slot.reset.next = self.reset.val() || !self.logs.val();
        self.aimed_entry.reset.next = self.reset.val() || !self.logs.val();
        self.operand_log.reset.next = self.reset.val() || !self.logs.val();
        self.spill.reset.next = self.reset.val() || !self.logs.val();
        for k in 0..SLOTS {
            self.had_one[k].reset.next = self.reset.val() || !self.logs.val();
            self.had_two[k].reset.next = self.reset.val() || !self.logs.val();
        }

        // The front: a load has one operand and a store two.
        self.wants.next = self.logs.val()
            && self.front_global.val()
            && ((self.step.q.val() == 0) || (self.front_store.val() && (self.step.q.val() == 1)));
        self.last_operand.next = !self.front_store.val() || (self.step.q.val() == 1);
        self.stepping.next = self.wants.val()
            && ((!self.front_replayed.val() && self.operand_log.write_ready.val())
                || (self.aimed.q.val() && self.operand_log.replay_ready.val()));
        self.complete.next = !self.wants.val() || (self.stepping.val() && self.last_operand.val());
        self.second.next = self.step.q.val() == 1;
        self.step.d.next = self.step.q.val() + self.stepping.val();
        if self.pop.val() {
            self.step.d.next = 0.into();
        }
        self.front_entry.next = self.front_address.val();
        if self.step.q.val().any() {
            self.front_entry.next = self.front_data.val();
        }
        self.operand_log.write_valid.next = self.wants.val() && !self.front_replayed.val();
        self.operand_log.write_entry.next = self.front_entry.val();
        self.aimed.d.next = self.wants.val() && self.front_replayed.val() && !self.stepping.val();
        self.aimed_slot.d.next = self.front_slot.val();
        self.aimed_entry.d.next = self.front_entry.val();
        self.operand_log.replay_valid.next = self.aimed.q.val();
        self.operand_log.replay_slot.next = self.aimed_slot.q.val();
        self.operand_log.replay_entry.next = self.aimed_entry.q.val();

        // Entries are taken in operand read.
        self.operand_log.launch_valid.next = self.launch_valid.val();
        self.operand_log.launch_entries.next = self.launch_entries.val();
        self.operand_log.allocate_valid.next = self.port_takes[0].val() || self.port_takes[1].val();
        self.operand_log.allocate_slot.next = self.port_slot[0].val();
        self.operand_log.allocate_store.next = self.port_two[0].val();
        if self.port_takes[1].val() {
            self.operand_log.allocate_slot.next = self.port_slot[1].val();
            self.operand_log.allocate_store.next = self.port_two[1].val();
        }
        self.taken_address.next = self.operand_log.allocated_address.val();
        self.taken_data.next = self.operand_log.allocated_data.val();
        for p in 0..WIDTH {
            self.port_one[p].next = self.port_takes[p].val() && !self.port_two[p].val();
            self.port_both[p].next = self.port_takes[p].val() && self.port_two[p].val();
        }
        for k in 0..SLOTS {
            self.takes_one[k].next = (self.port_one[0].val()
                && (self.port_slot[0].val() == k.to_bits::<SLOT_BITS>()))
                || (self.port_one[1].val()
                    && (self.port_slot[1].val() == k.to_bits::<SLOT_BITS>()));
            self.takes_two[k].next = (self.port_both[0].val()
                && (self.port_slot[0].val() == k.to_bits::<SLOT_BITS>()))
                || (self.port_both[1].val()
                    && (self.port_slot[1].val() == k.to_bits::<SLOT_BITS>()));
            self.left_one[k].next = !self.logs.val() || self.operand_log.free_one[k].val();
            self.left_two[k].next = !self.logs.val() || self.operand_log.free_two[k].val();
            if self.logs.val() && self.takes_one[k].val() {
                self.left_one[k].next = self.operand_log.free_two[k].val();
                self.left_two[k].next = self.operand_log.free_three[k].val();
            }
            if self.logs.val() && self.takes_two[k].val() {
                self.left_one[k].next = self.operand_log.free_three[k].val();
                self.left_two[k].next = self.operand_log.free_four[k].val();
            }
            self.had_one[k].d.next = !self.logs.val() || self.operand_log.free_one[k].val();
            self.had_two[k].d.next = !self.logs.val() || self.operand_log.free_two[k].val();
            self.seen_one[k].next = self.had_one[k].q.val();
            self.seen_two[k].next = self.had_two[k].q.val();
        }

        // An instruction that is saved leaves behind its operands.
        self.spill.logs.next = self.logs.val();
        self.spill.valid.next = self.saved_valid.val();
        self.spill.slot.next = self.saved_slot.val();
        self.spill.store.next = self.saved_store.val();
        self.spill.address.next = self.saved_address.val();
        self.spill.data.next = self.saved_data.val();
        self.spill.taken.next = self.saved_ready.val();
        self.spill.save_ready.next = self.operand_log.save_ready.val();
        self.spill.stalled.next = self.releasing.q.val();
        self.operand_log.save_valid.next = self.spill.save_valid.val();
        self.operand_log.save_slot.next = self.spill.save_slot.val();
        self.operand_log.save_entry.next = self.spill.save_entry.val();
        self.spilled_all.next = self.spill.all.val();
        self.spilled_valid.next = self.logs.val() && self.operand_log.saved_valid.val();

        // One entry is released in a cycle: the second one of a store, one that was spilled, what was checked.
        self.checked_ready.next = !self.releasing.q.val() && !self.spill.releasing.val();
        self.releasing.d.next = self.logs.val()
            && self.checked_valid.val()
            && self.checked_ready.val()
            && self.checked_store.val();
        self.releasing_slot.d.next = self.checked_slot.val();
        self.releasing_entry.d.next = self.checked_data.val();
        self.operand_log.release_valid.next =
            self.releasing.q.val() || self.spill.releasing.val() || self.checked_valid.val();
        self.operand_log.release_slot.next = self.checked_slot.val();
        self.operand_log.release_entry.next = self.checked_address.val();
        if self.releasing.q.val() {
            self.operand_log.release_slot.next = self.releasing_slot.q.val();
            self.operand_log.release_entry.next = self.releasing_entry.q.val();
        }
        if !self.releasing.q.val() && self.spill.releasing.val() {
            self.operand_log.release_slot.next = self.spill.release_slot.val();
            self.operand_log.release_entry.next = self.spill.release_entry.val();
        }

        self.logged_valid.next = self.logs.val() && self.operand_log.replayed_valid.val();
        for j in 0..LOG_WORDS {
            self.operand_log.write_data[j].next = self.operand[j].val();
            self.logged_data[j].next = self.operand_log.read_data[j].val() & self.log_mask.val();
        }
    }
}
