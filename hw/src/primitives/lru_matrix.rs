//! True LRU: a bit for each pair of ways of a set says which of the two was used last. A kernel's loops cannot run over pairs,
//! whose inner bound depends on the outer index.

use rust_hdl::prelude::*;

/// The order of `WAYS` ways in each of `SETS` sets with numbers of `SET` bits: a bit for each of the `PAIRS` pairs of ways, in
/// a register outside.
///
/// The bit of ways i > j, number i (i - 1) / 2 + j, is high if i was used after j.
#[derive(LogicBlock)]
pub struct LruMatrix<const SETS: usize, const SET: usize, const WAYS: usize, const PAIRS: usize> {
    /// Order of each set before `used` and `replaced`.
    pub order: [Signal<In, Bits<PAIRS>>; SETS],
    /// Way that is used, one bit each; none if all are low.
    pub used: [Signal<In, Bit>; WAYS],
    /// Set of the way that is used.
    pub used_set: Signal<In, Bits<SET>>,
    /// Way that is replaced, one bit each; none if all are low. It counts as used after the way in `used`.
    pub replaced: [Signal<In, Bit>; WAYS],
    /// Set of the way that is replaced.
    pub replaced_set: Signal<In, Bits<SET>>,
    /// Order of each set after `used` and `replaced`.
    pub next: [Signal<Out, Bits<PAIRS>>; SETS],
    /// Way of `replaced_set` that was used longest ago according to `order`, one bit each.
    pub oldest: [Signal<Out, Bit>; WAYS],
}

/// The place of a pair's bit.
const fn pair(later: usize, earlier: usize) -> usize {
    later * (later - 1) / 2 + earlier
}

impl<const SETS: usize, const SET: usize, const WAYS: usize, const PAIRS: usize> Default
    for LruMatrix<SETS, SET, WAYS, PAIRS>
{
    fn default() -> Self {
        assert!(
            WAYS * (WAYS - 1) / 2 == PAIRS,
            "{PAIRS} bits do not fit the pairs of {WAYS} ways"
        );
        assert!(
            clog2(SETS).max(1) == SET,
            "{SET} bits do not fit {SETS} sets"
        );
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

crate::part!([const SETS: usize, const SET: usize, const WAYS: usize, const PAIRS: usize] LruMatrix<SETS, SET, WAYS, PAIRS>);

impl<const SETS: usize, const SET: usize, const WAYS: usize, const PAIRS: usize> Logic
    for LruMatrix<SETS, SET, WAYS, PAIRS>
{
    fn update(&mut self) {
        for (set, (order, next)) in self.order.iter().zip(&mut self.next).enumerate() {
            let mut bits = order.val();
            let number: Bits<SET> = (set as LiteralType).into();
            for (ways, of) in [
                (&self.used, self.used_set.val()),
                (&self.replaced, self.replaced_set.val()),
            ] {
                let way = ways.iter().position(|way| way.val());
                for other in (0..WAYS).filter(|_| of == number) {
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
            oldest.next = (0..WAYS).all(|other| match other {
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
        crate::primitives::instance(
            include_str!("lru_matrix.v"),
            &[
                ("SETS", SETS),
                ("SET", SET),
                ("WAYS", WAYS),
                ("PAIRS", PAIRS),
            ],
        )
    }
}
