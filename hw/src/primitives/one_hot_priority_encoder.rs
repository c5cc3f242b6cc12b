//! A priority encoder whose output is one-hot: the lowest of a few requests, where its number is not needed. For many
//! requests, or with a number, there is the fixed-priority arbiter.

use rust_hdl::prelude::*;

/// Grants the request with the lowest number; none without a request.
#[derive(LogicBlock)]
pub struct OneHotPriorityEncoder<const REQUESTERS: usize> {
    /// Requests, one bit for each requester.
    pub request: [Signal<In, Bit>; REQUESTERS],
    /// Request that is granted, one bit for each requester.
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
        crate::primitives::instance(
            include_str!("one_hot_priority_encoder.v"),
            &[("REQUESTERS", REQUESTERS)],
        )
    }
}
