#![doc = include_str!("../../../docs/blocks/coalescer.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::params::PAGE_LINE_BITS;
use crate::primitives::any_of::AnyOf;
use crate::primitives::arbiter::Arbiter;
use crate::primitives::register::Register;
use crate::primitives::select::Select;

/// `L` lanes with `I`-bit numbers, line numbers of `K` bits.
#[block(top)]
pub struct Coalescer<const L: usize, const I: usize, const K: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: drops the instruction and its requests.
    pub reset: Signal<In, Bit>,

    /// An instruction with its addresses is on offer.
    pub instruction_valid: Signal<In, Bit>,
    /// Groups lanes by page of 4 KB instead of by line.
    pub instruction_pages: Signal<In, Bit>,
    /// Lanes of the instruction, one bit each.
    pub instruction_mask: [Signal<In, Bit>; L],
    /// Line of each lane's address.
    pub instruction_line: [Signal<In, Bits<K>>; L],
    /// The request on offer is taken.
    pub request_ready: Signal<In, Bit>,

    /// The instruction is accepted.
    pub instruction_ready: Signal<Out, Bit>,
    /// A request is on offer.
    pub request_valid: Signal<Out, Bit>,
    /// Line of the request; of a page, its first line.
    pub request_line: Signal<Out, Bits<K>>,
    /// Lowest lane of the request.
    pub request_leader: Signal<Out, Bits<I>>,
    /// Lanes of the request, one bit each.
    pub request_mask: [Signal<Out, Bit>; L],
    /// The request is the last one of its instruction.
    pub request_last: Signal<Out, Bit>,

    // The instruction that is split, and the lane that leads its next request.
    pending: [Register<Bit>; L],
    line: [Register<Bits<K>>; L],
    leader: Register<Bits<I>>,
    leading_line: Register<Bits<K>>,

    // The request on offer.
    offered: Register<Bit>,
    offered_line: Register<Bits<K>>,
    offered_leader: Register<Bits<I>>,
    offered_mask: [Register<Bit>; L],
    offered_last: Register<Bit>,

    #[init(Constant::new(!bits::<K>((1 << PAGE_LINE_BITS) - 1)))]
    page: Constant<Bits<K>>,
    incoming_leader: Arbiter<L, I, false>,
    incoming_line: Select<L, Bits<K>>,
    following: Arbiter<L, I, false>,
    following_line: Select<L, Bits<K>>,
    incoming: [Signal<Local, Bits<K>>; L],
    some: AnyOf<L>,
    more: AnyOf<L>,
    together: [Signal<Local, Bit>; L],
    free: Signal<Local, Bit>,
    making: Signal<Local, Bit>,
    accepting: Signal<Local, Bit>,
    kept: Signal<Local, Bits<K>>,
}

impl<const L: usize, const I: usize, const K: usize> Logic for Coalescer<L, I, K> {
    #[logic]
    fn update(&mut self) {
        // Lanes of the leader's line go with it; the lowest of the others leads next.
        for i in 0..L {
            self.some.of[i].next = self.pending[i].q.val();
            self.together[i].next =
                self.pending[i].q.val() && (self.line[i].q.val() == self.leading_line.q.val());
            self.more.of[i].next = self.pending[i].q.val() && !self.together[i].val();
            self.following.request[i].next = self.pending[i].q.val() && !self.together[i].val();
            self.following_line.of[i].next = self.line[i].q.val();
        }
        for i in 0..L {
            self.following_line.choose[i].next = self.following.grant[i].val();
        }

        // Of an instruction that comes, the lowest lane leads.
        self.kept.next = !bits::<K>(0);
        if self.instruction_pages.val() {
            self.kept.next = self.page.val();
        }
        for i in 0..L {
            self.incoming[i].next = self.instruction_line[i].val() & self.kept.val();
            self.incoming_leader.request[i].next = self.instruction_mask[i].val();
        }
        for i in 0..L {
            self.incoming_line.of[i].next = self.incoming[i].val();
            self.incoming_line.choose[i].next = self.incoming_leader.grant[i].val();
        }

        self.free.next = !self.offered.q.val() || self.request_ready.val();
        self.making.next = self.free.val() && self.some.any.val();
        self.instruction_ready.next =
            !self.some.any.val() || (self.free.val() && !self.more.any.val());
        self.accepting.next = self.instruction_valid.val() && self.instruction_ready.val();
        for i in 0..L {
            self.pending[i].d.next = self.pending[i].q.val();
            self.line[i].d.next = self.line[i].q.val();
            if self.making.val() && self.together[i].val() {
                self.pending[i].d.next = false;
            }
            if self.accepting.val() {
                self.pending[i].d.next = self.instruction_mask[i].val();
                self.line[i].d.next = self.incoming[i].val();
            }
        }
        self.leader.d.next = self.leader.q.val();
        self.leading_line.d.next = self.leading_line.q.val();
        if self.making.val() {
            self.leader.d.next = self.following.index.val();
            self.leading_line.d.next = self.following_line.chosen.val();
        }
        if self.accepting.val() {
            self.leader.d.next = self.incoming_leader.index.val();
            self.leading_line.d.next = self.incoming_line.chosen.val();
        }

        self.offered.d.next = self.some.any.val() || !self.free.val();
        self.offered_line.d.next = self.offered_line.q.val();
        self.offered_leader.d.next = self.offered_leader.q.val();
        self.offered_last.d.next = self.offered_last.q.val();
        if self.making.val() {
            self.offered_line.d.next = self.leading_line.q.val();
            self.offered_leader.d.next = self.leader.q.val();
            self.offered_last.d.next = !self.more.any.val();
        }
        for i in 0..L {
            self.offered_mask[i].d.next = self.offered_mask[i].q.val();
            if self.making.val() {
                self.offered_mask[i].d.next = self.together[i].val();
            }
        }

        self.request_valid.next = self.offered.q.val();
        self.request_line.next = self.offered_line.q.val();
        self.request_leader.next = self.offered_leader.q.val();
        self.request_last.next = self.offered_last.q.val();
        for i in 0..L {
            self.request_mask[i].next = self.offered_mask[i].q.val();
        }
    }
}
