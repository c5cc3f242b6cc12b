//! A matrix arbiter: of the requests the one that was served longest ago. A bit for each pair of requesters says which of the
//! two was served last. A kernel's loops cannot run over pairs, whose inner bound depends on the outer index.

use rust_hdl::prelude::*;

/// The order of `REQUESTERS` requesters with indices of `INDEX` bits: a bit for each of their `PAIRS` pairs, in a register
/// outside.
///
/// The bit of requesters i > j, number i (i - 1) / 2 + j, is high if j was served after i.
#[derive(LogicBlock)]
pub struct MatrixArbiter<const REQUESTERS: usize, const INDEX: usize, const PAIRS: usize> {
    /// Order of the requesters before `served`.
    pub order: Signal<In, Bits<PAIRS>>,
    /// Requester that is served, one bit each; none if all are low.
    pub served: [Signal<In, Bit>; REQUESTERS],
    /// Requester that goes after all others in this arbitration only, one bit each; none if all are low.
    pub last: [Signal<In, Bit>; REQUESTERS],
    /// Requests, one bit for each requester.
    pub request: [Signal<In, Bit>; REQUESTERS],
    /// Order of the requesters after `served`.
    pub after: Signal<Out, Bits<PAIRS>>,
    /// Request that was served longest ago, one bit for each requester.
    pub grant: [Signal<Out, Bit>; REQUESTERS],
    /// Number of the requester that is granted, 0 without a request.
    pub index: Signal<Out, Bits<INDEX>>,
}

/// The place of a pair's bit.
const fn pair(later: usize, earlier: usize) -> usize {
    later * (later - 1) / 2 + earlier
}

/// The order after one of them was served.
fn served_last<const REQUESTERS: usize, const PAIRS: usize>(
    order: Bits<PAIRS>,
    served: Option<usize>,
) -> Bits<PAIRS> {
    let Some(served) = served else { return order };
    (0..REQUESTERS).fold(order, |order, other| match other {
        _ if other < served => order.replace_bit(pair(served, other), false),
        _ if served < other => order.replace_bit(pair(other, served), true),
        _ => order,
    })
}

impl<const REQUESTERS: usize, const INDEX: usize, const PAIRS: usize> Default
    for MatrixArbiter<REQUESTERS, INDEX, PAIRS>
{
    fn default() -> Self {
        assert!(
            REQUESTERS * (REQUESTERS - 1) / 2 == PAIRS,
            "{PAIRS} bits do not fit the pairs of {REQUESTERS} requesters"
        );
        assert!(
            clog2(REQUESTERS) == INDEX,
            "{INDEX} index bits do not fit {REQUESTERS} requesters"
        );
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

crate::part!([const REQUESTERS: usize, const INDEX: usize, const PAIRS: usize] MatrixArbiter<REQUESTERS, INDEX, PAIRS>);

impl<const REQUESTERS: usize, const INDEX: usize, const PAIRS: usize> Logic
    for MatrixArbiter<REQUESTERS, INDEX, PAIRS>
{
    fn update(&mut self) {
        let one = |of: &[Signal<In, Bit>; REQUESTERS]| of.iter().position(|bit| bit.val());
        let next = served_last::<REQUESTERS, PAIRS>(self.order.val(), one(&self.served));
        let order = served_last::<REQUESTERS, PAIRS>(next, one(&self.last));
        let before = |first: usize, second: usize| match first {
            _ if first < second => !order.get_bit(pair(second, first)),
            _ => order.get_bit(pair(first, second)),
        };
        let requests = |number: &usize| self.request[*number].val();
        let winner = (0..REQUESTERS).filter(requests).reduce(|oldest, other| {
            if before(other, oldest) { other } else { oldest }
        });
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
        crate::primitives::instance(
            include_str!("matrix_arbiter.v"),
            &[
                ("REQUESTERS", REQUESTERS),
                ("INDEX", INDEX),
                ("PAIRS", PAIRS),
            ],
        )
    }
}
