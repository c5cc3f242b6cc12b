//! Chooses the warp whose instructions go back to their source, and counts them.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::WARP_BITS;
use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// Chooses the warp whose instructions go back to their source, and counts them. `WARPS` warps with numbers of `WARP`
/// bits.
#[block]
pub struct Reverts<const WARPS: usize, const WARP: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Warps that have instructions to give back to their source, one bit each.
    pub request: [Signal<In, Bit>; WARPS],
    /// The warp that was chosen in the cycle before gives back a first instruction, one bit for each warp.
    pub first: [Signal<In, Bit>; WARPS],
    /// The warp that was chosen in the cycle before gives back a second instruction, one bit for each warp.
    pub second: [Signal<In, Bit>; WARPS],
    /// The warp that was chosen in the cycle before gives back an instruction that faulted, one bit for each
    /// warp.
    pub squashed: [Signal<In, Bit>; WARPS],
    /// Warp that is chosen for the next cycle, one bit each.
    pub grant: [Signal<Out, Bit>; WARPS],
    /// A warp was chosen in the cycle before, and its instructions go back to their source.
    pub valid: Signal<Out, Bit>,
    /// Warp whose instructions go back.
    pub warp: Signal<Out, Bits<WARP_BITS>>,
    /// Number of instructions that go back.
    pub count: Signal<Out, Bits<2>>,

    chosen: Register<Bit>,
    number: Register<Bits<WARP>>,

    arbiter: FixedPriorityArbiter<WARPS, WARP, false>,
    some: OrTree<WARPS>,
    some_first: OrTree<WARPS>,
    some_second: OrTree<WARPS>,
    some_squashed: OrTree<WARPS>,
    one: Signal<Local, Bits<2>>,
    two: Signal<Local, Bits<2>>,
}

impl<const WARPS: usize, const WARP: usize> Logic for Reverts<WARPS, WARP> {
    #[logic]
    fn update(&mut self) {
        for w in 0..WARPS {
            self.arbiter.request[w].next = self.request[w].val();
            self.some.of[w].next = self.request[w].val();
            self.grant[w].next = self.arbiter.grant[w].val();
            self.some_first.of[w].next = self.first[w].val();
            self.some_second.of[w].next = self.second[w].val();
            self.some_squashed.of[w].next = self.squashed[w].val();
        }
        self.chosen.d.next = self.some.any.val();
        self.number.d.next = self.arbiter.index.val();
        self.valid.next = self.chosen.q.val();
        self.warp.next = bit_cast::<WARP_BITS, WARP>(self.number.q.val());
        self.one.next = 0.into();
        if self.some_first.any.val() {
            self.one.next = 1.into();
        }
        self.two.next = self.one.val() + self.some_second.any.val();
        self.count.next = self.two.val() + self.some_squashed.any.val();
    }
}
