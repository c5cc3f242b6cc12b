//! A round-robin arbiter, which keeps its state outside.

use rust_hdl::prelude::*;

/// Gives the number of the lowest request above the last one that was served, of the lowest of all if there is none
/// above, and 0 without a request.
#[derive(LogicBlock)]
pub struct RoundRobinArbiter<const REQUESTERS: usize, const INDEX: usize> {
    /// One bit a requester.
    pub request: [Signal<In, Bit>; REQUESTERS],
    /// The one that was served last.
    pub last: Signal<In, Bits<INDEX>>,
    /// The one whose turn it is.
    pub index: Signal<Out, Bits<INDEX>>,
}

impl<const REQUESTERS: usize, const INDEX: usize> Default for RoundRobinArbiter<REQUESTERS, INDEX> {
    fn default() -> Self {
        assert!(
            clog2(REQUESTERS) == INDEX,
            "{INDEX} bits do not number {REQUESTERS} requesters"
        );
        Self {
            request: std::array::from_fn(|_| Signal::default()),
            last: Signal::default(),
            index: Signal::default(),
        }
    }
}

crate::part!([const REQUESTERS: usize, const INDEX: usize] RoundRobinArbiter<REQUESTERS, INDEX>);

impl<const REQUESTERS: usize, const INDEX: usize> Logic for RoundRobinArbiter<REQUESTERS, INDEX> {
    fn update(&mut self) {
        let asks = |number: &usize| self.request[*number].val();
        let above = (self.last.val().index() + 1..REQUESTERS).find(asks);
        let index = above.or_else(|| (0..REQUESTERS).find(asks)).unwrap_or(0);
        self.index.next = (index as LiteralType).into();
    }

    fn connect(&mut self) {
        self.index.connect();
    }

    fn hdl(&self) -> Verilog {
        let name = format!("turns_of_{REQUESTERS}");
        let (last, high) = (REQUESTERS - 1, INDEX - 1);
        let range = if INDEX == 1 {
            String::new()
        } else {
            format!("[{high}:0] ")
        };
        let code = format!(
            "// Gives the number of the lowest of {REQUESTERS} requests above the last one that was served, else of the lowest.
module {name} (
    input  wire [{last}:0] request,
    input  wire {range}last,
    output reg  {range}index
);
    // Drives output index, from request and last: the lowest of all, then the lowest above the last one if there is one.
    always @* begin : drive_index
        integer i;
        index = {INDEX}'d0;
        for (i = {last}; i >= 0; i = i - 1)
            if (request[i]) index = i[{high}:0];
        for (i = {last}; i >= 1; i = i - 1)
            if (request[i] && i[{high}:0] > last) index = i[{high}:0];
    end
endmodule
"
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
