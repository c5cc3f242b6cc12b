//! The order in which requesters were served, exactly: a bit for each pair says which of the two was served last. A
//! kernel's loops cannot run over pairs, whose inner bound depends on the outer index.

use rust_hdl::prelude::*;

/// The order of `N` requesters with `I`-bit numbers, in `Q` = N (N - 1) / 2 bits, which live outside.
///
/// The bit of requesters i > j, number i (i - 1) / 2 + j, is high if j was served after i.
#[derive(LogicBlock)]
pub struct ServiceOrder<const N: usize, const I: usize, const Q: usize> {
    /// The order as it is.
    pub order: Signal<In, Bits<Q>>,
    /// The one that is served, if any.
    pub served: [Signal<In, Bit>; N],
    /// The one that goes after all others, if any.
    pub last: [Signal<In, Bit>; N],
    /// The requests.
    pub request: [Signal<In, Bit>; N],
    /// The order after who is served.
    pub after: Signal<Out, Bits<Q>>,
    /// Of those that ask, the one that was served longest ago.
    pub grant: [Signal<Out, Bit>; N],
    /// Its number, 0 without a request.
    pub index: Signal<Out, Bits<I>>,
}

/// The place of a pair's bit.
const fn pair(later: usize, earlier: usize) -> usize {
    later * (later - 1) / 2 + earlier
}

/// The order after one of them was served.
fn served_last<const N: usize, const Q: usize>(order: Bits<Q>, served: Option<usize>) -> Bits<Q> {
    let Some(served) = served else { return order };
    (0..N).fold(order, |order, other| match other {
        _ if other < served => order.replace_bit(pair(served, other), false),
        _ if served < other => order.replace_bit(pair(other, served), true),
        _ => order,
    })
}

impl<const N: usize, const I: usize, const Q: usize> Default for ServiceOrder<N, I, Q> {
    fn default() -> Self {
        assert!(
            N * (N - 1) / 2 == Q,
            "{Q} bits do not fit the pairs of {N} requesters"
        );
        assert!(clog2(N) == I, "{I} index bits do not fit {N} requesters");
        Self {
            order: Signal::default(),
            served: std::array::from_fn(|_| Signal::default()),
            last: std::array::from_fn(|_| Signal::default()),
            request: std::array::from_fn(|_| Signal::default()),
            after: Signal::default(),
            grant: std::array::from_fn(|_| Signal::default()),
            index: Signal::default(),
        }
    }
}

crate::part!([const N: usize, const I: usize, const Q: usize] ServiceOrder<N, I, Q>);

impl<const N: usize, const I: usize, const Q: usize> Logic for ServiceOrder<N, I, Q> {
    fn update(&mut self) {
        let one = |of: &[Signal<In, Bit>; N]| of.iter().position(|bit| bit.val());
        let next = served_last::<N, Q>(self.order.val(), one(&self.served));
        let order = served_last::<N, Q>(next, one(&self.last));
        let before = |first: usize, second: usize| match first {
            _ if first < second => !order.get_bit(pair(second, first)),
            _ => order.get_bit(pair(first, second)),
        };
        let asks = |number: &usize| self.request[*number].val();
        let winner = (0..N).filter(asks).reduce(
            |oldest, other| {
                if before(other, oldest) { other } else { oldest }
            },
        );
        self.after.next = next;
        for (number, grant) in self.grant.iter_mut().enumerate() {
            grant.next = winner == Some(number);
        }
        self.index.next = (winner.unwrap_or(0) as LiteralType).into();
    }

    fn connect(&mut self) {
        self.after.connect();
        self.grant.iter_mut().for_each(|grant| grant.connect());
        self.index.connect();
    }

    fn hdl(&self) -> Verilog {
        let name = format!("service_order_{N}");
        let (last, bits, high) = (N - 1, Q - 1, I - 1);
        let code = format!(
            "// Grants the one of {N} requests that was served longest ago: bit i (i - 1) / 2 + j of the order is high if j < i was
// served after i.
module {name} (
    input  wire [{bits}:0] order,
    input  wire [{last}:0] served,
    input  wire [{last}:0] last,
    input  wire [{last}:0] request,
    output reg  [{bits}:0] after,
    output reg  [{last}:0] grant,
    output reg  [{high}:0] index
);
    // Drives outputs after, grant and index: a request is granted if no other was served before it.
    always @* begin : drive_after_and_grant_and_index
        integer i, j;
        reg [{last}:0] overtaken;
        reg            later;
        after = order;
        overtaken = {N}'d0;
        for (i = 1; i < {N}; i = i + 1)
            for (j = 0; j < i; j = j + 1) begin
                if (served[j]) after[i*(i-1)/2 + j] = 1'b1;
                else if (served[i]) after[i*(i-1)/2 + j] = 1'b0;
                later = last[j] | (after[i*(i-1)/2 + j] & ~last[i]);
                overtaken[i] = overtaken[i] | (request[j] & ~later);
                overtaken[j] = overtaken[j] | (request[i] & later);
            end
        grant = request & ~overtaken;
        index = {I}'d0;
        for (i = 0; i < {N}; i = i + 1)
            if (grant[i]) index = index | i[{high}:0];
    end
endmodule
"
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
