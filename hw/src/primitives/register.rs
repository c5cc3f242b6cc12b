//! A register with a synchronous reset to zero (the type's default): the only flip-flop in the design.

use rust_hdl::prelude::*;

/// Takes `d` at the rising edge, or its type's default while `reset` is high.
#[derive(LogicBlock)]
pub struct Register<T: Synth> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Next value.
    pub d: Signal<In, T>,
    /// Value.
    pub q: Signal<Out, T>,
}

impl<T: Synth> Default for Register<T> {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            reset: Signal::default(),
            d: Signal::default(),
            q: Signal::default(),
        }
    }
}

crate::part!([T: Synth] Register<T>, clock, reset);

impl<T: Synth> Logic for Register<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = if self.reset.val() {
                T::default()
            } else {
                self.d.val()
            };
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        crate::primitives::instance(include_str!("register.v"), &[("WIDTH", T::BITS)])
    }
}
