//! The miss of an SM, on offer until it is taken.

use rust_hdl::prelude::*;

use crate::register::Register;

/// Pages of `P` bits, spaces of `A`.
#[derive(LogicBlock)]
pub struct Miss<const P: usize, const A: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A request of this SM acts.
    pub looked_up: Signal<In, Bit>,
    /// It has missed.
    pub missed: Signal<In, Bit>,
    /// Its page,
    pub page: Signal<In, Bits<P>>,
    /// its space,
    pub space: Signal<In, Bits<A>>,
    /// and whether it was a write.
    pub write: Signal<In, Bit>,
    /// What is on offer is taken.
    pub ready: Signal<In, Bit>,
    /// A miss is on offer.
    pub offered: Signal<Out, Bit>,
    /// Its page,
    pub miss_page: Signal<Out, Bits<P>>,
    /// its space,
    pub miss_space: Signal<Out, Bits<A>>,
    /// and whether it was a write.
    pub miss_write: Signal<Out, Bit>,

    waits: Register<Bit>,
    page_of: Register<Bits<P>>,
    space_of: Register<Bits<A>>,
    write_of: Register<Bit>,
}

impl<const P: usize, const A: usize> Logic for Miss<P, A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.waits.clock.next = self.clock.val();
        self.waits.reset.next = self.reset.val();
        self.page_of.clock.next = self.clock.val();
        self.page_of.reset.next = self.reset.val();
        self.space_of.clock.next = self.clock.val();
        self.space_of.reset.next = self.reset.val();
        self.write_of.clock.next = self.clock.val();
        self.write_of.reset.next = self.reset.val();

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

impl<const P: usize, const A: usize> Default for Miss<P, A> {
    fn default() -> Self {
        macro_rules! signals {
            ($($field:ident),*) => {
                Self { $($field: Default::default(),)* }
            };
        }
        signals!(
            clock, reset, looked_up, missed, page, space, write, ready, offered, miss_page,
            miss_space, miss_write, waits, page_of, space_of, write_of
        )
    }
}
