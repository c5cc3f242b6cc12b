//! A wide OR as a balanced tree: a loop in a kernel would become a chain.

use rust_hdl::prelude::*;

/// Gives the OR of `INPUTS` inputs.
#[derive(LogicBlock)]
pub struct OrTree<const INPUTS: usize> {
    /// The bits.
    pub of: [Signal<In, Bit>; INPUTS],
    /// Their OR.
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
        let name = format!("any_of_{INPUTS}");
        let code = format!(
            "// Tells whether any of {INPUTS} bits is high.
module {name} (
    input  wire [{}:0] of,
    output wire any
);
    assign any = |of;
endmodule
",
            INPUTS - 1
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
