//! What is done with a thread block, by what it will take.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// Chooses what is done with a thread block, by the times that it would take. Chooses by times in ticks, of `TIME`
/// bits, with sums of `SUM` bits.
#[block]
pub struct Choice<const TIME: usize, const SUM: usize> {
    /// The decision is Chimera's; PEP's otherwise.
    pub chimera: Signal<In, Bit>,
    /// The thread block may be dropped and begin from the start.
    pub idempotent: Signal<In, Bit>,
    /// Ticks until the preemption, as predicted; for Chimera, the deadline.
    pub launch: Signal<In, Bits<TIME>>,
    /// Ticks for which the next thread block runs before it is saved.
    pub warm_up: Signal<In, Bits<TIME>>,
    /// Ticks for which the thread block has run.
    pub run: Signal<In, Bits<TIME>>,
    /// Estimated ticks until the thread block ends.
    pub remaining: Signal<In, Bits<TIME>>,
    /// Estimated ticks that a whole thread block takes.
    pub whole: Signal<In, Bits<TIME>>,
    /// Estimated ticks for saving.
    pub switching: Signal<In, Bits<TIME>>,
    /// Ticks between the end of the thread block and the preemption.
    pub rest: Signal<In, Bits<TIME>>,
    /// Ticks of the next thread block's warm-up and of its first checkpoint together.
    pub lead: Signal<In, Bits<TIME>>,
    /// Case of the decision, as in the tables of the block's page.
    pub chosen: Signal<Out, Bits<3>>,

    meets: Signal<Local, Bit>,
    cheaper: Signal<Local, Bit>,
    #[init(Constant::new(1.into()))]
    one: Constant<Bits<SUM>>,

    // The cases of PEP (Li et al., TCAD, Fig. 6), and Chimera's two others.
    #[init(Constant::new(0.into()))]
    two_checkpoints: Constant<Bits<3>>,
    #[init(Constant::new(1.into()))]
    one_checkpoint: Constant<Bits<3>>,
    #[init(Constant::new(2.into()))]
    drain: Constant<Bits<3>>,
    #[init(Constant::new(3.into()))]
    drain_then_one: Constant<Bits<3>>,
    #[init(Constant::new(4.into()))]
    drain_then_two: Constant<Bits<3>>,
    #[init(Constant::new(5.into()))]
    flush: Constant<Bits<3>>,
    #[init(Constant::new(6.into()))]
    switch: Constant<Bits<3>>,
}

impl<const TIME: usize, const SUM: usize> Logic for Choice<TIME, SUM> {
    #[logic]
    fn update(&mut self) {
        self.meets.next = self.switching.val() <= self.launch.val();
        self.cheaper.next = bit_cast::<SUM, TIME>(self.run.val())
            < (bit_cast::<SUM, TIME>(self.switching.val()) << self.one.val());
        self.chosen.next = self.drain.val();
        if self.chimera.val() {
            if self.launch.val() < self.remaining.val() {
                if self.meets.val() || (self.switching.val() <= self.remaining.val()) {
                    self.chosen.next = self.switch.val();
                }
                if self.idempotent.val() && (self.cheaper.val() || !self.meets.val()) {
                    self.chosen.next = self.flush.val();
                }
            }
        } else if self.launch.val() < self.remaining.val() {
            if self.switching.val() < self.remaining.val() {
                self.chosen.next = self.one_checkpoint.val();
                if self.switching.val() < self.launch.val() {
                    self.chosen.next = self.two_checkpoints.val();
                }
            }
        } else if (self.rest.val() < self.whole.val())
            && (self.switching.val() < self.whole.val())
            && (self.warm_up.val() < self.rest.val())
        {
            self.chosen.next = self.drain_then_one.val();
            if self.lead.val() < self.rest.val() {
                self.chosen.next = self.drain_then_two.val();
            }
        }
    }
}
