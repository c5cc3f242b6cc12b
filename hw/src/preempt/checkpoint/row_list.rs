//! The rows that a header has named, from the one whose beats move now.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::lowest::Lowest;
use crate::primitives::register::Register;

/// Up to `K` rows with numbers of `R` bits, each with some of its `S` sectors, whose numbers have `V` bits.
#[block]
#[check(S == 1 << V, "{V} bits do not number {S} sectors")]
pub struct RowList<const K: usize, const R: usize, const S: usize, const V: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Other rows come; they end before the first one without a sector.
    pub load: Signal<In, Bit>,
    /// Their numbers,
    pub load_row: [Signal<In, Bits<R>>; K],
    /// and their sectors.
    pub load_sectors: [Signal<In, Bits<S>>; K],
    /// The first sector moves.
    pub advance: Signal<In, Bit>,
    /// There is no row left.
    pub empty: Signal<Out, Bit>,
    /// The rows,
    pub row: [Signal<Out, Bits<R>>; K],
    /// and their sectors.
    pub sectors: [Signal<Out, Bits<S>>; K],
    /// The number of the first row's first sector.
    pub sector: Signal<Out, Bits<V>>,

    number: [Register<Bits<R>>; K],
    left: [Register<Bits<S>>; K],
    lowest: Lowest<S>,
    rest: Signal<Local, Bits<S>>,
    shifts: Signal<Local, Bit>,
    #[init(Constant::new(0.into()))]
    none: Constant<Bits<S>>,
    #[init(Constant::new(0.into()))]
    first: Constant<Bits<V>>,
}

impl<const K: usize, const R: usize, const S: usize, const V: usize> Logic for RowList<K, R, S, V> {
    #[logic]
    fn update(&mut self) {
        for i in 0..S {
            self.lowest.request[i].next = self.left[0].q.val().get_bit(i);
        }
        self.sector.next = self.first.val();
        self.rest.next = self.left[0].q.val();
        for i in 0..S {
            if self.lowest.grant[i].val() {
                self.sector.next = i.to_bits::<V>();
                self.rest.next = self.left[0].q.val().replace_bit(i, false);
            }
        }
        self.shifts.next =
            self.advance.val() && self.left[0].q.val().any() && !self.rest.val().any();

        for i in 0..K {
            self.number[i].d.next = self.number[i].q.val();
            self.left[i].d.next = self.left[i].q.val();
            if self.shifts.val() {
                self.left[i].d.next = self.none.val();
            }
        }
        for i in 1..K {
            if self.shifts.val() {
                self.number[i - 1].d.next = self.number[i].q.val();
                self.left[i - 1].d.next = self.left[i].q.val();
            }
        }
        if self.advance.val() && self.rest.val().any() {
            self.left[0].d.next = self.rest.val();
        }
        for i in 0..K {
            if self.load.val() {
                self.number[i].d.next = self.load_row[i].val();
                self.left[i].d.next = self.load_sectors[i].val();
            }
            self.row[i].next = self.number[i].q.val();
            self.sectors[i].next = self.left[i].q.val();
        }
        self.empty.next = !self.left[0].q.val().any();
    }
}
