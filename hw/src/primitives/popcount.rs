//! A population count as a tree of adders: a loop in a kernel would become a chain.

use rust_hdl::prelude::*;

/// Gives how many of `INPUTS` inputs are high, in `COUNT` bits.
#[derive(LogicBlock)]
pub struct Popcount<const INPUTS: usize, const COUNT: usize> {
    /// The bits.
    pub of: [Signal<In, Bit>; INPUTS],
    /// Their number.
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
        // A width that is not the least is a part of the name, for each name has one text.
        let name = match clog2(INPUTS + 1) == COUNT {
            true => format!("count_of_{INPUTS}"),
            false => format!("count_of_{INPUTS}_in_{COUNT}_bits"),
        };
        let (last, high) = (INPUTS - 1, COUNT - 1);
        // Sums of two halves.
        fn sum(from: usize, to: usize, bits: usize) -> String {
            match to - from {
                1 => format!("{{{}'d0, of[{from}]}}", bits - 1),
                count => {
                    let half = from + count / 2;
                    format!("({} + {})", sum(from, half, bits), sum(half, to, bits))
                }
            }
        }
        let code = format!(
            "// Tells how many of {INPUTS} bits are high.
module {name} (
    input  wire [{last}:0] of,
    output wire [{high}:0] count
);
    assign count = {};
endmodule
",
            sum(0, INPUTS, COUNT)
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
