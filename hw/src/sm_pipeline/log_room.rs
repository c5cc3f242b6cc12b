//! Whether the log has entries for an instruction of a thread block.

use rust_hdl::prelude::*;

use crate::any_of::AnyOf;
use crate::params::{SLOT_BITS, SLOTS};

/// The free entries of one slot.
#[derive(Default, LogicBlock)]
pub struct SlotEntries {
    /// Slots with a free entry.
    pub free_one: [Signal<In, Bit>; SLOTS],
    /// Slots with two.
    pub free_two: [Signal<In, Bit>; SLOTS],
    /// The slot.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// It has one.
    pub one: Signal<Out, Bit>,
    /// It has two.
    pub two: Signal<Out, Bit>,

    some_one: AnyOf<SLOTS>,
    some_two: AnyOf<SLOTS>,
    named: [Signal<Local, Bit>; SLOTS],
}

impl Logic for SlotEntries {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..SLOTS {
            self.named[k].next = self.slot.val() == k.to_bits::<SLOT_BITS>();
            self.some_one.of[k].next = self.free_one[k].val() && self.named[k].val();
            self.some_two.of[k].next = self.free_two[k].val() && self.named[k].val();
        }
        self.one.next = self.some_one.any.val();
        self.two.next = self.some_two.any.val();
    }
}

/// The entries that are free less those that the memory instruction in operand read takes in this cycle: behind a load
/// another load finds one if there are two, and whatever else waits.
#[derive(Default, LogicBlock)]
pub struct LogRoom {
    /// There is a log; without one there is room.
    pub logs: Signal<In, Bit>,
    /// Slots with a free entry.
    pub free_one: [Signal<In, Bit>; SLOTS],
    /// Slots with two.
    pub free_two: [Signal<In, Bit>; SLOTS],
    /// The slot of the instruction.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// The instruction in operand read takes entries.
    pub taking: Signal<In, Bit>,
    /// Its slot.
    pub taking_slot: Signal<In, Bits<SLOT_BITS>>,
    /// It takes two.
    pub taking_two: Signal<In, Bit>,
    /// There is room for a load.
    pub load: Signal<Out, Bit>,
    /// There is room for a store.
    pub store: Signal<Out, Bit>,

    entries: SlotEntries,
    same: Signal<Local, Bit>,
}

impl Logic for LogRoom {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..SLOTS {
            self.entries.free_one[k].next = self.free_one[k].val();
            self.entries.free_two[k].next = self.free_two[k].val();
        }
        self.entries.slot.next = self.slot.val();
        self.same.next = self.taking.val() && (self.taking_slot.val() == self.slot.val());
        self.load.next = !self.logs.val()
            || (!self.same.val() && self.entries.one.val())
            || (self.same.val() && !self.taking_two.val() && self.entries.two.val());
        self.store.next = !self.logs.val() || (!self.same.val() && self.entries.two.val());
    }
}
