//! Fixed-priority arbiter: grants one of many requests. Used wherever one of many entries is chosen.

use rust_hdl::prelude::*;

/// Requests that are looked at together.
const GROUP: usize = 8;

/// Grants the request with the lowest number, or with the highest if `HIGHEST`; none without a request.
#[derive(LogicBlock)]
pub struct FixedPriorityArbiter<const REQUESTERS: usize, const INDEX: usize, const HIGHEST: bool> {
    /// One bit a requester.
    pub request: [Signal<In, Bit>; REQUESTERS],
    /// The one that is served.
    pub grant: [Signal<Out, Bit>; REQUESTERS],
    /// Its number, 0 without a request.
    pub index: Signal<Out, Bits<INDEX>>,
}

impl<const REQUESTERS: usize, const INDEX: usize, const HIGHEST: bool> Default
    for FixedPriorityArbiter<REQUESTERS, INDEX, HIGHEST>
{
    fn default() -> Self {
        assert!(
            clog2(REQUESTERS) == INDEX,
            "{INDEX} index bits do not fit {REQUESTERS} requesters"
        );
        Self {
            request: std::array::from_fn(|_| Signal::default()),
            grant: std::array::from_fn(|_| Signal::default()),
            index: Signal::default(),
        }
    }
}

crate::part!([const REQUESTERS: usize, const INDEX: usize, const HIGHEST: bool] FixedPriorityArbiter<REQUESTERS, INDEX, HIGHEST>);

impl<const REQUESTERS: usize, const INDEX: usize, const HIGHEST: bool> Logic
    for FixedPriorityArbiter<REQUESTERS, INDEX, HIGHEST>
{
    fn update(&mut self) {
        let mut requests = self.request.iter().map(|request| request.val());
        let winner = if HIGHEST {
            requests.rposition(|request| request)
        } else {
            requests.position(|request| request)
        };
        for (number, grant) in self.grant.iter_mut().enumerate() {
            grant.next = winner == Some(number);
        }
        self.index.next = (winner.unwrap_or(0) as LiteralType).into();
    }

    fn connect(&mut self) {
        self.grant.iter_mut().for_each(|grant| grant.connect());
        self.index.connect();
    }

    fn hdl(&self) -> Verilog {
        let order = if HIGHEST { "highest" } else { "lowest" };
        let name = format!("arbiter_{order}_{REQUESTERS}");
        let (last, high) = (REQUESTERS - 1, INDEX - 1);
        let groups = REQUESTERS.div_ceil(GROUP);
        // ` & ~|vector[...]`: none of these bits.
        let none_of = |vector: &str, from: usize, to: usize| match to.saturating_sub(from) {
            0 => String::new(),
            1 => format!(" & ~{vector}[{from}]"),
            _ => format!(" & ~|{vector}[{}:{from}]", to - 1),
        };
        let mut body = String::new();
        for group in 0..groups {
            let (from, to) = (group * GROUP, REQUESTERS.min((group + 1) * GROUP));
            let before = if HIGHEST {
                none_of("some", group + 1, groups)
            } else {
                none_of("some", 0, group)
            };
            body += &format!("    assign some[{group}] = |request[{}:{from}];\n", to - 1);
            body += &format!("    assign first[{group}] = some[{group}]{before};\n");
            for number in from..to {
                let before = if HIGHEST {
                    none_of("request", number + 1, to)
                } else {
                    none_of("request", from, number)
                };
                body += &format!("    assign winner[{number}] = request[{number}]{before};\n");
                body +=
                    &format!("    assign grant[{number}] = winner[{number}] & first[{group}];\n");
            }
        }
        let code = format!(
            "// Grants the {order} of {REQUESTERS} requests: the {order} group of {GROUP} with a request, and its winner.
module {name} (
    input  wire [{last}:0] request,
    output wire [{last}:0] grant,
    output reg  [{high}:0] index
);
    wire [{top}:0] some;
    wire [{top}:0] first;
    wire [{last}:0] winner;
{body}
    // Drives output index, from winner and first: the number of the one that is granted, 0 without a request.
    always @* begin : drive_index
        integer i;
        index = {INDEX}'d0;
        for (i = 0; i < {REQUESTERS}; i = i + 1)
            if (winner[i] && first[i / {GROUP}]) index = index | i[{high}:0];
    end
endmodule
",
            top = groups - 1,
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
