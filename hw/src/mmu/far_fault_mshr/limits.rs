//! How many far faults each SM has, and so which of those that request may have another one.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Counts the far faults of each SM, and grants those that are below their limit. `SMS` SMs, each with a limit of
/// `LIMIT` bits and a count of far faults of `SM_COUNT` bits.
#[block]
pub struct Limits<const SMS: usize, const LIMIT: usize, const SM_COUNT: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Far faults that an SM may have.
    pub limit: Signal<In, Bits<LIMIT>>,
    /// SMs that the operation concerns, one bit each.
    pub requester: [Signal<In, Bit>; SMS],
    /// SMs that wait in the entry already, one bit each.
    pub waits: [Signal<In, Bit>; SMS],
    /// A fault acts, and its page has an entry or one is free: requesters below their limit wait from now on.
    pub room: Signal<In, Bit>,
    /// The SMs in `requester` that wait in the entry stop waiting.
    pub remove: Signal<In, Bit>,
    /// SMs in `requester` that wait in the entry, or wait there from now on, one bit each.
    pub far: [Signal<Out, Bit>; SMS],

    count: [Register<Bits<SM_COUNT>>; SMS],
    #[init(Constant::new((SM_COUNT as LiteralType).into()))]
    count_bits: Constant<Bits<LIMIT>>,
    beyond: Signal<Local, Bits<LIMIT>>,
    most: Signal<Local, Bits<SM_COUNT>>,
    added: [Signal<Local, Bit>; SMS],
    requests_and_waits: [Signal<Local, Bit>; SMS],
    upward: [Signal<Local, Bits<SM_COUNT>>; SMS],
    carried: [Signal<Local, Bits<SM_COUNT>>; SMS],
}

impl<const SMS: usize, const LIMIT: usize, const SM_COUNT: usize> Logic
    for Limits<SMS, LIMIT, SM_COUNT>
{
    #[logic]
    fn update(&mut self) {
        // A count never comes to its greatest number, so a limit above is none.
        self.most.next = bit_cast::<SM_COUNT, LIMIT>(self.limit.val());
        self.beyond.next = self.limit.val() >> self.count_bits.val();
        if self.beyond.val().any() {
            self.most.next = !bits::<SM_COUNT>(0);
        }
        for s in 0..SMS {
            self.added[s].next = self.requester[s].val()
                && !self.waits[s].val()
                && self.room.val()
                && (self.count[s].q.val() < self.most.val());
            self.requests_and_waits[s].next = self.requester[s].val() && self.waits[s].val();
            self.far[s].next = self.added[s].val() || self.requests_and_waits[s].val();

            // One adder: a count goes down as its complement goes up, and in both cases the same bits change.
            self.upward[s].next = self.count[s].q.val();
            if self.remove.val() {
                self.upward[s].next = !self.count[s].q.val();
            }
            self.carried[s].next = self.upward[s].val() + 1;
            if self.added[s].val() || (self.remove.val() && self.requests_and_waits[s].val()) {
                self.count[s].d.next =
                    self.count[s].q.val() ^ (self.upward[s].val() ^ self.carried[s].val());
            }
        }
    }
}
