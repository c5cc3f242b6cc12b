//! A multiplexer whose choice is one-hot: an AND-OR tree, where a loop in a kernel would become a chain.

use rust_hdl::prelude::*;

/// A value that an AND-OR tree can choose.
pub trait Choice: Synth {
    /// The value whose bits are high where one of the two has them high.
    fn or(self, other: Self) -> Self;
}

impl<const WIDTH: usize> Choice for Bits<WIDTH> {
    fn or(self, other: Self) -> Self {
        self | other
    }
}

/// Gives the chosen one of `INPUTS` values, the OR of them if several are chosen, 0 if none is.
#[derive(LogicBlock)]
pub struct OneHotMux<const INPUTS: usize, T: Choice> {
    /// Choice, one bit for each value.
    pub choose: [Signal<In, Bit>; INPUTS],
    /// Values to choose from.
    pub of: [Signal<In, T>; INPUTS],
    /// Value that is chosen.
    pub chosen: Signal<Out, T>,
}

impl<const INPUTS: usize, T: Choice> Default for OneHotMux<INPUTS, T> {
    fn default() -> Self {
        Self {
            choose: std::array::from_fn(|_| Signal::default()),
            of: std::array::from_fn(|_| Signal::default()),
            chosen: Signal::default(),
        }
    }
}

crate::part!([const INPUTS: usize, T: Choice] OneHotMux<INPUTS, T>);

impl<const INPUTS: usize, T: Choice> Logic for OneHotMux<INPUTS, T> {
    fn update(&mut self) {
        self.chosen.next = self
            .choose
            .iter()
            .zip(&self.of)
            .filter(|(choose, _)| choose.val())
            .fold(T::default(), |chosen, (_, value)| chosen.or(value.val()));
    }

    fn connect(&mut self) {
        self.chosen.connect();
    }

    fn hdl(&self) -> Verilog {
        crate::primitives::instance(
            include_str!("one_hot_mux.v"),
            &[("INPUTS", INPUTS), ("WIDTH", T::BITS)],
        )
    }
}
