//! How much a walk has come upon.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::popcount::Popcount;
use crate::primitives::register::Register;

/// Counts the rows and lanes that a walk has found. Counts of rows of `ROW_COUNT` bits, of lanes of `LANE_COUNT` bits;
/// `LANES` lanes of a row, counted in `ROW_LANE_COUNT` bits.
#[block]
pub struct Total<
    const LANES: usize,
    const ROW_LANE_COUNT: usize,
    const ROW_COUNT: usize,
    const LANE_COUNT: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The counts start again at 0.
    pub begin: Signal<In, Bit>,
    /// A row is counted.
    pub row: Signal<In, Bit>,
    /// Lanes of the row that is counted, one bit each.
    pub lanes: Signal<In, Bits<LANES>>,
    /// Number of rows.
    pub row_count: Signal<Out, Bits<ROW_COUNT>>,
    /// Number of lanes, which are counted a cycle after their row.
    pub lane_count: Signal<Out, Bits<LANE_COUNT>>,

    rows: Register<Bits<ROW_COUNT>>,
    few: Register<Bits<ROW_LANE_COUNT>>,
    all: Register<Bits<LANE_COUNT>>,
    ones: Popcount<LANES, ROW_LANE_COUNT>,
    #[init(Constant::new(0.into()))]
    no_lane: Constant<Bits<ROW_LANE_COUNT>>,
    #[init(Constant::new(0.into()))]
    no_row: Constant<Bits<ROW_COUNT>>,
    #[init(Constant::new(0.into()))]
    nothing: Constant<Bits<LANE_COUNT>>,
}

impl<
    const LANES: usize,
    const ROW_LANE_COUNT: usize,
    const ROW_COUNT: usize,
    const LANE_COUNT: usize,
> Logic for Total<LANES, ROW_LANE_COUNT, ROW_COUNT, LANE_COUNT>
{
    #[logic]
    fn update(&mut self) {
        for i in 0..LANES {
            self.ones.of[i].next = self.lanes.val().get_bit(i);
        }
        self.few.d.next = self.no_lane.val();
        if self.row.val() {
            self.rows.d.next = self.rows.q.val() + 1;
            self.few.d.next = self.ones.count.val();
        }
        self.all.d.next =
            self.all.q.val() + bit_cast::<LANE_COUNT, ROW_LANE_COUNT>(self.few.q.val());
        if self.begin.val() {
            self.rows.d.next = self.no_row.val();
            self.all.d.next = self.nothing.val();
        }
        self.row_count.next = self.rows.q.val();
        self.lane_count.next = self.all.q.val();
    }
}
