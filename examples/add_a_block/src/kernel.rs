#![doc = include_str!("../counter.md")]

use faultline_hw::primitives::register::Register;
use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// Fault counter: counts page faults in `WIDTH` bits until it is cleared, and shows whether faults were left out.
#[block(top)]
pub struct FaultCounter<const WIDTH: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: the count is 0.
    pub reset: Signal<In, Bit>,
    /// A fault occurs.
    pub fault: Signal<In, Bit>,
    /// The count starts again.
    pub clear: Signal<In, Bit>,

    /// Faults since the last clear, or the greatest value.
    pub count: Signal<Out, Bits<WIDTH>>,
    /// More faults have occurred than `count` shows.
    pub saturated: Signal<Out, Bit>,

    counted: Register<Bits<WIDTH>>,
    left_out: Register<Bit>,

    // What the fault of this cycle is added to, and whether it cannot be.
    base: Signal<Local, Bits<WIDTH>>,
    full: Signal<Local, Bit>,
}

impl<const WIDTH: usize> Logic for FaultCounter<WIDTH> {
    #[logic]
    fn update(&mut self) {
        // A clear comes before the fault of its cycle.
        self.base.next = self.counted.q.val();
        if self.clear.val() {
            self.base.next = 0.into();
        }
        self.full.next = self.base.val().all();
        self.counted.d.next = self.base.val();
        if self.fault.val() && !self.full.val() {
            self.counted.d.next = self.base.val() + 1;
        }
        self.left_out.d.next =
            (self.left_out.q.val() && !self.clear.val()) || (self.fault.val() && self.full.val());

        self.count.next = self.counted.q.val();
        self.saturated.next = self.left_out.q.val();
    }
}
