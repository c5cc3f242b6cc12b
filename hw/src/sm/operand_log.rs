#![doc = include_str!("../../../docs/blocks/operand_log.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{LOG_WORDS, SLOT_BITS, SLOTS};
use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::memory::Memory;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// Operand log: keeps the source operands of each global-memory instruction until its last TLB check. `ENTRIES` entries
/// with indices of `INDEX` bits, counted in `COUNT` = `INDEX` + 1 bits.
#[block(top, new(banks: usize))]
pub struct OperandLog<const ENTRIES: usize, const INDEX: usize, const COUNT: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: removes every partition.
    pub reset: Signal<In, Bit>,

    /// A kernel starts, and the log is partitioned anew.
    pub launch_valid: Signal<In, Bit>,
    /// Entries per thread block of the kernel that starts.
    pub launch_entries: Signal<In, Bits<COUNT>>,
    /// An instruction requests entries: one, or two for a store.
    pub allocate_valid: Signal<In, Bit>,
    /// Thread-block slot of the instruction that requests entries.
    pub allocate_slot: Signal<In, Bits<SLOT_BITS>>,
    /// The instruction is a store and needs two entries.
    pub allocate_store: Signal<In, Bit>,
    /// An operand is written at operand read.
    pub write_valid: Signal<In, Bit>,
    /// Entry that is written.
    pub write_entry: Signal<In, Bits<INDEX>>,
    /// Operand that is written, 32 lanes of 8 B: words 2 i and 2 i + 1 are lane i.
    pub write_data: [Signal<In, Bits<32>>; LOG_WORDS],
    /// The entry in `release_entry` is released: the last TLB check of its instruction passed, or it was saved.
    pub release_valid: Signal<In, Bit>,
    /// Slot for which the released entry was allocated.
    pub release_slot: Signal<In, Bits<SLOT_BITS>>,
    /// Entry that is released.
    pub release_entry: Signal<In, Bits<INDEX>>,
    /// A replayed instruction reads its operand.
    pub replay_valid: Signal<In, Bit>,
    /// Thread-block slot of the replayed instruction.
    pub replay_slot: Signal<In, Bits<SLOT_BITS>>,
    /// Entry that the replayed instruction reads.
    pub replay_entry: Signal<In, Bits<INDEX>>,
    /// A context save reads an operand.
    pub save_valid: Signal<In, Bit>,
    /// Slot of the thread block that is saved.
    pub save_slot: Signal<In, Bits<SLOT_BITS>>,
    /// Entry that the save reads.
    pub save_entry: Signal<In, Bits<INDEX>>,

    /// The allocation is accepted.
    pub allocate_ready: Signal<Out, Bit>,
    /// The entries of the allocation of the previous cycle are on `allocated_address` and `allocated_data`.
    pub allocated_valid: Signal<Out, Bit>,
    /// Entry for the address.
    pub allocated_address: Signal<Out, Bits<INDEX>>,
    /// Entry for the data of a store.
    pub allocated_data: Signal<Out, Bits<INDEX>>,
    /// Slots with at least one free entry, one bit each.
    pub free_one: [Signal<Out, Bit>; SLOTS],
    /// Slots with at least two free entries, one bit each.
    pub free_two: [Signal<Out, Bit>; SLOTS],
    /// Slots with at least three free entries, one bit each.
    pub free_three: [Signal<Out, Bit>; SLOTS],
    /// Slots with at least four free entries, one bit each.
    pub free_four: [Signal<Out, Bit>; SLOTS],
    /// The write is accepted.
    pub write_ready: Signal<Out, Bit>,
    /// The read for a replay is accepted.
    pub replay_ready: Signal<Out, Bit>,
    /// The read for a save is accepted.
    pub save_ready: Signal<Out, Bit>,
    /// `read_data` holds the operand of the replay's read in the previous cycle.
    pub replayed_valid: Signal<Out, Bit>,
    /// `read_data` holds the operand of the save's read in the previous cycle.
    pub saved_valid: Signal<Out, Bit>,
    /// The read of the previous cycle was not allowed (G4).
    pub read_denied: Signal<Out, Bit>,
    /// Operand of the last read that was answered, in the order of `write_data`.
    pub read_data: [Signal<Out, Bits<32>>; LOG_WORDS],

    size: Register<Bits<COUNT>>,
    allocated: [Register<Bit>; ENTRIES],
    written: [Register<Bit>; ENTRIES],
    free: [Register<Bits<COUNT>>; SLOTS],

    // The allocation that was accepted in the last cycle.
    partition: [Register<Bit>; ENTRIES],
    allocating: Register<Bit>,
    allocating_store: Register<Bit>,
    lowest: FixedPriorityArbiter<ENTRIES, INDEX, false>,
    highest: FixedPriorityArbiter<ENTRIES, INDEX, true>,

    // The read that was accepted in the last cycle.
    reading_replay: Register<Bit>,
    reading_save: Register<Bit>,
    reading_allowed: Register<Bit>,
    waited: Register<Bits<4>>,
    turn: Register<Bit>,
    #[init(Memory::new(ENTRIES, banks))]
    memory: Memory<Bits<32>, INDEX, LOG_WORDS>,

    // The greatest partition size at which slot k still has entries: ENTRIES / (k + 1).
    #[init(std::array::from_fn(|k| Constant::new(((ENTRIES / (k + 1)) as LiteralType).into())))]
    limit: [Constant<Bits<COUNT>>; SLOTS],

    fits: [Signal<Local, Bit>; SLOTS],
    one_of_slot: [Signal<Local, Bit>; SLOTS],
    two_of_slot: [Signal<Local, Bit>; SLOTS],
    allocating_slot: [Signal<Local, Bit>; SLOTS],
    releasing_slot: [Signal<Local, Bit>; SLOTS],
    freed: [Signal<Local, Bits<COUNT>>; SLOTS],
    taken: [Signal<Local, Bits<COUNT>>; SLOTS],
    one: OrTree<SLOTS>,
    two: OrTree<SLOTS>,
    allocate: Signal<Local, Bit>,
    next_slot: Signal<Local, Bits<16>>,
    first: Signal<Local, Bits<32>>,
    past: Signal<Local, Bits<32>>,
    taking: [Signal<Local, Bit>; ENTRIES],
    releasing: [Signal<Local, Bit>; ENTRIES],
    released: OrTree<ENTRIES>,
    asked: Signal<Local, Bit>,
    overdue: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    replay: Signal<Local, Bit>,
    save: Signal<Local, Bit>,
    reader_saves: Signal<Local, Bit>,
    entry: Signal<Local, Bits<INDEX>>,
    slot: Signal<Local, Bits<SLOT_BITS>>,
    entry_written: OrTree<ENTRIES>,
    reader_next_slot: Signal<Local, Bits<16>>,
    reader_first: Signal<Local, Bits<32>>,
    reader_past: Signal<Local, Bits<32>>,
    read_allowed: Signal<Local, Bit>,
}

