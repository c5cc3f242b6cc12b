//! A wide OR as a balanced tree: a loop in a kernel would become a chain.

use rust_hdl::prelude::*;

/// Tells whether any input is high.
#[derive(LogicBlock)]
pub struct AnyOf<const N: usize> {
    /// The bits.
    pub of: [Signal<In, Bit>; N],
    /// Their OR.
    pub any: Signal<Out, Bit>,
}

impl<const N: usize> Default for AnyOf<N> {
    fn default() -> Self {
        Self {
            of: std::array::from_fn(|_| Signal::default()),
            any: Signal::default(),
        }
    }
}

crate::part!([const N: usize] AnyOf<N>);

impl<const N: usize> Logic for AnyOf<N> {
    fn update(&mut self) {
        self.any.next = self.of.iter().any(|bit| bit.val());
    }

    fn connect(&mut self) {
        self.any.connect();
    }

    fn hdl(&self) -> Verilog {
        let name = format!("any_of_{N}");
        let code = format!(
            "// Tells whether any of {N} bits is high.
module {name} (
    input  wire [{}:0] of,
    output wire any
);
    assign any = |of;
endmodule
",
            N - 1
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
