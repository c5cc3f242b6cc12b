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
    /// If a row is written, it is one of this group,
    pub write: Signal<In, Bit>,
    /// this one.
    pub written_row: Signal<In, Bits<HALF_GROUP_ROWS>>,
    /// If a row is saved, it is one of this group,
    pub take: Signal<In, Bit>,
    /// this one.
    pub taken_row: Signal<In, Bits<HALF_GROUP_ROWS>>,
    /// All rows are forgotten, what is written in this cycle too.
    pub clear: Signal<In, Bit>,
    /// The rows that are dirty.
    pub rows: Signal<Out, Bits<HALF_GROUP_ROWS>>,
    /// There is one.
    pub some: Signal<Out, Bit>,
    /// What is written was dirty before.
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
