//! A wide sum of bits as a tree: a loop in a kernel would become a chain.

use rust_hdl::prelude::*;

/// Tells how many of `N` inputs are high, in `C` bits.
#[derive(LogicBlock)]
pub struct CountOf<const N: usize, const C: usize> {
    /// The bits.
    pub of: [Signal<In, Bit>; N],
    /// Their number.
    pub count: Signal<Out, Bits<C>>,
}

impl<const N: usize, const C: usize> Default for CountOf<N, C> {
    fn default() -> Self {
        assert!(N < 1 << C, "{C} bits do not count {N}");
        Self {
            of: std::array::from_fn(|_| Signal::default()),
            count: Signal::default(),
        }
    }
}

crate::part!([const N: usize, const C: usize] CountOf<N, C>);

impl<const N: usize, const C: usize> Logic for CountOf<N, C> {
    fn update(&mut self) {
        let count = self.of.iter().filter(|bit| bit.val()).count();
        self.count.next = (count as LiteralType).into();
    }

    fn connect(&mut self) {
        self.count.connect();
    }

    fn hdl(&self) -> Verilog {
        // A width that is not the least is a part of the name, for each name has one text.
        let name = match clog2(N + 1) == C {
            true => format!("count_of_{N}"),
            false => format!("count_of_{N}_in_{C}_bits"),
        };
        let (last, high) = (N - 1, C - 1);
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
            "// Tells how many of {N} bits are high.
module {name} (
    input  wire [{last}:0] of,
    output wire [{high}:0] count
);
    assign count = {};
endmodule
",
            sum(0, N, C)
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
