//! The rows that a header has named, from the one whose beats move now.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::one_hot_priority_encoder::OneHotPriorityEncoder;
use crate::primitives::register::Register;

/// Lists the rows that a header has named, from the one whose beats move now. Up to `LISTED` rows with numbers of `ROW`
/// bits, each with some of its `SECTORS` sectors, whose numbers have `SECTOR` bits.
#[block]
#[check(SECTORS == 1 << SECTOR, "{SECTOR} bits do not number {SECTORS} sectors")]
pub struct RowList<const LISTED: usize, const ROW: usize, const SECTORS: usize, const SECTOR: usize>
{
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Other rows are loaded, which end before the first one without a sector.
    pub load: Signal<In, Bit>,
    /// Number of each row that is loaded.
    pub load_row: [Signal<In, Bits<ROW>>; LISTED],
    /// Sectors of each row that is loaded, one bit each.
    pub load_sectors: [Signal<In, Bits<SECTORS>>; LISTED],
    /// The first sector of the first row moves, and leaves the list.
    pub advance: Signal<In, Bit>,
    /// No row is left.
    pub empty: Signal<Out, Bit>,
    /// Number of each row, the one whose beats move now first.
    pub row: [Signal<Out, Bits<ROW>>; LISTED],
    /// Sectors of each row that are left, one bit each.
    pub sectors: [Signal<Out, Bits<SECTORS>>; LISTED],
    /// Number of the first sector that is left of the first row.
    pub sector: Signal<Out, Bits<SECTOR>>,

    number: [Register<Bits<ROW>>; LISTED],
    left: [Register<Bits<SECTORS>>; LISTED],
    lowest: OneHotPriorityEncoder<SECTORS>,
    rest: Signal<Local, Bits<SECTORS>>,
    shifts: Signal<Local, Bit>,
    #[init(Constant::new(0.into()))]
    none: Constant<Bits<SECTORS>>,
    #[init(Constant::new(0.into()))]
    first: Constant<Bits<SECTOR>>,
}

impl<const LISTED: usize, const ROW: usize, const SECTORS: usize, const SECTOR: usize> Logic
    for RowList<LISTED, ROW, SECTORS, SECTOR>
{
    #[logic]
    fn update(&mut self) {
        for i in 0..SECTORS {
            self.lowest.request[i].next = self.left[0].q.val().get_bit(i);
        }
        self.sector.next = self.first.val();
        self.rest.next = self.left[0].q.val();
        for i in 0..SECTORS {
            if self.lowest.grant[i].val() {
                self.sector.next = i.to_bits::<SECTOR>();
                self.rest.next = self.left[0].q.val().replace_bit(i, false);
            }
        }
        self.shifts.next =
            self.advance.val() && self.left[0].q.val().any() && !self.rest.val().any();

        for i in 0..LISTED {
            self.number[i].d.next = self.number[i].q.val();
            self.left[i].d.next = self.left[i].q.val();
            if self.shifts.val() {
                self.left[i].d.next = self.none.val();
            }
        }
        for i in 1..LISTED {
            if self.shifts.val() {
                self.number[i - 1].d.next = self.number[i].q.val();
                self.left[i - 1].d.next = self.left[i].q.val();
            }
        }
        if self.advance.val() && self.rest.val().any() {
            self.left[0].d.next = self.rest.val();
        }
        for i in 0..LISTED {
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
