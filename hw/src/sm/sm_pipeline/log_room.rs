//! Whether the log has entries for an instruction of a thread block.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::of_slot::OfSlot;
use crate::params::{SLOT_BITS, SLOTS};

/// Reports whether the operand log has entries for an instruction of a thread block. While
/// warps have the turn in a slot, there is room for their instructions alone.
#[block]
pub struct LogRoom {
    /// The scheme has an operand log; without one there is always room.
    pub logs: Signal<In, Bit>,
    /// Slots that have a free log entry besides those that are taken in this cycle, one bit each; all without
    /// a log.
    pub left_one: [Signal<In, Bit>; SLOTS],
    /// Slots that have at least two free log entries besides those that are taken in this cycle, one bit
    /// each; all without a log.
    pub left_two: [Signal<In, Bit>; SLOTS],
    /// Slots in which only warps that have the turn take log entries, one bit each.
    pub kept: [Signal<In, Bit>; SLOTS],
    /// Slot of the instruction.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// The warp of the instruction has the turn to take log entries, or the instruction needs no turn.
    pub turn: Signal<In, Bit>,
    /// The log has room for a load of the slot.
    pub load: Signal<Out, Bit>,
    /// The log has room for a store of the slot.
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
