//! The order in which the ways of a set were used, exactly: a bit for each pair of ways says which of the two was used
//! last. A kernel's loops cannot run over pairs, whose inner bound depends on the outer index.

use rust_hdl::prelude::*;

/// The order of `W` ways in `S` sets with `I`-bit numbers, in `Q` = W (W - 1) / 2 bits a set, which live outside.
///
/// The bit of ways i > j, number i (i - 1) / 2 + j, is high if i was used after j.
#[derive(LogicBlock)]
pub struct Recency<const S: usize, const I: usize, const W: usize, const Q: usize> {
    /// The order as it is.
    pub order: [Signal<In, Bits<Q>>; S],
    /// The way that is used, if any, and its set.
    pub used: [Signal<In, Bit>; W],
    /// Its set.
    pub used_set: Signal<In, Bits<I>>,
    /// The way that is replaced, if any; that is the later of the two.
    pub replaced: [Signal<In, Bit>; W],
    /// Its set.
    pub replaced_set: Signal<In, Bits<I>>,
    /// The order after that.
    pub next: [Signal<Out, Bits<Q>>; S],
    /// The way of `replaced_set` that was used longest ago.
    pub oldest: [Signal<Out, Bit>; W],
}

/// The place of a pair's bit.
const fn pair(later: usize, earlier: usize) -> usize {
    later * (later - 1) / 2 + earlier
}

impl<const S: usize, const I: usize, const W: usize, const Q: usize> Default
    for Recency<S, I, W, Q>
{
    fn default() -> Self {
        assert!(
            W * (W - 1) / 2 == Q,
            "{Q} bits do not fit the pairs of {W} ways"
        );
        assert!(clog2(S).max(1) == I, "{I} bits do not fit {S} sets");
        Self {
            order: std::array::from_fn(|_| Signal::default()),
            used: std::array::from_fn(|_| Signal::default()),
            used_set: Signal::default(),
            replaced: std::array::from_fn(|_| Signal::default()),
            replaced_set: Signal::default(),
            next: std::array::from_fn(|_| Signal::default()),
            oldest: std::array::from_fn(|_| Signal::default()),
        }
    }
}

crate::part!([const S: usize, const I: usize, const W: usize, const Q: usize] Recency<S, I, W, Q>);

impl<const S: usize, const I: usize, const W: usize, const Q: usize> Logic for Recency<S, I, W, Q> {
    fn update(&mut self) {
        for (set, (order, next)) in self.order.iter().zip(&mut self.next).enumerate() {
            let mut bits = order.val();
            let number: Bits<I> = (set as LiteralType).into();
            for (ways, of) in [
                (&self.used, self.used_set.val()),
                (&self.replaced, self.replaced_set.val()),
            ] {
                let way = ways.iter().position(|way| way.val());
                for other in (0..W).filter(|_| of == number) {
                    match way {
                        Some(way) if other < way => {
                            bits = bits.replace_bit(pair(way, other), true);
                        }
                        Some(way) if way < other => {
                            bits = bits.replace_bit(pair(other, way), false);
                        }
                        _ => {}
                    }
                }
            }
            next.next = bits;
        }
        let order = self.order[self.replaced_set.val().index()].val();
        for (way, oldest) in self.oldest.iter_mut().enumerate() {
            oldest.next = (0..W).all(|other| match other {
                _ if other < way => !order.get_bit(pair(way, other)),
                _ if way < other => order.get_bit(pair(other, way)),
                _ => true,
            });
        }
    }

    fn connect(&mut self) {
        self.next.iter_mut().for_each(|next| next.connect());
        self.oldest.iter_mut().for_each(|oldest| oldest.connect());
    }

    fn hdl(&self) -> Verilog {
        let name = format!("recency_{W}_ways_{S}_sets");
        let (sets, ways, bits) = (S * Q - 1, W - 1, Q - 1);
        let set = if I == 1 {
            String::new()
        } else {
            format!("[{}:0] ", I - 1)
        };
        let code = format!(
            "// The order in which {W} ways were used, in each of {S} sets: bit i (i - 1) / 2 + j of a set is high if way i was
// used after way j < i.
module {name} (
    input  wire [{sets}:0] order,
    input  wire [{ways}:0] used,
    input  wire {set}used_set,
    input  wire [{ways}:0] replaced,
    input  wire {set}replaced_set,
    output reg  [{sets}:0] next,
    output reg  [{ways}:0] oldest
);
    wire [{bits}:0] chosen = order[replaced_set*{Q} +: {Q}];
    // Drives outputs next and oldest: a way that is used or replaced becomes the last of its set, and the oldest of the
    // chosen set is the way that no other was used before.
    always @* begin : drive_next_and_oldest
        integer s, i, j;
        next = order;
        oldest = {{{W}{{1'b1}}}};
        for (i = 1; i < {W}; i = i + 1)
            for (j = 0; j < i; j = j + 1) begin
                for (s = 0; s < {S}; s = s + 1) begin
                    if (used_set == s[{top}:0]) begin
                        if (used[i]) next[s*{Q} + i*(i-1)/2 + j] = 1'b1;
                        else if (used[j]) next[s*{Q} + i*(i-1)/2 + j] = 1'b0;
                    end
                    if (replaced_set == s[{top}:0]) begin
                        if (replaced[i]) next[s*{Q} + i*(i-1)/2 + j] = 1'b1;
                        else if (replaced[j]) next[s*{Q} + i*(i-1)/2 + j] = 1'b0;
                    end
                end
                if (chosen[i*(i-1)/2 + j]) oldest[i] = 1'b0;
                else oldest[j] = 1'b0;
            end
    end
endmodule
",
            top = I - 1,
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
