//! How many far faults each SM has, and so which of those that ask may have another one.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// `N` SMs, which may have as many far faults as `C` bits say, and whose are counted in `K`.
#[block]
pub struct Limits<const N: usize, const C: usize, const K: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Far faults that an SM may have.
    pub limit: Signal<In, Bits<C>>,
    /// The SMs that ask.
    pub requester: [Signal<In, Bit>; N],
    /// Those that wait in the entry already.
    pub waits: [Signal<In, Bit>; N],
    /// A fault acts, and there is an entry for the others: requesters with the answer far wait from now on.
    pub room: Signal<In, Bit>,
    /// Those who ask and wait wait no longer.
    pub remove: Signal<In, Bit>,
    /// The SMs that are told far.
    pub far: [Signal<Out, Bit>; N],

    count: [Register<Bits<K>>; N],
    #[init(Constant::new((K as LiteralType).into()))]
    count_bits: Constant<Bits<C>>,
    beyond: Signal<Local, Bits<C>>,
    most: Signal<Local, Bits<K>>,
    added: [Signal<Local, Bit>; N],
    asks_and_waits: [Signal<Local, Bit>; N],
    upward: [Signal<Local, Bits<K>>; N],
    carried: [Signal<Local, Bits<K>>; N],
}

impl<const N: usize, const C: usize, const K: usize> Logic for Limits<N, C, K> {
    #[logic]
    fn update(&mut self) {
        // A count never comes to its greatest number, so a limit above is none.
        self.most.next = bit_cast::<K, C>(self.limit.val());
        self.beyond.next = self.limit.val() >> self.count_bits.val();
        if self.beyond.val().any() {
            self.most.next = !bits::<K>(0);
        }
        for s in 0..N {
            self.added[s].next = self.requester[s].val()
                && !self.waits[s].val()
                && self.room.val()
                && (self.count[s].q.val() < self.most.val());
            self.asks_and_waits[s].next = self.requester[s].val() && self.waits[s].val();
            self.far[s].next = self.added[s].val() || self.asks_and_waits[s].val();

            // One adder: a count goes down as its complement goes up, and in both cases the same bits change.
            self.upward[s].next = self.count[s].q.val();
            if self.remove.val() {
                self.upward[s].next = !self.count[s].q.val();
            }
            self.carried[s].next = self.upward[s].val() + 1;
            self.count[s].d.next = self.count[s].q.val();
            if self.added[s].val() || (self.remove.val() && self.asks_and_waits[s].val()) {
                self.count[s].d.next =
                    self.count[s].q.val() ^ (self.upward[s].val() ^ self.carried[s].val());
            }
        }
    }
}
