//! Whether the log has entries for an instruction of a thread block.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::of_slot::OfSlot;
use crate::params::{SLOT_BITS, SLOTS};

/// Reports whether the operand log has entries for an instruction of a thread block. While
/// warps have the turn in a slot, there is room for their instructions alone.
#[block]
pub struct LogRoom {
    /// There is a log; without one there is room.
    pub logs: Signal<In, Bit>,
    /// Slots with a free entry besides those that are taken in this cycle.
    pub left_one: [Signal<In, Bit>; SLOTS],
    /// Slots with two.
    pub left_two: [Signal<In, Bit>; SLOTS],
    /// Slots in which only those go that have the turn.
    pub kept: [Signal<In, Bit>; SLOTS],
    /// The slot of the instruction.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// Its warp has the turn, or it needs none.
    pub turn: Signal<In, Bit>,
    /// There is room for a load.
    pub load: Signal<Out, Bit>,
    /// There is room for a store.
    pub store: Signal<Out, Bit>,

    one: OfSlot,
    two: OfSlot,
    kept_slot: OfSlot,
    may: Signal<Local, Bit>,
}

impl Logic for LogRoom {
    #[logic]
    fn update(&mut self) {
        for k in 0..SLOTS {
            self.one.of[k].next = self.left_one[k].val();
            self.two.of[k].next = self.left_two[k].val();
            self.kept_slot.of[k].next = self.kept[k].val();
        }
        self.one.slot.next = self.slot.val();
        self.two.slot.next = self.slot.val();
        self.kept_slot.slot.next = self.slot.val();
        self.may.next = self.turn.val() || !self.kept_slot.holds.val();
        self.load.next = !self.logs.val() || (self.may.val() && self.one.holds.val());
        self.store.next = !self.logs.val() || (self.may.val() && self.two.holds.val());
    }
}
