//! Fixed-priority arbiter: grants one of many requests. Used wherever one of many entries is chosen.

use rust_hdl::prelude::*;

/// Grants the request with the lowest number, or with the highest if `HIGHEST`; none without a request.
#[derive(LogicBlock)]
pub struct FixedPriorityArbiter<const REQUESTERS: usize, const INDEX: usize, const HIGHEST: bool> {
    /// Requests, one bit for each requester.
    pub request: [Signal<In, Bit>; REQUESTERS],
    /// Request that is granted, one bit for each requester.
    pub grant: [Signal<Out, Bit>; REQUESTERS],
    /// Number of the requester that is granted, 0 without a request.
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
        crate::primitives::instance(
            include_str!("fixed_priority_arbiter.v"),
            &[
                ("REQUESTERS", REQUESTERS),
                ("INDEX", INDEX),
                ("HIGHEST", usize::from(HIGHEST)),
            ],
        )
    }
}
