//! The dirty rows that the next header will name.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::popcount::Popcount;
use crate::primitives::register::Register;

/// Gathers the dirty rows that the next header will name. Up to `LISTED` rows with numbers of `ROW` bits, each with
/// some of its `SECTORS` sectors; their beats are counted in `LENGTH` bits.
#[block]
#[check(LISTED * SECTORS < 1 << LENGTH, "{LENGTH} bits do not count the sectors of {LISTED} rows")]
pub struct Gather<const LISTED: usize, const ROW: usize, const SECTORS: usize, const LENGTH: usize>
{
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A row that has at least one dirty sector is added, while there is room.
    pub push: Signal<In, Bit>,
    /// Number of the row that is added.
    pub push_row: Signal<In, Bits<ROW>>,
    /// Dirty sectors of the row that is added, one bit each.
    pub push_sectors: Signal<In, Bits<SECTORS>>,
    /// All rows are dropped, except one that is added in this cycle.
    pub clear: Signal<In, Bit>,
    /// There is at least one row.
    pub some: Signal<Out, Bit>,
    /// There is no room for another row.
    pub full: Signal<Out, Bit>,
    /// Number of each row, in the order in which they were added.
    pub row: [Signal<Out, Bits<ROW>>; LISTED],
    /// Dirty sectors of each row, one bit each; none where there is no row.
    pub sectors: [Signal<Out, Bits<SECTORS>>; LISTED],
    /// Number of dirty sectors of all rows, each of which is a beat.
    pub beats: Signal<Out, Bits<LENGTH>>,

    number: [Register<Bits<ROW>>; LISTED],
    dirty: [Register<Bits<SECTORS>>; LISTED],
    sum: Register<Bits<LENGTH>>,
    of_row: Popcount<SECTORS, LENGTH>,
    taken: [Signal<Local, Bit>; LISTED],
    last: Signal<Local, Bit>,
    #[init(Constant::new(0.into()))]
    no_row: Constant<Bits<ROW>>,
    #[init(Constant::new(0.into()))]
    none: Constant<Bits<SECTORS>>,
    #[init(Constant::new(0.into()))]
    no_beats: Constant<Bits<LENGTH>>,
}

impl<const LISTED: usize, const ROW: usize, const SECTORS: usize, const LENGTH: usize> Logic
    for Gather<LISTED, ROW, SECTORS, LENGTH>
{
    #[logic]
    fn update(&mut self) {
        for i in 0..LISTED {
            self.number[i].d.next = self.number[i].q.val();
            self.dirty[i].d.next = self.dirty[i].q.val();
            self.taken[i].next = self.dirty[i].q.val().any();
        }
        self.last.next = false;
        for i in 0..LISTED {
            self.last.next = self.taken[i].val();
        }

        // A row takes the first place that is free; as the others are forgotten, the first one.
        for i in 0..SECTORS {
            self.of_row.of[i].next = self.push_sectors.val().get_bit(i);
        }
        if self.push.val() {
            self.sum.d.next = self.sum.q.val() + self.of_row.count.val();
        }
        for i in 1..LISTED {
            if self.push.val() && self.taken[i - 1].val() && !self.taken[i].val() {
                self.number[i].d.next = self.push_row.val();
                self.dirty[i].d.next = self.push_sectors.val();
            }
        }
        if self.clear.val() {
            self.sum.d.next = self.no_beats.val();
            for i in 0..LISTED {
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
        for i in 0..LISTED {
            self.row[i].next = self.number[i].q.val();
            self.sectors[i].next = self.dirty[i].q.val();
        }
    }
}
