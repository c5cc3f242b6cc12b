//! Chooses one of many warps for the next cycle: in loose round robin, or greedily the same as long as it asks.

use rust_hdl::prelude::*;

use crate::arbiter::Arbiter;
use crate::register::Register;

/// `V` warps with `I`-bit numbers.
///
/// The warps that are prior go first, the lowest of them; else the lowest of all that ask. In round robin these are
/// the warps above the one that was chosen last, and that one alone if `greedy`. A chosen warp that had to yield is prior
/// alone in the next cycle, and comes back between two turns.
#[derive(LogicBlock)]
pub struct WarpScheduler<const V: usize, const I: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The warps that ask.
    pub request: [Signal<In, Bit>; V],
    /// The warp that was chosen in the cycle before is not served now, and comes back.
    pub yields: Signal<In, Bit>,
    /// The warp that was chosen in the cycle before, if any asked.
    pub chosen: [Signal<Out, Bit>; V],
    /// Its number, 0 if none asked.
    pub index: Signal<Out, Bits<I>>,
    /// Some warp asked.
    pub any: Signal<Out, Bit>,
    /// It was chosen for having come back.
    pub returned: Signal<Out, Bit>,

    choice: [Register<Bit>; V],
    number: Register<Bits<I>>,
    some_choice: Register<Bit>,
    next_before: [Register<Bit>; V],
    next: [Signal<Local, Bit>; V],
    prior: [Signal<Local, Bit>; V],
    yielded: Register<Bit>,
    number_before: Register<Bits<I>>,
    comes_back: Register<Bit>,
    greedy: Constant<Bit>,
    among_prior: Arbiter<V, I, false>,
    among_all: Arbiter<V, I, false>,
    some: crate::any_of::AnyOf<V>,
    some_prior: crate::any_of::AnyOf<V>,
}

impl<const V: usize, const I: usize> WarpScheduler<V, I> {
    /// A scheduler that stays with a warp as long as it can, or goes round.
    pub fn new(greedy: bool) -> Self {
        Self {
            clock: Signal::default(),
            reset: Signal::default(),
            request: std::array::from_fn(|_| Signal::default()),
            yields: Signal::default(),
            chosen: std::array::from_fn(|_| Signal::default()),
            index: Signal::default(),
            any: Signal::default(),
            returned: Signal::default(),
            choice: std::array::from_fn(|_| Register::default()),
            number: Register::default(),
            some_choice: Register::default(),
            next_before: std::array::from_fn(|_| Register::default()),
            next: std::array::from_fn(|_| Signal::default()),
            prior: std::array::from_fn(|_| Signal::default()),
            yielded: Register::default(),
            number_before: Register::default(),
            comes_back: Register::default(),
            greedy: Constant::new(greedy),
            among_prior: Arbiter::default(),
            among_all: Arbiter::default(),
            some: Default::default(),
            some_prior: Default::default(),
        }
    }
}

impl<const V: usize, const I: usize> Logic for WarpScheduler<V, I> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..V {
            self.choice[i].clock.next = self.clock.val();
            self.choice[i].reset.next = self.reset.val();
            self.next_before[i].clock.next = self.clock.val();
            self.next_before[i].reset.next = self.reset.val();
        }
        self.number.clock.next = self.clock.val();
        self.number.reset.next = self.reset.val();
        self.some_choice.clock.next = self.clock.val();
        self.some_choice.reset.next = self.reset.val();
        self.yielded.clock.next = self.clock.val();
        self.yielded.reset.next = self.reset.val();
        self.number_before.clock.next = self.clock.val();
        self.number_before.reset.next = self.reset.val();
        self.comes_back.clock.next = self.clock.val();
        self.comes_back.reset.next = self.reset.val();

        self.yielded.d.next = self.yields.val();
        self.number_before.d.next = self.number.q.val();
        self.comes_back.d.next = self.yielded.q.val();
        for i in 0..V {
            self.next[i].next = self.next_before[i].q.val();
            if self.some_choice.q.val() && !self.comes_back.q.val() {
                self.next[i].next = (self.greedy.val()
                    && (self.number.q.val() == i.to_bits::<I>()))
                    || (!self.greedy.val() && (self.number.q.val() < i.to_bits::<I>()));
            }
            self.next_before[i].d.next = self.next[i].val();
            self.prior[i].next = self.next[i].val();
            if self.yielded.q.val() {
                self.prior[i].next = self.number_before.q.val() == i.to_bits::<I>();
            }
            self.among_all.request[i].next = self.request[i].val();
            self.some.of[i].next = self.request[i].val();
            self.among_prior.request[i].next = self.request[i].val() && self.prior[i].val();
            self.some_prior.of[i].next = self.request[i].val() && self.prior[i].val();
        }
        for i in 0..V {
            self.choice[i].d.next = self.among_prior.grant[i].val()
                || (self.among_all.grant[i].val() && !self.some_prior.any.val());
            self.chosen[i].next = self.choice[i].q.val();
        }
        self.number.d.next = self.among_all.index.val();
        if self.some_prior.any.val() {
            self.number.d.next = self.among_prior.index.val();
        }
        self.some_choice.d.next = self.some.any.val();
        self.index.next = self.number.q.val();
        self.any.next = self.some_choice.q.val();
        self.returned.next = self.comes_back.q.val();
    }
}
