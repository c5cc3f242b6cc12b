//! The warps that have faulted, and the one that is to be resumed.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// Offers each of `WARPS` warps with numbers of `WARP` bits for a resume, once it has faulted and waits for nothing more.
#[block]
pub struct Resumes<const WARPS: usize, const WARP: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Warp that faults, one bit each; 0 if none does.
    pub faults: Signal<In, Bits<WARPS>>,
    /// The access that faults is a store.
    pub fault_store: Signal<In, Bit>,
    /// Warp of the offered instruction, one bit each.
    pub new_warp: Signal<In, Bits<WARPS>>,
    /// The offered instruction enters.
    pub enters: Signal<In, Bit>,
    /// Warp that leaves, one bit each; 0 if none does.
    pub leaves: Signal<In, Bits<WARPS>>,
    /// Warps that wait for pages, or have accesses that are not decided, one bit each.
    pub busy: Signal<In, Bits<WARPS>>,
    /// Warps that are not to be resumed, one bit each.
    pub hold: [Signal<In, Bit>; WARPS],
    /// The resume is taken.
    pub ready: Signal<In, Bit>,
    /// A warp is to be resumed.
    pub valid: Signal<Out, Bit>,
    /// The warp of the offered instruction has faulted, and was not resumed.
    pub is_away: Signal<Out, Bit>,
    /// A store of that warp has faulted since it was resumed.
    pub store_is_away: Signal<Out, Bit>,
    /// Warp that is to be resumed; 0 without one.
    pub warp: Signal<Out, Bits<WARP>>,

    away: [Register<Bit>; WARPS],
    stores: [Register<Bit>; WARPS],
    offered: Register<Bit>,
    offered_warp: Register<Bits<WARP>>,

    of_later: FixedPriorityArbiter<WARPS, WARP, false>,
    lowest: FixedPriorityArbiter<WARPS, WARP, false>,
    some: OrTree<WARPS>,
    some_later: OrTree<WARPS>,
    could: [Signal<Local, Bit>; WARPS],
    some_withdrawn: OrTree<WARPS>,
    some_away: OrTree<WARPS>,
    some_store: OrTree<WARPS>,
    shown: [Signal<Local, Bit>; WARPS],
    free: Signal<Local, Bit>,
}

impl<const WARPS: usize, const WARP: usize> Logic for Resumes<WARPS, WARP> {
    #[logic]
    fn update(&mut self) {
        for w in 0..WARPS {
            self.shown[w].next =
                self.offered.q.val() && (self.offered_warp.q.val() == w.to_bits::<WARP>());
            self.some_withdrawn.of[w].next = self.shown[w].val()
                && (self.hold[w].val()
                    || self.leaves.val().get_bit(w)
                    || self.busy.val().get_bit(w)
                    || (self.enters.val() && self.new_warp.val().get_bit(w)));
            self.some_away.of[w].next = self.away[w].q.val() && self.new_warp.val().get_bit(w);
            self.some_store.of[w].next = self.stores[w].q.val() && self.new_warp.val().get_bit(w);
            self.could[w].next = self.away[w].q.val()
                && !self.busy.val().get_bit(w)
                && !self.hold[w].val()
                && !self.leaves.val().get_bit(w)
                && !(self.enters.val() && self.new_warp.val().get_bit(w))
                && !self.shown[w].val();
        }
        self.is_away.next = self.some_away.any.val();
        self.store_is_away.next = self.some_store.any.val();
        // The next warp above the one that was offered last.
        for w in 0..WARPS {
            self.some.of[w].next = self.could[w].val();
            self.lowest.request[w].next = self.could[w].val();
            self.some_later.of[w].next =
                self.could[w].val() && (self.offered_warp.q.val() < w.to_bits::<WARP>());
            self.of_later.request[w].next =
                self.could[w].val() && (self.offered_warp.q.val() < w.to_bits::<WARP>());
        }
        self.free.next = !self.offered.q.val() || self.ready.val() || self.some_withdrawn.any.val();
        if self.free.val() {
            self.offered.d.next = self.some.any.val();
        }
        if self.free.val() && self.some.any.val() {
            self.offered_warp.d.next = self.lowest.index.val();
        }
        if self.free.val() && self.some_later.any.val() {
            self.offered_warp.d.next = self.of_later.index.val();
        }
        for w in 0..WARPS {
            if (self.shown[w].val() && self.ready.val()) || self.leaves.val().get_bit(w) {
                self.away[w].d.next = false;
                self.stores[w].d.next = false;
            }
            if self.faults.val().get_bit(w) {
                self.away[w].d.next = true;
            }
            if self.faults.val().get_bit(w) && self.fault_store.val() {
                self.stores[w].d.next = true;
            }
        }
        self.valid.next = self.offered.q.val();
        self.warp.next = bits::<WARP>(0);
        if self.offered.q.val() {
            self.warp.next = self.offered_warp.q.val();
        }
    }
}
