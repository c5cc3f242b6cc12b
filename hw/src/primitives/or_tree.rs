//! A wide OR as a balanced tree: a loop in a kernel would become a chain.

use rust_hdl::prelude::*;

/// Gives the OR of `INPUTS` inputs.
#[derive(LogicBlock)]
pub struct OrTree<const INPUTS: usize> {
    /// Input bits.
    pub of: [Signal<In, Bit>; INPUTS],
    /// OR of the input bits.
    pub any: Signal<Out, Bit>,
}

impl<const INPUTS: usize> Default for OrTree<INPUTS> {
    fn default() -> Self {
        Self {
            of: std::array::from_fn(|_| Signal::default()),
            any: Signal::default(),
        }
    }
}

crate::part!([const INPUTS: usize] OrTree<INPUTS>);

impl<const INPUTS: usize> Logic for OrTree<INPUTS> {
    fn update(&mut self) {
        self.any.next = self.of.iter().any(|bit| bit.val());
    }

    fn connect(&mut self) {
        self.any.connect();
    }

    fn hdl(&self) -> Verilog {
        crate::primitives::instance(include_str!("or_tree.v"), &[("INPUTS", INPUTS)])
    }
}
