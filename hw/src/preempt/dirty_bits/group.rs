//! The dirty bits of a group in one half.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// The dirty bits of one group in one half. `HALF_GROUP_ROWS` rows.
#[block]
pub struct Group<const HALF_GROUP_ROWS: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The write, if there is one, is to a row of this group.
    pub write: Signal<In, Bit>,
    /// Row of its group to which the write is, one bit each; 0 without a write.
    pub written_row: Signal<In, Bits<HALF_GROUP_ROWS>>,
    /// The row that is saved, if there is one, is in this group.
    pub take: Signal<In, Bit>,
    /// Row of its group that is saved, one bit each; 0 if none is.
    pub taken_row: Signal<In, Bits<HALF_GROUP_ROWS>>,
    /// All rows of the group become clean, one that is written in this cycle too.
    pub clear: Signal<In, Bit>,
    /// Rows of the group that are dirty, one bit each.
    pub rows: Signal<Out, Bits<HALF_GROUP_ROWS>>,
    /// A row of the group is dirty.
    pub some: Signal<Out, Bit>,
    /// The row that is written was dirty before.
    pub was: Signal<Out, Bit>,

    bits: Register<Bits<HALF_GROUP_ROWS>>,
    #[init(Constant::new(0.into()))]
    none: Constant<Bits<HALF_GROUP_ROWS>>,
    set: Signal<Local, Bits<HALF_GROUP_ROWS>>,
    saved: Signal<Local, Bits<HALF_GROUP_ROWS>>,
}

impl<const HALF_GROUP_ROWS: usize> Logic for Group<HALF_GROUP_ROWS> {
    #[logic]
    fn update(&mut self) {
        self.set.next = self.none.val();
        if self.write.val() {
            self.set.next = self.written_row.val();
        }
        self.saved.next = self.none.val();
        if self.take.val() {
            self.saved.next = self.taken_row.val();
        }
        self.bits.d.next = (self.bits.q.val() | self.set.val()) & !self.saved.val();
        if self.clear.val() {
            self.bits.d.next = self.none.val();
        }
        self.rows.next = self.bits.q.val();
        self.some.next = self.bits.q.val().any();
        self.was.next = (self.bits.q.val() & self.set.val()).any();
    }
}
