//! What holds of a slot.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::{SLOT_BITS, SLOTS};
use crate::primitives::or_tree::OrTree;

/// Selects what holds of one slot.
#[block]
pub struct OfSlot {
    /// Slots for which the condition holds, one bit each.
    pub of: [Signal<In, Bit>; SLOTS],
    /// Slot that is selected.
    pub slot: Signal<In, Bits<SLOT_BITS>>,
    /// The condition holds for the selected slot.
    pub holds: Signal<Out, Bit>,

    some: OrTree<SLOTS>,
}

impl Logic for OfSlot {
    #[logic]
    fn update(&mut self) {
        for k in 0..SLOTS {
            self.some.of[k].next =
                self.of[k].val() && (self.slot.val() == k.to_bits::<SLOT_BITS>());
        }
        self.holds.next = self.some.any.val();
    }
}
