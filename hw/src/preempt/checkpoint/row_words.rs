//! A word of a header names two rows, each with its sectors: one in its low half, one in its high half.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// The word of `W` bits that names two rows of `R` bits, with `S` sectors each.
#[block]
#[check(R + S <= W / 2, "half of {W} bits does not name a row")]
pub struct WordOfRows<const W: usize, const R: usize, const S: usize> {
    /// The rows,
    pub row: [Signal<In, Bits<R>>; 2],
    /// and their sectors.
    pub sectors: [Signal<In, Bits<S>>; 2],
    /// The word.
    pub word: Signal<Out, Bits<W>>,

    low: Signal<Local, Bits<W>>,
    high: Signal<Local, Bits<W>>,
    #[init(Constant::new((R as LiteralType).into()))]
    sectors_at: Constant<Bits<W>>,
    #[init(Constant::new(((W / 2) as LiteralType).into()))]
    half: Constant<Bits<W>>,
}

impl<const W: usize, const R: usize, const S: usize> Logic for WordOfRows<W, R, S> {
    #[logic]
    fn update(&mut self) {
        self.low.next = bit_cast::<W, R>(self.row[0].val())
            | (bit_cast::<W, S>(self.sectors[0].val()) << self.sectors_at.val());
        self.high.next = bit_cast::<W, R>(self.row[1].val())
            | (bit_cast::<W, S>(self.sectors[1].val()) << self.sectors_at.val());
        self.word.next = self.low.val() | (self.high.val() << self.half.val());
    }
}

/// The two rows that a word names.
#[block]
pub struct RowsOfWord<const W: usize, const R: usize, const S: usize> {
    /// The word.
    pub word: Signal<In, Bits<W>>,
    /// The rows,
    pub row: [Signal<Out, Bits<R>>; 2],
    /// and their sectors.
    pub sectors: [Signal<Out, Bits<S>>; 2],

    high: Signal<Local, Bits<W>>,
    #[init(Constant::new((R as LiteralType).into()))]
    sectors_at: Constant<Bits<W>>,
    #[init(Constant::new(((W / 2) as LiteralType).into()))]
    half: Constant<Bits<W>>,
}

impl<const W: usize, const R: usize, const S: usize> Logic for RowsOfWord<W, R, S> {
    #[logic]
    fn update(&mut self) {
        self.high.next = self.word.val() >> self.half.val();
        self.row[0].next = bit_cast::<R, W>(self.word.val());
        self.row[1].next = bit_cast::<R, W>(self.high.val());
        self.sectors[0].next = bit_cast::<S, W>(self.word.val() >> self.sectors_at.val());
        self.sectors[1].next = bit_cast::<S, W>(self.high.val() >> self.sectors_at.val());
    }
}
