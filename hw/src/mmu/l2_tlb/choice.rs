//! Which operation is next, lookups and the others in turn; and how far an invalidation is.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::register::Register;

/// Arbitrates between lookups and the other operations, in turns, and steps an invalidation through the sets. Sets with
/// numbers of `SET` bits, counted in `SET_COUNT` bits.
#[block]
pub struct Choice<const SET: usize, const SET_COUNT: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A request is valid and may be looked up.
    pub asking: Signal<In, Bit>,
    /// A fill is valid.
    pub fill_valid: Signal<In, Bit>,
    /// An invalidation is valid.
    pub invalidate_valid: Signal<In, Bit>,
    /// A lookup is accepted in this cycle.
    pub lookup: Signal<Out, Bit>,
    /// A fill is accepted if it is valid.
    pub fill_ready: Signal<Out, Bit>,
    /// A fill is accepted in this cycle.
    pub fill: Signal<Out, Bit>,
    /// A step of an invalidation is accepted in this cycle.
    pub step: Signal<Out, Bit>,
    /// Set of the step.
    pub step_set: Signal<Out, Bits<SET>>,
    /// The invalidation after a reset is under way: every set is cleared.
    pub clearing: Signal<Out, Bit>,
    /// An invalidation is under way, or that after a reset; no fill is accepted.
    pub sweeps: Signal<Out, Bit>,
    /// An operation reads its set; no other operation is accepted.
    pub reading: Signal<Out, Bit>,
    /// An operation acts.
    pub acting: Signal<Out, Bit>,
    /// An invalidation is acknowledged.
    pub acknowledge: Signal<Out, Bit>,

    reads: Register<Bit>,
    acts: Register<Bit>,
    // The operation under way is the step of the last set.
    of_last: Register<Bit>,
    // The last operation was a lookup.
    after_lookup: Register<Bit>,
    // Everything was forgotten since the reset.
    cleared: Register<Bit>,
    // An invalidation is under way, with so many steps accepted.
    sweeping: Register<Bit>,
    steps: Register<Bits<SET_COUNT>>,
    // The next fill goes before the next invalidation.
    fill_first: Register<Bit>,

    #[init(Constant::new((((1 << SET) - 1) as LiteralType).into()))]
    last_set: Constant<Bits<SET_COUNT>>,
    #[init(Constant::new(((1 << SET) as LiteralType).into()))]
    all_sets: Constant<Bits<SET_COUNT>>,
    active: Signal<Local, Bit>,
    stepping: Signal<Local, Bit>,
    fill_may: Signal<Local, Bit>,
    others: Signal<Local, Bit>,
    others_may: Signal<Local, Bit>,
    finishing: Signal<Local, Bit>,
}

impl<const SET: usize, const SET_COUNT: usize> Logic for Choice<SET, SET_COUNT> {
    #[logic]
    fn update(&mut self) {
        // What is next.
        self.active.next = self.sweeping.q.val() || !self.cleared.q.val();
        self.sweeps.next = self.active.val();
        self.stepping.next = self.active.val() && !(self.steps.q.val() == self.all_sets.val());
        self.fill_may.next =
            !self.active.val() && (self.fill_first.q.val() || !self.invalidate_valid.val());
        self.others.next = self.stepping.val() || (self.fill_valid.val() && self.fill_may.val());
        self.lookup.next = self.asking.val()
            && self.cleared.q.val()
            && !self.reads.q.val()
            && !(self.after_lookup.q.val() && self.others.val());
        self.others_may.next = !self.reads.q.val()
            && (self.after_lookup.q.val() || !self.asking.val() || !self.cleared.q.val());
        self.fill_ready.next = self.others_may.val() && self.fill_may.val();
        self.fill.next = self.fill_valid.val() && self.fill_ready.val();
        self.step.next = self.others_may.val() && self.stepping.val();
        self.reads.d.next = self.lookup.val() || self.fill.val() || self.step.val();
        self.acts.d.next = self.reads.q.val();
        self.reading.next = self.reads.q.val();
        self.acting.next = self.acts.q.val();
        if self.fill.val() || self.step.val() {
            self.after_lookup.d.next = false;
        }
        if self.lookup.val() {
            self.after_lookup.d.next = true;
        }

        // The invalidation.
        self.step_set.next = bit_cast::<SET, SET_COUNT>(self.steps.q.val());
        self.clearing.next = !self.cleared.q.val();
        if !self.reads.q.val() {
            self.of_last.d.next = self.step.val() && (self.steps.q.val() == self.last_set.val());
        }
        self.finishing.next = self.acts.q.val() && self.of_last.q.val();
        self.acknowledge.next = self.finishing.val() && self.cleared.q.val();
        self.fill_first.d.next = self.fill_first.q.val() && !self.fill.val();
        if self.invalidate_valid.val()
            && !self.active.val()
            && !(self.fill_first.q.val() && self.fill_valid.val())
        {
            self.sweeping.d.next = true;
        }
        if self.step.val() {
            self.steps.d.next = self.steps.q.val() + 1;
        }
        if self.finishing.val() {
            self.cleared.d.next = true;
            self.sweeping.d.next = false;
            self.steps.d.next = 0.into();
            self.fill_first.d.next = true;
        }
    }
}
