//! Which operation is next, lookups and the others in turn; and how far an invalidation is.

use rust_hdl::prelude::*;

use crate::register::Register;

/// Sets with `I`-bit numbers, counted in `C` bits.
#[derive(LogicBlock)]
pub struct Choice<const I: usize, const C: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A request could be looked up.
    pub asking: Signal<In, Bit>,
    /// A fill comes.
    pub fill_valid: Signal<In, Bit>,
    /// An invalidation does.
    pub invalidate_valid: Signal<In, Bit>,
    /// A lookup is accepted.
    pub lookup: Signal<Out, Bit>,
    /// A fill would be.
    pub fill_ready: Signal<Out, Bit>,
    /// A fill is.
    pub fill: Signal<Out, Bit>,
    /// A step of an invalidation is:
    pub step: Signal<Out, Bit>,
    /// of this set,
    pub step_set: Signal<Out, Bits<I>>,
    /// after a reset.
    pub clearing: Signal<Out, Bit>,
    /// An invalidation is under way, or that after a reset, so that no fill is accepted.
    pub sweeps: Signal<Out, Bit>,
    /// Nothing is accepted, because an operation reads.
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
    steps: Register<Bits<C>>,
    // The next fill goes before the next invalidation.
    fill_first: Register<Bit>,

    last_set: Constant<Bits<C>>,
    all_sets: Constant<Bits<C>>,
    active: Signal<Local, Bit>,
    stepping: Signal<Local, Bit>,
    fill_may: Signal<Local, Bit>,
    others: Signal<Local, Bit>,
    others_may: Signal<Local, Bit>,
    finishing: Signal<Local, Bit>,
}

// A kernel reads better in the order of the page than with the fewest operators.
#[allow(clippy::nonminimal_bool)]
impl<const I: usize, const C: usize> Logic for Choice<I, C> {
    #[hdl_gen]
    fn update(&mut self) {
        self.reads.clock.next = self.clock.val();
        self.reads.reset.next = self.reset.val();
        self.acts.clock.next = self.clock.val();
        self.acts.reset.next = self.reset.val();
        self.of_last.clock.next = self.clock.val();
        self.of_last.reset.next = self.reset.val();
        self.after_lookup.clock.next = self.clock.val();
        self.after_lookup.reset.next = self.reset.val();
        self.cleared.clock.next = self.clock.val();
        self.cleared.reset.next = self.reset.val();
        self.sweeping.clock.next = self.clock.val();
        self.sweeping.reset.next = self.reset.val();
        self.steps.clock.next = self.clock.val();
        self.steps.reset.next = self.reset.val();
        self.fill_first.clock.next = self.clock.val();
        self.fill_first.reset.next = self.reset.val();

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
        self.after_lookup.d.next = self.after_lookup.q.val();
        if self.fill.val() || self.step.val() {
            self.after_lookup.d.next = false;
        }
        if self.lookup.val() {
            self.after_lookup.d.next = true;
        }

        // The invalidation.
        self.step_set.next = bit_cast::<I, C>(self.steps.q.val());
        self.clearing.next = !self.cleared.q.val();
        self.of_last.d.next = self.of_last.q.val();
        if !self.reads.q.val() {
            self.of_last.d.next = self.step.val() && (self.steps.q.val() == self.last_set.val());
        }
        self.finishing.next = self.acts.q.val() && self.of_last.q.val();
        self.acknowledge.next = self.finishing.val() && self.cleared.q.val();
        self.sweeping.d.next = self.sweeping.q.val();
        self.steps.d.next = self.steps.q.val();
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
        self.cleared.d.next = self.cleared.q.val();
        if self.finishing.val() {
            self.cleared.d.next = true;
            self.sweeping.d.next = false;
            self.steps.d.next = 0.into();
            self.fill_first.d.next = true;
        }
    }
}

impl<const I: usize, const C: usize> Default for Choice<I, C> {
    fn default() -> Self {
        macro_rules! signals {
            ($($field:ident),*) => {
                Self {
                    last_set: Constant::new((((1 << I) - 1) as LiteralType).into()),
                    all_sets: Constant::new(((1 << I) as LiteralType).into()),
                    $($field: Default::default(),)*
                }
            };
        }
        signals!(
            clock,
            reset,
            asking,
            fill_valid,
            invalidate_valid,
            lookup,
            fill_ready,
            fill,
            step,
            step_set,
            clearing,
            sweeps,
            reading,
            acting,
            acknowledge,
            reads,
            acts,
            of_last,
            after_lookup,
            cleared,
            sweeping,
            steps,
            fill_first,
            active,
            stepping,
            fill_may,
            others,
            others_may,
            finishing
        )
    }
}
