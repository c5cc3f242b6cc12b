#![doc = include_str!("../../../docs/blocks/coalescer.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::PAGE_LINE_BITS;
use crate::primitives::fixed_priority_arbiter::FixedPriorityArbiter;
use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// Coalescer: turns the lane addresses of a memory instruction into requests, one a cycle. `LANES` lanes with numbers
/// of `LANE` bits, lines with numbers of `LINE` bits.
#[block(top)]
pub struct Coalescer<const LANES: usize, const LANE: usize, const LINE: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: drops the instruction and its requests.
    pub reset: Signal<In, Bit>,

    /// An instruction with its addresses is on offer.
    pub instruction_valid: Signal<In, Bit>,
    /// Groups lanes by page of 4 KB instead of by line.
    pub instruction_pages: Signal<In, Bit>,
    /// Lanes of the instruction, one bit each.
    pub instruction_mask: [Signal<In, Bit>; LANES],
    /// Line of each lane's address.
    pub instruction_line: [Signal<In, Bits<LINE>>; LANES],
    /// The request on offer is taken.
    pub request_ready: Signal<In, Bit>,

    /// The instruction is accepted.
    pub instruction_ready: Signal<Out, Bit>,
    /// A request is on offer.
    pub request_valid: Signal<Out, Bit>,
    /// Line of the request; of a page, its first line.
    pub request_line: Signal<Out, Bits<LINE>>,
    /// Lowest lane of the request.
    pub request_leader: Signal<Out, Bits<LANE>>,
    /// Lanes of the request, one bit each.
    pub request_mask: [Signal<Out, Bit>; LANES],
    /// The request is the last one of its instruction.
    pub request_last: Signal<Out, Bit>,

    // The instruction that is split, and the lane that leads its next request.
    pending: [Register<Bit>; LANES],
    line: [Register<Bits<LINE>>; LANES],
    leader: Register<Bits<LANE>>,
    leading_line: Register<Bits<LINE>>,

    // The request on offer.
    offered: Register<Bit>,
    offered_line: Register<Bits<LINE>>,
    offered_leader: Register<Bits<LANE>>,
    offered_mask: [Register<Bit>; LANES],
    offered_last: Register<Bit>,

    #[init(Constant::new(!bits::<LINE>((1 << PAGE_LINE_BITS) - 1)))]
    page: Constant<Bits<LINE>>,
    incoming_leader: FixedPriorityArbiter<LANES, LANE, false>,
    incoming_line: OneHotMux<LANES, Bits<LINE>>,
    following: FixedPriorityArbiter<LANES, LANE, false>,
    following_line: OneHotMux<LANES, Bits<LINE>>,
    incoming: [Signal<Local, Bits<LINE>>; LANES],
    some: OrTree<LANES>,
    more: OrTree<LANES>,
    together: [Signal<Local, Bit>; LANES],
    free: Signal<Local, Bit>,
    making: Signal<Local, Bit>,
    accepting: Signal<Local, Bit>,
    kept: Signal<Local, Bits<LINE>>,
}

impl<const LANES: usize, const LANE: usize, const LINE: usize> Logic
    for Coalescer<LANES, LANE, LINE>
{
    #[logic]
    fn update(&mut self) {
        // Lanes of the leader's line go with it; the lowest of the others leads next.
        for i in 0..LANES {
            self.some.of[i].next = self.pending[i].q.val();
            self.together[i].next =
                self.pending[i].q.val() && (self.line[i].q.val() == self.leading_line.q.val());
            self.more.of[i].next = self.pending[i].q.val() && !self.together[i].val();
            self.following.request[i].next = self.pending[i].q.val() && !self.together[i].val();
            self.following_line.of[i].next = self.line[i].q.val();
        }
        for i in 0..LANES {
            self.following_line.choose[i].next = self.following.grant[i].val();
        }

        // The lowest lane of an arriving instruction leads.
        self.kept.next = !bits::<LINE>(0);
        if self.instruction_pages.val() {
            self.kept.next = self.page.val();
        }
        for i in 0..LANES {
            self.incoming[i].next = self.instruction_line[i].val() & self.kept.val();
            self.incoming_leader.request[i].next = self.instruction_mask[i].val();
        }
        for i in 0..LANES {
            self.incoming_line.of[i].next = self.incoming[i].val();
            self.incoming_line.choose[i].next = self.incoming_leader.grant[i].val();
        }

        self.free.next = !self.offered.q.val() || self.request_ready.val();
        self.making.next = self.free.val() && self.some.any.val();
        self.instruction_ready.next =
            !self.some.any.val() || (self.free.val() && !self.more.any.val());
        self.accepting.next = self.instruction_valid.val() && self.instruction_ready.val();
        for i in 0..LANES {
            if self.making.val() && self.together[i].val() {
                self.pending[i].d.next = false;
            }
            if self.accepting.val() {
                self.pending[i].d.next = self.instruction_mask[i].val();
                self.line[i].d.next = self.incoming[i].val();
            }
        }
        if self.making.val() {
            self.leader.d.next = self.following.index.val();
            self.leading_line.d.next = self.following_line.chosen.val();
        }
        if self.accepting.val() {
            self.leader.d.next = self.incoming_leader.index.val();
            self.leading_line.d.next = self.incoming_line.chosen.val();
        }

        self.offered.d.next = self.some.any.val() || !self.free.val();
        if self.making.val() {
            self.offered_line.d.next = self.leading_line.q.val();
            self.offered_leader.d.next = self.leader.q.val();
            self.offered_last.d.next = !self.more.any.val();
        }
        for i in 0..LANES {
            if self.making.val() {
                self.offered_mask[i].d.next = self.together[i].val();
            }
        }

        self.request_valid.next = self.offered.q.val();
        self.request_line.next = self.offered_line.q.val();
        self.request_leader.next = self.offered_leader.q.val();
        self.request_last.next = self.offered_last.q.val();
        for i in 0..LANES {
            self.request_mask[i].next = self.offered_mask[i].q.val();
        }
    }
}
