//! Chooses one of many warps for the next cycle: in loose round robin, or greedily the same as long as it requests.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::matrix_arbiter::MatrixArbiter;
use crate::primitives::register::Register;

/// Chooses the warp of the next cycle: in loose round robin, or greedily. `WARPS` warps with numbers of `WARP` bits,
/// and `PAIRS` pairs of them. In loose round robin the warp is chosen, of those that request, that was served longest
/// ago, and the one that was chosen in the cycle before only if no other requests. Greedily it is the one that was chosen
/// last, if it requests, else the lowest.
#[block(new(greedy: bool))]
pub struct WarpScheduler<const WARPS: usize, const WARP: usize, const PAIRS: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Candidates for the next cycle, one bit for each warp.
    pub request: [Signal<In, Bit>; WARPS],
    /// The warp that was chosen in the cycle before is served now.
    pub served: Signal<In, Bit>,
    /// The warp that was chosen in the cycle before stays chosen.
    pub keeps: Signal<In, Bit>,
    /// Warp that was chosen in the cycle before, one bit each; none if there was no candidate.
    pub chosen: [Signal<Out, Bit>; WARPS],
    /// Number of the warp that was chosen in the cycle before; 0 if there was no candidate.
    pub index: Signal<Out, Bits<WARP>>,
    /// A warp was chosen in the cycle before.
    pub any: Signal<Out, Bit>,

    choice: [Register<Bit>; WARPS],
    number: Register<Bits<WARP>>,
    some_choice: Register<Bit>,
    // The state of the policy that is not this scheduler's stays in reset, and synthesis removes it.
    #[init(Constant::new(greedy))]
    greedy: Constant<Bit>,
    order: Register<Bits<PAIRS>>,
    served_before: [Register<Bit>; WARPS],
    chosen_before: [Register<Bit>; WARPS],
    number_before: Register<Bits<WARP>>,

    longest_ago: MatrixArbiter<WARPS, WARP, PAIRS>,
    lowest: FixedPriorityArbiter<WARPS, WARP, false>,
    some: crate::primitives::or_tree::OrTree<WARPS>,
    some_again: crate::primitives::or_tree::OrTree<WARPS>,
    last: [Signal<Local, Bit>; WARPS],
    last_number: Signal<Local, Bits<WARP>>,
}

impl<const WARPS: usize, const WARP: usize, const PAIRS: usize> Logic
    for WarpScheduler<WARPS, WARP, PAIRS>
{
    #[logic]
    fn update(&mut self) {
        for i in 0..WARPS {
            self.served_before[i].reset.next = self.reset.val() || self.greedy.val();
            self.chosen_before[i].reset.next = self.reset.val() || !self.greedy.val();
        }
        self.order.reset.next = self.reset.val() || self.greedy.val();
        self.number_before.reset.next = self.reset.val() || !self.greedy.val();

        self.order.d.next = self.longest_ago.after.val();
        self.longest_ago.order.next = self.order.q.val();
        for i in 0..WARPS {
            self.served_before[i].d.next = self.choice[i].q.val() && self.served.val();
            self.longest_ago.served[i].next = self.served_before[i].q.val();
            self.longest_ago.last[i].next = self.choice[i].q.val();
            self.longest_ago.request[i].next = self.request[i].val();
            self.lowest.request[i].next = self.request[i].val();
            self.some.of[i].next = self.request[i].val();
            self.last[i].next = self.chosen_before[i].q.val();
            if self.some_choice.q.val() {
                self.last[i].next = self.choice[i].q.val();
            }
            self.chosen_before[i].d.next = self.last[i].val();
            self.some_again.of[i].next = self.request[i].val() && self.last[i].val();
        }
        self.last_number.next = self.number_before.q.val();
        if self.some_choice.q.val() {
            self.last_number.next = self.number.q.val();
        }
        self.number_before.d.next = self.last_number.val();

        for i in 0..WARPS {
            self.choice[i].d.next = self.longest_ago.grant[i].val();
            if self.greedy.val() {
                self.choice[i].d.next = (self.last[i].val() && self.some_again.any.val())
                    || (self.lowest.grant[i].val() && !self.some_again.any.val());
            }
            if self.keeps.val() {
                self.choice[i].d.next = self.choice[i].q.val();
            }
            self.chosen[i].next = self.choice[i].q.val();
        }
        self.number.d.next = self.longest_ago.index.val();
        if self.greedy.val() {
            self.number.d.next = self.lowest.index.val();
            if self.some_again.any.val() {
                self.number.d.next = self.last_number.val();
            }
        }
        if self.keeps.val() {
            self.number.d.next = self.number.q.val();
        }
        self.some_choice.d.next = self.some.any.val() || self.keeps.val();
        self.index.next = self.number.q.val();
        self.any.next = self.some_choice.q.val();
    }
}
