//! Requests in front of the walks, in the order in which they came.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::or_tree::OrTree;
use crate::primitives::register::Register;

/// Queues requests in front of the walks, in the order in which they came. `REQUESTS` requests with numbers of
/// `REQUEST` bits, of requesters with numbers of `REQUESTER` bits; spaces of `ASID` bits.
#[block]
#[check(1 << REQUEST == REQUESTS, "{REQUEST} bits do not number {REQUESTS} requests")]
pub struct Waiting<
    const REQUESTS: usize,
    const REQUEST: usize,
    const REQUESTER: usize,
    const ASID: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A request is valid; it is accepted only while `room` is high.
    pub push: Signal<In, Bit>,
    /// Page number of the request.
    pub vpn: Signal<In, Bits<52>>,
    /// Address space of the request.
    pub asid: Signal<In, Bits<ASID>>,
    /// The request is for a write.
    pub write: Signal<In, Bit>,
    /// The request is for an instruction fetch.
    pub execute: Signal<In, Bit>,
    /// The request is of a user.
    pub user: Signal<In, Bit>,
    /// Number of the requester.
    pub requester: Signal<In, Bits<REQUESTER>>,
    /// The first request leaves the queue.
    pub pop: Signal<In, Bit>,
    /// There is room for another request.
    pub room: Signal<Out, Bit>,
    /// A first request waits.
    pub valid: Signal<Out, Bit>,
    /// Page number of the first request.
    pub first_vpn: Signal<Out, Bits<52>>,
    /// Address space of the first request.
    pub first_asid: Signal<Out, Bits<ASID>>,
    /// The first request is for a write.
    pub first_write: Signal<Out, Bit>,
    /// The first request is for an instruction fetch.
    pub first_execute: Signal<Out, Bit>,
    /// The first request is of a user.
    pub first_user: Signal<Out, Bit>,
    /// Number of the first request's requester.
    pub first_requester: Signal<Out, Bits<REQUESTER>>,

    used: [Register<Bit>; REQUESTS],
    vpns: [Register<Bits<52>>; REQUESTS],
    asids: [Register<Bits<ASID>>; REQUESTS],
    writes: [Register<Bit>; REQUESTS],
    executes: [Register<Bit>; REQUESTS],
    users: [Register<Bit>; REQUESTS],
    requesters: [Register<Bits<REQUESTER>>; REQUESTS],
    head: Register<Bits<REQUEST>>,
    tail: Register<Bits<REQUEST>>,

    at_head: [Signal<Local, Bit>; REQUESTS],
    at_tail: [Signal<Local, Bit>; REQUESTS],
    some_valid: OrTree<REQUESTS>,
    some_full: OrTree<REQUESTS>,
    some_write: OrTree<REQUESTS>,
    some_execute: OrTree<REQUESTS>,
    some_user: OrTree<REQUESTS>,
    vpn_of: OneHotMux<REQUESTS, Bits<52>>,
    asid_of: OneHotMux<REQUESTS, Bits<ASID>>,
    requester_of: OneHotMux<REQUESTS, Bits<REQUESTER>>,
}

impl<const REQUESTS: usize, const REQUEST: usize, const REQUESTER: usize, const ASID: usize> Logic
    for Waiting<REQUESTS, REQUEST, REQUESTER, ASID>
{
    #[logic]
    fn update(&mut self) {
        for i in 0..REQUESTS {
            self.at_head[i].next = self.head.q.val() == i.to_bits::<REQUEST>();
            self.at_tail[i].next = self.tail.q.val() == i.to_bits::<REQUEST>();
            self.some_valid.of[i].next = self.used[i].q.val() && self.at_head[i].val();
            self.some_full.of[i].next = self.used[i].q.val() && self.at_tail[i].val();
            self.some_write.of[i].next = self.writes[i].q.val() && self.at_head[i].val();
            self.some_execute.of[i].next = self.executes[i].q.val() && self.at_head[i].val();
            self.some_user.of[i].next = self.users[i].q.val() && self.at_head[i].val();
            self.vpn_of.choose[i].next = self.at_head[i].val();
            self.vpn_of.of[i].next = self.vpns[i].q.val();
            self.asid_of.choose[i].next = self.at_head[i].val();
            self.asid_of.of[i].next = self.asids[i].q.val();
            self.requester_of.choose[i].next = self.at_head[i].val();
            self.requester_of.of[i].next = self.requesters[i].q.val();
        }
        self.room.next = !self.some_full.any.val();
        self.valid.next = self.some_valid.any.val();
        self.first_vpn.next = self.vpn_of.chosen.val();
        self.first_asid.next = self.asid_of.chosen.val();
        self.first_write.next = self.some_write.any.val();
        self.first_execute.next = self.some_execute.any.val();
        self.first_user.next = self.some_user.any.val();
        self.first_requester.next = self.requester_of.chosen.val();

        if self.pop.val() {
            self.head.d.next = self.head.q.val() + 1;
        }
        if self.push.val() && self.room.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        for i in 0..REQUESTS {
            if self.pop.val() && self.at_head[i].val() {
                self.used[i].d.next = false;
            }
            // Where nothing is, what lies there does not matter.
            if self.at_tail[i].val() && self.room.val() {
                self.used[i].d.next = self.push.val();
                self.vpns[i].d.next = self.vpn.val();
                self.asids[i].d.next = self.asid.val();
                self.writes[i].d.next = self.write.val();
                self.executes[i].d.next = self.execute.val();
                self.users[i].d.next = self.user.val();
                self.requesters[i].d.next = self.requester.val();
            }
        }
    }
}
