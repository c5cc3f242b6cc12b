//! A population count as a tree of adders: a loop in a kernel would become a chain.

use rust_hdl::prelude::*;

/// Gives how many of `INPUTS` inputs are high, in `COUNT` bits.
#[derive(LogicBlock)]
pub struct Popcount<const INPUTS: usize, const COUNT: usize> {
    /// Input bits.
    pub of: [Signal<In, Bit>; INPUTS],
    /// Number of input bits that are high.
    pub count: Signal<Out, Bits<COUNT>>,
}

impl<const INPUTS: usize, const COUNT: usize> Default for Popcount<INPUTS, COUNT> {
    fn default() -> Self {
        assert!(INPUTS < 1 << COUNT, "{COUNT} bits do not count {INPUTS}");
        Self {
            of: std::array::from_fn(|_| Signal::default()),
            count: Signal::default(),
        }
    }
}

crate::part!([const INPUTS: usize, const COUNT: usize] Popcount<INPUTS, COUNT>);

impl<const INPUTS: usize, const COUNT: usize> Logic for Popcount<INPUTS, COUNT> {
    fn update(&mut self) {
        let count = self.of.iter().filter(|bit| bit.val()).count();
        self.count.next = (count as LiteralType).into();
    }

    fn connect(&mut self) {
        self.count.connect();
    }

    fn hdl(&self) -> Verilog {
        crate::primitives::instance(
            include_str!("popcount.v"),
            &[("INPUTS", INPUTS), ("COUNT", COUNT)],
        )
    }
}
