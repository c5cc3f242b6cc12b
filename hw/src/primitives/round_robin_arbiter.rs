//! A round-robin arbiter, which keeps its state outside.

use rust_hdl::prelude::*;

/// Gives the number of the lowest request above the last one that was served, of the lowest of all if there is none
/// above, and 0 without a request.
#[derive(LogicBlock)]
pub struct RoundRobinArbiter<const REQUESTERS: usize, const INDEX: usize> {
    /// Requests, one bit for each requester.
    pub request: [Signal<In, Bit>; REQUESTERS],
    /// Number of the requester that was served last.
    pub last: Signal<In, Bits<INDEX>>,
    /// Number of the request whose turn it is, 0 without a request.
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
        let requests = |number: &usize| self.request[*number].val();
        let above = (self.last.val().index() + 1..REQUESTERS).find(requests);
        let index = above
            .or_else(|| (0..REQUESTERS).find(requests))
            .unwrap_or(0);
        self.index.next = (index as LiteralType).into();
    }

    fn connect(&mut self) {
        self.index.connect();
    }

    fn hdl(&self) -> Verilog {
        crate::primitives::instance(
            include_str!("round_robin_arbiter.v"),
            &[("REQUESTERS", REQUESTERS), ("INDEX", INDEX)],
        )
    }
}
