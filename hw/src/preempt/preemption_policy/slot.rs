//! What is known of the thread block in a slot.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Ticks and instructions in `T` bits, sums of them in `U` bits.
#[block]
#[check(T + 1 == U, "{U} bits are not those of a sum of {T} bits")]
pub struct Slot<const T: usize, const U: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A tick has passed.
    pub tick: Signal<In, Bit>,
    /// A block begins here,
    pub begin: Signal<In, Bit>,
    /// after so many ticks,
    pub begin_run: Signal<In, Bits<T>>,
    /// and instructions,
    pub begin_executed: Signal<In, Bits<T>>,
    /// or ends.
    pub end: Signal<In, Bit>,
    /// It issues an instruction, a bit for each port.
    pub issued: [Signal<In, Bit>; 2],
    /// There is one.
    pub holds: Signal<Out, Bit>,
    /// Ticks for which it has run.
    pub run: Signal<Out, Bits<T>>,
    /// Instructions that it has issued.
    pub executed: Signal<Out, Bits<T>>,

    active: Register<Bit>,
    time: Register<Bits<T>>,
    count: Register<Bits<T>>,

    sum: Signal<Local, Bits<U>>,
    #[init(Constant::new((T as LiteralType).into()))]
    above: Constant<Bits<U>>,
    #[init(Constant::new(!Bits::default()))]
    most: Constant<Bits<T>>,
}

impl<const T: usize, const U: usize> Logic for Slot<T, U> {
    #[logic]
    fn update(&mut self) {
        self.active.d.next = self.active.q.val();
        self.time.d.next = self.time.q.val();
        if self.active.q.val() && self.tick.val() && !self.time.q.val().all() {
            self.time.d.next = self.time.q.val() + 1;
        }
        self.sum.next = bit_cast::<U, T>(self.count.q.val());
        if self.issued[0].val() != self.issued[1].val() {
            self.sum.next = bit_cast::<U, T>(self.count.q.val()) + 1;
        }
        if self.issued[0].val() && self.issued[1].val() {
            self.sum.next = bit_cast::<U, T>(self.count.q.val()) + 2;
        }
        self.count.d.next = self.count.q.val();
        if self.active.q.val() {
            self.count.d.next = bit_cast::<T, U>(self.sum.val());
            if (self.sum.val() >> self.above.val()).any() {
                self.count.d.next = self.most.val();
            }
        }
        if self.end.val() {
            self.active.d.next = false;
        }
        if self.begin.val() {
            self.active.d.next = true;
            self.time.d.next = self.begin_run.val();
            self.count.d.next = self.begin_executed.val();
        }
        self.holds.next = self.active.q.val();
        self.run.next = self.time.q.val();
        self.executed.next = self.count.q.val();
    }
}
