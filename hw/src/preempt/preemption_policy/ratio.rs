//! A product and a quotient, a bit in each cycle: they are wanted once in a preemption.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Multiplies and divides, one bit a cycle. Gives `a` x `b` / `c`, rounded down, or the greatest number if it is
/// greater or `c` is 0. Numbers have `TIME` bits, sums `SUM`, the number of a bit `BIT`.
#[block]
#[check(TIME + 1 == SUM && TIME <= 1 << BIT, "{SUM} and {BIT} bits do not fit {TIME}")]
pub struct Ratio<const TIME: usize, const SUM: usize, const BIT: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A computation begins.
    pub start: Signal<In, Bit>,
    /// First factor, which stays the same until the computation has ended.
    pub a: Signal<In, Bits<TIME>>,
    /// Second factor, in the cycle of `start`.
    pub b: Signal<In, Bits<TIME>>,
    /// Divisor, which stays the same until the computation has ended.
    pub c: Signal<In, Bits<TIME>>,
    /// The computation has not ended.
    pub busy: Signal<Out, Bit>,
    /// Result of the computation, once it has ended.
    pub quotient: Signal<Out, Bits<TIME>>,

    works: Register<Bit>,
    divides: Register<Bit>,
    done: Register<Bits<BIT>>,
    // The product, of which the quotient takes the lower half's place, and the remainder the upper one's.
    high: Register<Bits<TIME>>,
    low: Register<Bits<TIME>>,

    sum: Signal<Local, Bits<SUM>>,
    shifted: Signal<Local, Bits<SUM>>,
    fits: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    #[init(Constant::new(1.into()))]
    one: Constant<Bits<TIME>>,
    #[init(Constant::new(1.into()))]
    one_of_sum: Constant<Bits<SUM>>,
    #[init(Constant::new((1 << (TIME - 1) as LiteralType).into()))]
    top: Constant<Bits<TIME>>,
    #[init(Constant::new(1.into()))]
    lowest: Constant<Bits<TIME>>,
    #[init(Constant::new(0.into()))]
    nothing: Constant<Bits<TIME>>,
    #[init(Constant::new(!Bits::default()))]
    most: Constant<Bits<TIME>>,
    #[init(Constant::new(((TIME - 1) as LiteralType).into()))]
    final_bit: Constant<Bits<BIT>>,
    #[init(Constant::new(0.into()))]
    first_bit: Constant<Bits<BIT>>,
}

impl<const TIME: usize, const SUM: usize, const BIT: usize> Logic for Ratio<TIME, SUM, BIT> {
    #[logic]
    fn update(&mut self) {
        self.last.next = self.done.q.val() == self.final_bit.val();

        self.sum.next = bit_cast::<SUM, TIME>(self.high.q.val());
        if self.low.q.val().get_bit(0) {
            self.sum.next =
                bit_cast::<SUM, TIME>(self.high.q.val()) + bit_cast::<SUM, TIME>(self.a.val());
        }
        self.shifted.next = bit_cast::<SUM, TIME>(self.high.q.val()) << self.one_of_sum.val();
        if (self.low.q.val() & self.top.val()).any() {
            self.shifted.next = (bit_cast::<SUM, TIME>(self.high.q.val()) << self.one_of_sum.val())
                | self.one_of_sum.val();
        }
        self.fits.next = bit_cast::<SUM, TIME>(self.c.val()) <= self.shifted.val();

        if self.works.q.val() {
            self.done.d.next = self.done.q.val() + 1;
            if self.last.val() {
                self.done.d.next = self.first_bit.val();
                self.divides.d.next = true;
                self.works.d.next = !self.divides.q.val();
            }
            self.high.d.next = bit_cast::<TIME, SUM>(self.sum.val() >> self.one_of_sum.val());
            self.low.d.next = self.low.q.val() >> self.one.val();
            if self.sum.val().get_bit(0) {
                self.low.d.next = (self.low.q.val() >> self.one.val()) | self.top.val();
            }
            if self.divides.q.val() {
                self.high.d.next = bit_cast::<TIME, SUM>(self.shifted.val());
                self.low.d.next = self.low.q.val() << self.one.val();
                if self.fits.val() {
                    self.high.d.next = bit_cast::<TIME, SUM>(
                        self.shifted.val() - bit_cast::<SUM, TIME>(self.c.val()),
                    );
                    self.low.d.next = (self.low.q.val() << self.one.val()) | self.lowest.val();
                }
                // A remainder is less than its divisor, and so is the upper half of a product whose quotient has no more bits.
                if self.c.val() <= self.high.q.val() {
                    self.low.d.next = self.most.val();
                    self.works.d.next = false;
                }
            }
        }
        if self.start.val() {
            self.works.d.next = true;
            self.divides.d.next = false;
            self.done.d.next = self.first_bit.val();
            self.high.d.next = self.nothing.val();
            self.low.d.next = self.b.val();
        }
        self.busy.next = self.works.q.val();
        self.quotient.next = self.low.q.val();
    }
}
