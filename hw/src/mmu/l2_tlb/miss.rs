//! The miss of an SM, on offer until it is taken.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Holds the miss of an SM until it is taken. Pages of `PAGE` bits, spaces of `SPACE`.
#[block]
pub struct Miss<const PAGE: usize, const SPACE: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A request of this SM acts.
    pub looked_up: Signal<In, Bit>,
    /// It has missed.
    pub missed: Signal<In, Bit>,
    /// Its page,
    pub page: Signal<In, Bits<PAGE>>,
    /// its space,
    pub space: Signal<In, Bits<SPACE>>,
    /// and whether it was a write.
    pub write: Signal<In, Bit>,
    /// What is on offer is taken.
    pub ready: Signal<In, Bit>,
    /// A miss is on offer.
    pub offered: Signal<Out, Bit>,
    /// Its page,
    pub miss_page: Signal<Out, Bits<PAGE>>,
    /// its space,
    pub miss_space: Signal<Out, Bits<SPACE>>,
    /// and whether it was a write.
    pub miss_write: Signal<Out, Bit>,

    waits: Register<Bit>,
    page_of: Register<Bits<PAGE>>,
    space_of: Register<Bits<SPACE>>,
    write_of: Register<Bit>,
}

impl<const PAGE: usize, const SPACE: usize> Logic for Miss<PAGE, SPACE> {
    #[logic]
    fn update(&mut self) {
        // Whether it misses is known late in the cycle, and its page is not; so a hit leaves its page here too.
        self.waits.d.next = (self.waits.q.val() && !self.ready.val())
            || (self.looked_up.val() && self.missed.val());
        self.page_of.d.next = self.page_of.q.val();
        self.space_of.d.next = self.space_of.q.val();
        self.write_of.d.next = self.write_of.q.val();
        if self.looked_up.val() {
            self.page_of.d.next = self.page.val();
            self.space_of.d.next = self.space.val();
            self.write_of.d.next = self.write.val();
        }
        self.offered.next = self.waits.q.val();
        self.miss_page.next = self.page_of.q.val();
        self.miss_space.next = self.space_of.q.val();
        self.miss_write.next = self.write_of.q.val();
    }
}
