//! Of many requests the one that was served longest ago, from an order that is kept outside: a bit for each pair of
//! requesters, or a list of them. A kernel's loops cannot run over pairs, whose inner bound depends on the outer index.

use rust_hdl::prelude::*;

/// The order of `REQUESTERS` requesters with indices of `INDEX` bits, in registers outside.
///
/// It is one word with a bit for each pair, or a list in `REQUESTERS` + 2 words of `INDEX` + 1 bits. The number of pairs is quadratic, the length of the list is not.
///
/// The bit of requesters i > j, number i (i - 1) / 2 + j, is high if j was served after i.
///
/// Word k of the list is the number of the requester in place k, XOR k, and above it a bit that says whether it requests; so
/// a reset puts the requesters in order. Then come the one that was served in the cycle before, which moves behind all others
/// now, and the request that is there since this cycle. Each of the two has a bit above it that says whether there is one.
#[derive(LogicBlock)]
pub struct AgeOrder<
    const REQUESTERS: usize,
    const INDEX: usize,
    const WORDS: usize,
    const WORD: usize,
> {
    /// Order before this cycle.
    pub order: [Signal<In, Bits<WORD>>; WORDS],
    /// Requester that is served, one bit each; none if all are low. It requests nothing now or in the next cycle.
    pub served: [Signal<In, Bit>; REQUESTERS],
    /// Requests, one bit for each requester.
    pub request: [Signal<In, Bit>; REQUESTERS],
    /// Request that is there from the next cycle on, one bit each; none if all are low.
    pub rising: [Signal<In, Bit>; REQUESTERS],
    /// The request that is granted, if any, is there no longer from the next cycle on.
    pub taken: Signal<In, Bit>,
    /// Order after this cycle.
    pub after: [Signal<Out, Bits<WORD>>; WORDS],
    /// Request that was served longest ago, one bit for each requester.
    pub grant: [Signal<Out, Bit>; REQUESTERS],
}

/// The place of a pair's bit.
const fn pair(later: usize, earlier: usize) -> usize {
    later * (later - 1) / 2 + earlier
}

impl<const REQUESTERS: usize, const INDEX: usize, const WORDS: usize, const WORD: usize> Default
    for AgeOrder<REQUESTERS, INDEX, WORDS, WORD>
{
    fn default() -> Self {
        assert!(
            (WORDS == 1 && REQUESTERS * (REQUESTERS - 1) / 2 == WORD)
                || (WORDS == REQUESTERS + 2 && WORD == INDEX + 1),
            "{WORDS} words of {WORD} bits are neither the pairs nor a list of {REQUESTERS} requesters"
        );
        assert!(
            clog2(REQUESTERS) == INDEX,
            "{INDEX} index bits do not fit {REQUESTERS} requesters"
        );
        Self {
            order: std::array::from_fn(|_| Signal::default()),
            served: std::array::from_fn(|_| Signal::default()),
            request: std::array::from_fn(|_| Signal::default()),
            rising: std::array::from_fn(|_| Signal::default()),
            taken: Signal::default(),
            after: std::array::from_fn(|_| Signal::default()),
            grant: std::array::from_fn(|_| Signal::default()),
        }
    }
}

crate::part!([const REQUESTERS: usize, const INDEX: usize, const WORDS: usize, const WORD: usize] AgeOrder<REQUESTERS, INDEX, WORDS, WORD>);

fn one<const N: usize>(of: &[Signal<In, Bit>; N]) -> Option<usize> {
    of.iter().position(|bit| bit.val())
}

impl<const REQUESTERS: usize, const INDEX: usize, const WORDS: usize, const WORD: usize>
    AgeOrder<REQUESTERS, INDEX, WORDS, WORD>
{
    fn update_pairs(&mut self) {
        let mut order = self.order[0].val();
        if let Some(served) = one(&self.served) {
            for other in (0..REQUESTERS).filter(|other| *other != served) {
                let place = pair(served.max(other), served.min(other));
                order = order.replace_bit(place, served < other);
            }
        }
        let before = |first: usize, second: usize| match first {
            _ if first < second => !order.get_bit(pair(second, first)),
            _ => order.get_bit(pair(first, second)),
        };
        let requests = |number: &usize| self.request[*number].val();
        let winner = (0..REQUESTERS).filter(requests).reduce(|oldest, other| {
            if before(other, oldest) { other } else { oldest }
        });
        self.after[0].next = order;
        for (number, grant) in self.grant.iter_mut().enumerate() {
            grant.next = winner == Some(number);
        }
    }

    fn update_list(&mut self) {
        let number = |word: Bits<WORD>| word.index() % REQUESTERS;
        let some = |word: Bits<WORD>| word.get_bit(INDEX).then(|| number(word));
        let newest = some(self.order[REQUESTERS].val());
        let risen = some(self.order[REQUESTERS + 1].val());
        let mut places: Vec<(usize, bool)> = (0..REQUESTERS)
            .map(|place| {
                let word = self.order[place].val();
                let entry = number(word) ^ place;
                (entry, word.get_bit(INDEX) || risen == Some(entry))
            })
            .collect();
        let first = places.iter().position(|(_, waits)| *waits);
        let winner = first.map(|place| places[place].0);
        if let Some(place) = first.filter(|_| self.taken.val()) {
            places[place].1 = false;
        }
        if let Some(moved) = places.iter().position(|(entry, _)| newest == Some(*entry)) {
            places[moved].1 = false;
            places[moved..].rotate_left(1);
        }
        let word = |entry: usize, high: bool| -> Bits<WORD> {
            ((entry | usize::from(high) << INDEX) as LiteralType).into()
        };
        for (place, (entry, waits)) in places.into_iter().enumerate() {
            self.after[place].next = word(entry ^ place, waits);
        }
        for (place, of) in [(REQUESTERS, &self.served), (REQUESTERS + 1, &self.rising)] {
            let one = one(of);
            self.after[place].next = word(one.unwrap_or(0), one.is_some());
        }
        for (number, grant) in self.grant.iter_mut().enumerate() {
            grant.next = winner == Some(number);
        }
    }
}

impl<const REQUESTERS: usize, const INDEX: usize, const WORDS: usize, const WORD: usize> Logic
    for AgeOrder<REQUESTERS, INDEX, WORDS, WORD>
{
    fn update(&mut self) {
        if WORDS == 1 {
            self.update_pairs();
        } else {
            self.update_list();
        }
    }

    fn connect(&mut self) {
        self.after.iter_mut().for_each(|after| after.connect());
        self.grant.iter_mut().for_each(|grant| grant.connect());
    }

    fn hdl(&self) -> Verilog {
        crate::primitives::instance(
            include_str!("age_order.v"),
            &[
                ("REQUESTERS", REQUESTERS),
                ("INDEX", INDEX),
                ("WORDS", WORDS),
                ("WORD", WORD),
            ],
        )
    }
}
