//! Whether the log has entries for an instruction of a thread block.

use rust_hdl::prelude::*;

use crate::any_of::AnyOf;
use crate::params::{SLOT_BITS, SLOTS};

/// What holds of one slot, of what is known of each.
#[derive(Default, LogicBlock)]
pub struct OfSlot {
    /// Of each slot.
    pub of: [Signal<In, Bit>; SLOTS],
    /// The slot.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// Of that one.
    pub holds: Signal<Out, Bit>,

    some: AnyOf<SLOTS>,
}

impl Logic for OfSlot {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..SLOTS {
            self.some.of[k].next =
                self.of[k].val() && (self.slot.val() == k.to_bits::<SLOT_BITS>());
        }
        self.holds.next = self.some.any.val();
    }
}

/// The entries that are free less those that the memory instruction in operand read takes in this cycle: behind a load
/// another load finds one if there are two, and whatever else waits. While warps have the turn in a slot, there is room
/// for their instructions alone.
#[derive(Default, LogicBlock)]
pub struct LogRoom {
    /// There is a log; without one there is room.
    pub logs: Signal<In, Bit>,
    /// Slots with a free entry.
    pub free_one: [Signal<In, Bit>; SLOTS],
    /// Slots with two.
    pub free_two: [Signal<In, Bit>; SLOTS],
    /// Slots in which only those go that have the turn.
    pub kept: [Signal<In, Bit>; SLOTS],
    /// The slot of the instruction.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// Its warp has the turn, or it needs none.
    pub turn: Signal<In, Bit>,
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

    one: OfSlot,
    two: OfSlot,
    other: OfSlot,
    same: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
}

impl Logic for LogRoom {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..SLOTS {
            self.one.of[k].next = self.free_one[k].val();
            self.two.of[k].next = self.free_two[k].val();
            self.other.of[k].next = self.kept[k].val();
        }
        self.one.slot.next = self.slot.val();
        self.two.slot.next = self.slot.val();
        self.other.slot.next = self.slot.val();
        self.may.next = self.turn.val() || !self.other.holds.val();
        self.same.next = self.taking.val() && (self.taking_slot.val() == self.slot.val());
        self.load.next = !self.logs.val()
            || (self.may.val()
                && ((!self.same.val() && self.one.holds.val())
                    || (self.same.val() && !self.taking_two.val() && self.two.holds.val())));
        self.store.next =
            !self.logs.val() || (self.may.val() && !self.same.val() && self.two.holds.val());
    }
}
