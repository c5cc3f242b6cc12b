//! What is done with a thread block, by what it will take.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// Chooses what is done with a thread block, by the times that it would take. Chooses by times in ticks, of `TIME`
/// bits, with sums of `SUM` bits.
#[block]
pub struct Choice<const TIME: usize, const SUM: usize> {
    /// Chimera chooses, and not PEP.
    pub chimera: Signal<In, Bit>,
    /// The block can be dropped and begin anew.
    pub idempotent: Signal<In, Bit>,
    /// Until the preemption, as predicted; Chimera's deadline.
    pub launch: Signal<In, Bits<TIME>>,
    /// For which the next block runs before it is saved.
    pub warm_up: Signal<In, Bits<TIME>>,
    /// For which this one has run.
    pub run: Signal<In, Bits<TIME>>,
    /// For which it will.
    pub remaining: Signal<In, Bits<TIME>>,
    /// Which a whole block takes.
    pub whole: Signal<In, Bits<TIME>>,
    /// Which saving takes.
    pub switching: Signal<In, Bits<TIME>>,
    /// Between its end and the preemption.
    pub rest: Signal<In, Bits<TIME>>,
    /// Which the next block's first checkpoint takes, with what it runs before.
    pub lead: Signal<In, Bits<TIME>>,
    /// The case.
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
