//! Blocks inside blocks: two instances of one type, arrays of blocks, blocks in blocks in blocks.

use faultline_hw::primitives::register::Register;
use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// The sum, and whether it is below `left`: a child of a child.
#[block]
pub struct Sum<const N: usize> {
    pub left: Signal<In, Bits<N>>,
    pub right: Signal<In, Bits<N>>,
    pub sum: Signal<Out, Bits<N>>,
    pub carry: Signal<Out, Bit>,
}

impl<const N: usize> Logic for Sum<N> {
    #[logic]
    fn update(&mut self) {
        self.sum.next = self.left.val() + self.right.val();
        self.carry.next = self.left.val() + self.right.val() < self.left.val();
    }
}

/// Accumulates in a register, and has ports that are arrays.
#[block]
pub struct Accumulator<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub by: [Signal<In, Bits<N>>; 2],
    pub total: Signal<Out, Bits<N>>,
    pub carries: [Signal<Out, Bit>; 2],
    value: Register<Bits<N>>,
    first: Sum<N>,
    second: Sum<N>,
}

impl<const N: usize> Logic for Accumulator<N> {
    #[logic]
    fn update(&mut self) {
        self.first.left.next = self.value.q.val();
        self.first.right.next = self.by[0].val();
        self.second.left.next = self.first.sum.val();
        self.second.right.next = self.by[1].val();
        self.value.d.next = self.second.sum.val();
        self.total.next = self.value.q.val();
        self.carries[0].next = self.first.carry.val();
        self.carries[1].next = self.second.carry.val();
    }
}

/// A tree of blocks on `N` bits.
#[block(top)]
pub struct Tree<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub a: Signal<In, Bits<N>>,
    pub b: Signal<In, Bits<N>>,
    pub each: [Signal<In, Bits<N>>; 3],
    pub enable: [Signal<In, Bit>; 3],
    pub totals: [Signal<Out, Bits<N>>; 2],
    pub carries: Signal<Out, Bits<4>>,
    pub sums: [Signal<Out, Bits<N>>; 3],
    pub sum_carries: [Signal<Out, Bit>; 3],
    pub chained: Signal<Out, Bits<N>>,
    pub offsets: [Signal<Out, Bits<N>>; 3],
    pub shifted: [Signal<Out, Bits<N>>; 3],
    pub only: Signal<Out, Bits<N>>,
    left: Accumulator<N>,
    right: Accumulator<N>,
    adder: [Sum<N>; 3],
    chain: [Sum<N>; 3],
    offset: [Sum<N>; 3],
    pipe: [Register<Bits<N>>; 3],
    one: [Sum<N>; 1],
    #[init([!Bits::<N>::default(), bits(1), !Bits::<N>::default() >> 1].map(Constant::new))]
    step: [Constant<Bits<N>>; 3],
}

impl<const N: usize> Logic for Tree<N> {
    #[logic]
    fn update(&mut self) {
        self.left.by[0].next = self.a.val();
        self.left.by[1].next = self.b.val();
        for i in 0..2 {
            self.right.by[i].next = self.each[i].val();
        }
        self.totals[0].next = self.left.total.val();
        self.totals[1].next = self.right.total.val() ^ self.left.total.val();
        self.carries.next = bits::<4>(0)
            .replace_bit(0, self.left.carries[0].val())
            .replace_bit(1, self.left.carries[1].val())
            .replace_bit(2, self.right.carries[0].val())
            .replace_bit(3, self.right.carries[1].val());

        // One partner for all, one for each, and one only where it is enabled.
        for i in 0..3 {
            self.adder[i].left.next = self.a.val();
            self.adder[i].right.next = self.each[i].val();
            self.sums[i].next = self.adder[i].sum.val();
            self.sum_carries[i].next = self.adder[i].carry.val();
            if self.enable[i].val() {
                self.sums[i].next = self.adder[i].sum.val() - self.b.val();
            }
        }

        // A chain through the children.
        self.chain[0].left.next = self.b.val();
        for i in 1..3 {
            self.chain[i].left.next = self.chain[i - 1].sum.val();
        }
        for i in 0..3 {
            self.chain[i].right.next = self.each[i].val();
        }
        self.chained.next = self.chain[2].sum.val();
        if self.chain[0].carry.val() || self.chain[1].carry.val() || self.chain[2].carry.val() {
            self.chained.next = !self.chain[2].sum.val();
        }

        // Constants wired to children.
        for i in 0..3 {
            self.offset[i].left.next = self.each[i].val();
            self.offset[i].right.next = self.step[i].val();
        }
        for i in 0..3 {
            self.offsets[i].next = self.offset[i].sum.val() + self.offset[i].carry.val();
        }

        // Registers in a row.
        for i in 0..3 {
            self.shifted[i].next = self.pipe[i].q.val();
        }
        self.pipe[0].d.next = self.a.val();
        for i in 1..3 {
            self.pipe[i].d.next = self.pipe[i - 1].q.val();
        }

        // An array of one.
        for i in 0..1 {
            self.one[i].left.next = self.b.val();
            self.one[i].right.next = self.each[i].val() + 1;
        }
        self.only.next = self.one[0].sum.val() + self.one[0].carry.val();
    }
}
