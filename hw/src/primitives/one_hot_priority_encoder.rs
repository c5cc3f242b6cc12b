//! A priority encoder whose output is one-hot: the lowest of a few requests, where its number is not needed. For many
//! requests, or with a number, there is the fixed-priority arbiter.

use rust_hdl::prelude::*;

/// Grants the request with the lowest number; none without a request.
#[derive(LogicBlock)]
pub struct OneHotPriorityEncoder<const REQUESTERS: usize> {
    /// One bit a requester.
    pub request: [Signal<In, Bit>; REQUESTERS],
    /// The one that is served.
    pub grant: [Signal<Out, Bit>; REQUESTERS],
}

impl<const REQUESTERS: usize> Default for OneHotPriorityEncoder<REQUESTERS> {
    fn default() -> Self {
        Self {
            request: std::array::from_fn(|_| Signal::default()),
            grant: std::array::from_fn(|_| Signal::default()),
        }
    }
}

crate::part!([const REQUESTERS: usize] OneHotPriorityEncoder<REQUESTERS>);

impl<const REQUESTERS: usize> Logic for OneHotPriorityEncoder<REQUESTERS> {
    fn update(&mut self) {
        let winner = self.request.iter().position(|request| request.val());
        for (number, grant) in self.grant.iter_mut().enumerate() {
            grant.next = winner == Some(number);
        }
    }

    fn connect(&mut self) {
        self.grant.iter_mut().for_each(|grant| grant.connect());
    }

    fn hdl(&self) -> Verilog {
        let name = format!("lowest_of_{REQUESTERS}");
        let last = REQUESTERS - 1;
        let grants: String = (0..REQUESTERS)
            .map(|number| match number {
                0 => "    assign grant[0] = request[0];\n".to_owned(),
                1 => "    assign grant[1] = request[1] & ~request[0];\n".to_owned(),
                _ => format!(
                    "    assign grant[{number}] = request[{number}] & ~|request[{}:0];\n",
                    number - 1
                ),
            })
            .collect();
        let code = format!(
            "// Grants the lowest of {REQUESTERS} requests.
module {name} (
    input  wire [{last}:0] request,
    output wire [{last}:0] grant
);
{grants}endmodule
"
        );
        Verilog::Blackbox(BlackBox { name, code })
    }
}
