//! Chooses one of many warps in each cycle: in loose round robin, or greedily the same as long as it can.

use rust_hdl::prelude::*;

use crate::arbiter::Arbiter;
use crate::register::Register;

/// `V` warps with `I`-bit numbers.
///
/// The warps that `prior` marks go first, the lowest of them; else the lowest of all that ask. In round robin these are
/// the warps above the one that was taken last, and that one alone if `greedy`.
#[derive(LogicBlock)]
pub struct WarpScheduler<const V: usize, const I: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The warps that ask.
    pub request: [Signal<In, Bit>; V],
    /// The choice is remembered as the last one.
    pub taken: Signal<In, Bit>,
    /// The chosen warp, if any asks.
    pub grant: [Signal<Out, Bit>; V],
    /// Its number, 0 if none asks.
    pub index: Signal<Out, Bits<I>>,
    /// Some warp asks.
    pub any: Signal<Out, Bit>,

    prior: [Register<Bit>; V],
    greedy: Constant<Bit>,
    among_prior: Arbiter<V, I, false>,
    among_all: Arbiter<V, I, false>,
    some: crate::any_of::AnyOf<V>,
    some_prior: crate::any_of::AnyOf<V>,
    chosen: Signal<Local, Bits<I>>,
}

impl<const V: usize, const I: usize> WarpScheduler<V, I> {
    /// A scheduler that stays with a warp as long as it can, or goes round.
    pub fn new(greedy: bool) -> Self {
        Self {
            clock: Signal::default(),
            reset: Signal::default(),
            request: std::array::from_fn(|_| Signal::default()),
            taken: Signal::default(),
            grant: std::array::from_fn(|_| Signal::default()),
            index: Signal::default(),
            any: Signal::default(),
            prior: std::array::from_fn(|_| Register::default()),
            greedy: Constant::new(greedy),
            among_prior: Arbiter::default(),
            among_all: Arbiter::default(),
            some: Default::default(),
            some_prior: Default::default(),
            chosen: Signal::default(),
        }
    }
}

impl<const V: usize, const I: usize> Logic for WarpScheduler<V, I> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..V {
            self.prior[i].clock.next = self.clock.val();
            self.prior[i].reset.next = self.reset.val();
            self.among_all.request[i].next = self.request[i].val();
            self.some.of[i].next = self.request[i].val();
            self.among_prior.request[i].next = self.request[i].val() && self.prior[i].q.val();
            self.some_prior.of[i].next = self.request[i].val() && self.prior[i].q.val();
        }
        self.chosen.next = self.among_all.index.val();
        if self.some_prior.any.val() {
            self.chosen.next = self.among_prior.index.val();
        }
        for i in 0..V {
            self.grant[i].next = self.among_prior.grant[i].val()
                || (self.among_all.grant[i].val() && !self.some_prior.any.val());
            self.prior[i].d.next = self.prior[i].q.val();
            if self.taken.val() {
                self.prior[i].d.next = (self.greedy.val()
                    && (self.chosen.val() == i.to_bits::<I>()))
                    || (!self.greedy.val() && (self.chosen.val() < i.to_bits::<I>()));
            }
        }
        self.index.next = self.chosen.val();
        self.any.next = self.some.any.val();
    }
}
