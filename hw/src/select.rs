//! A multiplexer whose choice comes as a bit for each value: an AND-OR tree, where a loop in a kernel would become a
//! chain.

use rust_hdl::prelude::*;

/// Gives the chosen one of `N` values of `W` bits, the OR of them if several are chosen, 0 if none is.
#[derive(LogicBlock)]
pub struct Select<const N: usize, const W: usize> {
    /// The choice.
    pub choose: [Signal<In, Bit>; N],
    /// The values.
    pub of: [Signal<In, Bits<W>>; N],
    /// The chosen one.
    pub chosen: Signal<Out, Bits<W>>,
}

impl<const N: usize, const W: usize> Default for Select<N, W> {
    fn default() -> Self {
        Self {
            choose: std::array::from_fn(|_| Signal::default()),
            of: std::array::from_fn(|_| Signal::default()),
            chosen: Signal::default(),
        }
    }
}

impl<const N: usize, const W: usize> Logic for Select<N, W> {
    fn update(&mut self) {
        self.chosen.next = self
            .choose
            .iter()
            .zip(&self.of)
            .filter(|(choose, _)| choose.val())
            .fold(Bits::default(), |chosen, (_, value)| chosen | value.val());
    }

    fn connect(&mut self) {
        self.chosen.connect();
    }

    fn hdl(&self) -> Verilog {
        let name = format!("select_{N}_of_{W}");
        let (last, high, wide) = (N - 1, W - 1, N * W - 1);
        let code = format!(
            "// Gives the chosen one of {N} values of {W} bits.
module {name} (
    input  wire [{last}:0] choose,
    input  wire [{wide}:0] of,
    output reg  [{high}:0] chosen
);
    always @* begin : all
        integer i;
        chosen = {W}'d0;
        for (i = 0; i < {N}; i = i + 1)
            chosen = chosen | (of[i*{W} +: {W}] & {{{W}{{choose[i]}}}});
    end
endmodule
"
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
