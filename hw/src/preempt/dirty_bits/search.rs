//! Where the walk goes next: from group to group, past those without a dirty row.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::range_mask::RangeMask;
use crate::primitives::register::Register;

/// Finds the next group with a dirty row. `GROUPS` groups with numbers of `GROUP` bits.
#[block]
pub struct Search<const GROUPS: usize, const GROUP: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A walk begins.
    pub begin: Signal<In, Bit>,
    /// First group of the walk.
    pub first: Signal<In, Bits<GROUP>>,
    /// Last group of the walk.
    pub last: Signal<In, Bits<GROUP>>,
    /// Groups with a dirty row, one bit each.
    pub some: [Signal<In, Bit>; GROUPS],
    /// The walk comes to the group that was found.
    pub load: Signal<In, Bit>,
    /// A group with a dirty row was found, to which the walk has still to come.
    pub found: Signal<Out, Bit>,
    /// Group that was found last.
    pub group: Signal<Out, Bits<GROUP>>,
    /// No group with a dirty row is left for the walk.
    pub done: Signal<Out, Bit>,

    // The group that was found last, and whether the walk has still to come to it; at first the first one of the range,
    // which is not passed over.
    waits: Register<Bit>,
    place: Register<Bits<GROUP>>,
    beyond: Register<Bit>,
    end: Register<Bits<GROUP>>,

    ahead: RangeMask<GROUPS, GROUP>,
    next: FixedPriorityArbiter<GROUPS, GROUP, false>,
    some_next: crate::primitives::or_tree::OrTree<GROUPS>,
}

impl<const GROUPS: usize, const GROUP: usize> Logic for Search<GROUPS, GROUP> {
    #[logic]
    fn update(&mut self) {
        self.ahead.first.next = self.place.q.val();
        self.ahead.beyond.next = self.beyond.q.val();
        self.ahead.last.next = self.end.q.val();
        for i in 0..GROUPS {
            self.next.request[i].next = self.ahead.covered[i].val() && self.some[i].val();
            self.some_next.of[i].next = self.ahead.covered[i].val() && self.some[i].val();
        }
        self.found.next = self.waits.q.val();
        self.group.next = self.place.q.val();
        self.done.next = !self.waits.q.val() && !self.some_next.any.val();

        if !self.waits.q.val() || self.load.val() {
            self.waits.d.next = self.some_next.any.val();
            if self.some_next.any.val() {
                self.place.d.next = self.next.index.val();
                self.beyond.d.next = true;
            }
        }
        if self.begin.val() {
            self.waits.d.next = false;
            self.place.d.next = self.first.val();
            self.beyond.d.next = false;
            self.end.d.next = self.last.val();
        }
    }
}
