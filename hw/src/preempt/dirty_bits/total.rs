//! How much a walk has come upon.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::count_of::CountOf;
use crate::primitives::register::Register;

/// Rows in `C` bits, lanes in `D` bits; `L` lanes of a row, and `E` bits of their number.
#[block]
pub struct Total<const L: usize, const E: usize, const C: usize, const D: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// From 0 again.
    pub begin: Signal<In, Bit>,
    /// A row,
    pub row: Signal<In, Bit>,
    /// with these lanes.
    pub lanes: Signal<In, Bits<L>>,
    /// The rows.
    pub row_count: Signal<Out, Bits<C>>,
    /// The lanes; they are counted a cycle after their row.
    pub lane_count: Signal<Out, Bits<D>>,

    rows: Register<Bits<C>>,
    few: Register<Bits<E>>,
    all: Register<Bits<D>>,
    ones: CountOf<L, E>,
    #[init(Constant::new(0.into()))]
    no_lane: Constant<Bits<E>>,
    #[init(Constant::new(0.into()))]
    no_row: Constant<Bits<C>>,
    #[init(Constant::new(0.into()))]
    nothing: Constant<Bits<D>>,
}

impl<const L: usize, const E: usize, const C: usize, const D: usize> Logic for Total<L, E, C, D> {
    #[logic]
    fn update(&mut self) {
        for i in 0..L {
            self.ones.of[i].next = self.lanes.val().get_bit(i);
        }
        self.rows.d.next = self.rows.q.val();
        self.few.d.next = self.no_lane.val();
        if self.row.val() {
            self.rows.d.next = self.rows.q.val() + 1;
            self.few.d.next = self.ones.count.val();
        }
        self.all.d.next = self.all.q.val() + bit_cast::<D, E>(self.few.q.val());
        if self.begin.val() {
            self.rows.d.next = self.no_row.val();
            self.all.d.next = self.nothing.val();
        }
        self.row_count.next = self.rows.q.val();
        self.lane_count.next = self.all.q.val();
    }
}
