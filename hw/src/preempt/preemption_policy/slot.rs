//! What is known of the thread block in a slot.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Counts time and instructions of the thread block in a slot. Ticks and instructions are counted in `TIME` bits, sums
/// of them in `SUM` bits.
#[block]
#[check(TIME + 1 == SUM, "{SUM} bits are not those of a sum of {TIME} bits")]
pub struct Slot<const TIME: usize, const SUM: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A tick ends.
    pub tick: Signal<In, Bit>,
    /// A thread block begins, or comes back, in the slot.
    pub begin: Signal<In, Bit>,
    /// Ticks for which the thread block had run when it left; 0 for a new one.
    pub begin_run: Signal<In, Bits<TIME>>,
    /// Instructions that the thread block had issued when it left; 0 for a new one.
    pub begin_executed: Signal<In, Bits<TIME>>,
    /// The thread block in the slot has ended, or leaves.
    pub end: Signal<In, Bit>,
    /// The thread block issues an instruction, one bit for each port.
    pub issued: [Signal<In, Bit>; 2],
    /// The slot has a thread block.
    pub holds: Signal<Out, Bit>,
    /// Ticks for which the thread block has run.
    pub run: Signal<Out, Bits<TIME>>,
    /// Instructions that the thread block has issued.
    pub executed: Signal<Out, Bits<TIME>>,

    active: Register<Bit>,
    time: Register<Bits<TIME>>,
    count: Register<Bits<TIME>>,

    sum: Signal<Local, Bits<SUM>>,
    #[init(Constant::new((TIME as LiteralType).into()))]
    above: Constant<Bits<SUM>>,
    #[init(Constant::new(!Bits::default()))]
    most: Constant<Bits<TIME>>,
}

impl<const TIME: usize, const SUM: usize> Logic for Slot<TIME, SUM> {
    #[logic]
    fn update(&mut self) {
        if self.active.q.val() && self.tick.val() && !self.time.q.val().all() {
            self.time.d.next = self.time.q.val() + 1;
        }
        self.sum.next = bit_cast::<SUM, TIME>(self.count.q.val());
        if self.issued[0].val() != self.issued[1].val() {
            self.sum.next = bit_cast::<SUM, TIME>(self.count.q.val()) + 1;
        }
        if self.issued[0].val() && self.issued[1].val() {
            self.sum.next = bit_cast::<SUM, TIME>(self.count.q.val()) + 2;
        }
        if self.active.q.val() {
            self.count.d.next = bit_cast::<TIME, SUM>(self.sum.val());
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
