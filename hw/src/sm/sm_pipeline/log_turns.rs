//! Whose turn it is to take log entries: once an instruction of a slot was refused them, all that wait for theirs in the
//! next cycle have the turn, before any that comes later.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{SLOT_BITS, SLOTS, WIDTH};
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// Decides whose turn it is to take entries of the operand log. `WARPS` warps, each of which remembers that it has the
/// turn.
#[block]
pub struct LogTurns<const WARPS: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Ports whose chosen warp lacks nothing but log entries, one bit each.
    pub refused: [Signal<In, Bit>; WIDTH],
    /// Slot of each port's chosen warp.
    pub slot: [Signal<In, Bits<SLOT_BITS>>; WIDTH],
    /// Warps that have the turn to take log entries, one bit each.
    pub turn: [Signal<In, Bit>; WARPS],
    /// Slot of the thread block of each warp.
    pub slot_of_warp: [Signal<In, Bits<SLOT_BITS>>; WARPS],
    /// Slots in which all warps that wait for log entries get the turn, one bit each.
    pub calls: [Signal<Out, Bit>; SLOTS],
    /// Slots in which only warps that have the turn take log entries, one bit each.
    pub kept: [Signal<Out, Bit>; SLOTS],

    calling: [Register<Bit>; SLOTS],
    keeping: [Register<Bit>; SLOTS],

    some: [OrTree<WARPS>; SLOTS],
    begins: [Signal<Local, Bit>; SLOTS],
}

impl<const WARPS: usize> Logic for LogTurns<WARPS> {
    #[logic]
    fn update(&mut self) {
        for k in 0..SLOTS {
            for w in 0..WARPS {
                self.some[k].of[w].next =
                    self.turn[w].val() && (self.slot_of_warp[w].val() == k.to_bits::<SLOT_BITS>());
            }
            self.begins[k].next = !self.keeping[k].q.val()
                && ((self.refused[0].val() && (self.slot[0].val() == k.to_bits::<SLOT_BITS>()))
                    || (self.refused[1].val() && (self.slot[1].val() == k.to_bits::<SLOT_BITS>())));
            // Warps that are called have the turn a cycle later.
            self.calling[k].d.next = self.begins[k].val();
            self.keeping[k].d.next =
                self.begins[k].val() || self.calling[k].q.val() || self.some[k].any.val();
            self.calls[k].next = self.calling[k].q.val();
            self.kept[k].next = self.keeping[k].q.val();
        }
    }
}
