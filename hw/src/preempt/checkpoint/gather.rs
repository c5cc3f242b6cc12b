//! The dirty rows that the next header will name.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::count_of::CountOf;
use crate::primitives::register::Register;

/// Up to `K` rows with numbers of `R` bits, each with some of its `S` sectors; beats of them in `L` bits.
#[block]
#[check(K * S < 1 << L, "{L} bits do not count the sectors of {K} rows")]
pub struct Gather<const K: usize, const R: usize, const S: usize, const L: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A row comes, with at least one sector, while there is room.
    pub push: Signal<In, Bit>,
    /// Its number,
    pub push_row: Signal<In, Bits<R>>,
    /// and its sectors.
    pub push_sectors: Signal<In, Bits<S>>,
    /// All are forgotten that have not come in this cycle.
    pub clear: Signal<In, Bit>,
    /// There is one.
    pub some: Signal<Out, Bit>,
    /// There is no room.
    pub full: Signal<Out, Bit>,
    /// The rows, the first one first,
    pub row: [Signal<Out, Bits<R>>; K],
    /// and their sectors, none where there is no row.
    pub sectors: [Signal<Out, Bits<S>>; K],
    /// Sectors of all rows.
    pub beats: Signal<Out, Bits<L>>,

    number: [Register<Bits<R>>; K],
    dirty: [Register<Bits<S>>; K],
    sum: Register<Bits<L>>,
    of_row: CountOf<S, L>,
    taken: [Signal<Local, Bit>; K],
    last: Signal<Local, Bit>,
    #[init(Constant::new(0.into()))]
    no_row: Constant<Bits<R>>,
    #[init(Constant::new(0.into()))]
    none: Constant<Bits<S>>,
    #[init(Constant::new(0.into()))]
    no_beats: Constant<Bits<L>>,
}

impl<const K: usize, const R: usize, const S: usize, const L: usize> Logic for Gather<K, R, S, L> {
    #[logic]
    fn update(&mut self) {
        for i in 0..K {
            self.number[i].d.next = self.number[i].q.val();
            self.dirty[i].d.next = self.dirty[i].q.val();
            self.taken[i].next = self.dirty[i].q.val().any();
        }
        self.last.next = false;
        for i in 0..K {
            self.last.next = self.taken[i].val();
        }

        // A row takes the first place that is free; as the others are forgotten, the first one.
        for i in 0..S {
            self.of_row.of[i].next = self.push_sectors.val().get_bit(i);
        }
        self.sum.d.next = self.sum.q.val();
        if self.push.val() {
            self.sum.d.next = self.sum.q.val() + self.of_row.count.val();
        }
        for i in 1..K {
            if self.push.val() && self.taken[i - 1].val() && !self.taken[i].val() {
                self.number[i].d.next = self.push_row.val();
                self.dirty[i].d.next = self.push_sectors.val();
            }
        }
        if self.clear.val() {
            self.sum.d.next = self.no_beats.val();
            for i in 0..K {
                self.number[i].d.next = self.no_row.val();
                self.dirty[i].d.next = self.none.val();
            }
        }
        if self.push.val() && (self.clear.val() || !self.taken[0].val()) {
            self.sum.d.next = self.of_row.count.val();
            self.number[0].d.next = self.push_row.val();
            self.dirty[0].d.next = self.push_sectors.val();
        }

        self.some.next = self.taken[0].val();
        self.full.next = self.last.val();
        self.beats.next = self.sum.q.val();
        for i in 0..K {
            self.row[i].next = self.number[i].q.val();
            self.sectors[i].next = self.dirty[i].q.val();
        }
    }
}