impl<const ENTRIES: usize, const INDEX: usize, const COUNT: usize> Logic
    for OperandLog<ENTRIES, INDEX, COUNT>
{
    #[logic]
    fn update(&mut self) {
        // Allocation, first cycle: are there enough free entries, and which entries are the partition's?
        for k in 0..SLOTS {
            self.free_one[k].next = self.free[k].q.val().any();
            self.free_two[k].next = self.free[k].q.val() > 1;
            self.free_three[k].next = self.free[k].q.val() > 2;
            self.free_four[k].next = self.free[k].q.val() > 3;
            self.one_of_slot[k].next =
                self.free_one[k].val() && (self.allocate_slot.val() == k.to_bits::<SLOT_BITS>());
            self.two_of_slot[k].next =
                self.free_two[k].val() && (self.allocate_slot.val() == k.to_bits::<SLOT_BITS>());
            self.one.of[k].next = self.one_of_slot[k].val();
            self.two.of[k].next = self.two_of_slot[k].val();
        }
        self.allocate_ready.next = !self.launch_valid.val()
            && (self.two.any.val() || (self.one.any.val() && !self.allocate_store.val()));
        self.allocate.next = self.allocate_valid.val() && self.allocate_ready.val();
        self.next_slot.next = bit_cast::<16, SLOT_BITS>(self.allocate_slot.val()) + 1;
        self.first.next = bit_cast::<16, SLOT_BITS>(self.allocate_slot.val())
            * bit_cast::<16, COUNT>(self.size.q.val());
        self.past.next = self.next_slot.val() * bit_cast::<16, COUNT>(self.size.q.val());
        for i in 0..ENTRIES {
            self.partition[i].d.next = self.allocate.val()
                && (self.first.val() <= i.to_bits::<32>())
                && (i.to_bits::<32>() < self.past.val());
        }
        self.allocating.d.next = self.allocate.val();
        self.allocating_store.d.next = self.allocate_store.val();

        // Allocation, second cycle: the lowest and the highest free entry of the partition.
        for i in 0..ENTRIES {
            self.lowest.request[i].next = self.partition[i].q.val() && !self.allocated[i].q.val();
            self.highest.request[i].next = self.partition[i].q.val() && !self.allocated[i].q.val();
            self.taking[i].next = self.lowest.grant[i].val()
                || (self.highest.grant[i].val() && self.allocating_store.q.val());
        }
        self.allocated_valid.next = self.allocating.q.val();
        self.allocated_address.next = self.lowest.index.val();
        self.allocated_data.next = self.highest.index.val();

        // The port: a write, unless a reader is overdue, else a reader; readers take turns.
        self.asked.next = self.replay_valid.val() || self.save_valid.val();
        self.overdue.next = self.waited.q.val().get_bit(3);
        self.write_ready.next =
            !self.launch_valid.val() && !(self.overdue.val() && self.asked.val());
        self.write.next = self.write_valid.val() && self.write_ready.val();
        self.replay_ready.next = !self.launch_valid.val()
            && !self.write.val()
            && (!self.save_valid.val() || !self.turn.q.val());
        self.save_ready.next = !self.launch_valid.val()
            && !self.write.val()
            && (!self.replay_valid.val() || self.turn.q.val());
        self.replay.next = self.replay_valid.val() && self.replay_ready.val();
        self.save.next = self.save_valid.val() && self.save_ready.val();

        // A read is allowed if its entry was written, and is the reader's; else the memory is left alone. Which reader
        // it would be is known before it is known whether it can go.
        self.reader_saves.next =
            self.save_valid.val() && (!self.replay_valid.val() || self.turn.q.val());
        self.entry.next = self.replay_entry.val();
        self.slot.next = self.replay_slot.val();
        if self.reader_saves.val() {
            self.entry.next = self.save_entry.val();
            self.slot.next = self.save_slot.val();
        }
        for i in 0..ENTRIES {
            self.entry_written.of[i].next = self.allocated[i].q.val()
                && self.written[i].q.val()
                && (self.entry.val() == i.to_bits::<INDEX>());
        }
        self.reader_next_slot.next = bit_cast::<16, SLOT_BITS>(self.slot.val()) + 1;
        self.reader_first.next =
            bit_cast::<16, SLOT_BITS>(self.slot.val()) * bit_cast::<16, COUNT>(self.size.q.val());
        self.reader_past.next =
            self.reader_next_slot.val() * bit_cast::<16, COUNT>(self.size.q.val());
        self.read_allowed.next = self.entry_written.any.val()
            && (self.reader_first.val() <= bit_cast::<32, INDEX>(self.entry.val()))
            && (bit_cast::<32, INDEX>(self.entry.val()) < self.reader_past.val());
        self.memory.enable.next =
            self.write.val() || ((self.replay.val() || self.save.val()) && self.read_allowed.val());
        self.memory.write.next = self.write.val();
        self.memory.address.next = self.entry.val();
        if self.write.val() {
            self.memory.address.next = self.write_entry.val();
        }
        for j in 0..LOG_WORDS {
            self.memory.data[j].next = self.write_data[j].val();
            self.read_data[j].next = self.memory.q[j].val();
        }
        if self.replay.val() {
            self.turn.d.next = true;
        }
        if self.save.val() {
            self.turn.d.next = false;
        }
        self.waited.d.next = 0.into();
        if self.asked.val() && !self.replay.val() && !self.save.val() {
            self.waited.d.next = self.waited.q.val();
            if !self.overdue.val() {
                self.waited.d.next = self.waited.q.val() + 1;
            }
        }

        // The answer to a read.
        self.reading_replay.d.next = self.replay.val();
        self.reading_save.d.next = self.save.val();
        self.reading_allowed.d.next = self.read_allowed.val();
        self.replayed_valid.next = self.reading_replay.q.val() && self.reading_allowed.q.val();
        self.saved_valid.next = self.reading_save.q.val() && self.reading_allowed.q.val();
        self.read_denied.next = (self.reading_replay.q.val() || self.reading_save.q.val())
            && !self.reading_allowed.q.val();

        // Next state of the entries.
        for i in 0..ENTRIES {
            self.releasing[i].next = self.release_valid.val()
                && self.allocated[i].q.val()
                && (self.release_entry.val() == i.to_bits::<INDEX>());
            self.released.of[i].next = self.releasing[i].val();
            self.allocated[i].d.next = (self.allocated[i].q.val() || self.taking[i].val())
                && !self.releasing[i].val()
                && !self.launch_valid.val();
            self.written[i].d.next = (self.written[i].q.val() && !self.taking[i].val())
                || (self.write.val()
                    && (self.write_entry.val() == i.to_bits::<INDEX>())
                    && (self.allocated[i].q.val() || self.taking[i].val()));
        }
        if self.launch_valid.val() {
            self.size.d.next = self.launch_entries.val();
        }
        for k in 0..SLOTS {
            self.allocating_slot[k].next =
                self.allocate.val() && (self.allocate_slot.val() == k.to_bits::<SLOT_BITS>());
            self.releasing_slot[k].next =
                self.released.any.val() && (self.release_slot.val() == k.to_bits::<SLOT_BITS>());
            self.freed[k].next = self.free[k].q.val() + self.releasing_slot[k].val();
            // Whether the allocation is accepted is known last, so what it would leave is made beside it.
            self.taken[k].next = self.freed[k].val() - 1;
            if self.allocate_store.val() {
                self.taken[k].next = self.freed[k].val() - 2;
            }
            self.fits[k].next = self.launch_entries.val() <= self.limit[k].val();
            self.free[k].d.next = self.freed[k].val();
            if self.allocating_slot[k].val() {
                self.free[k].d.next = self.taken[k].val();
            }
            if self.launch_valid.val() {
                self.free[k].d.next = 0.into();
                if self.fits[k].val() {
                    self.free[k].d.next = self.launch_entries.val();
                }
            }
        }
    }
}
