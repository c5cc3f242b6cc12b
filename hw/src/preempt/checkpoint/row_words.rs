//! A word of a header names two rows, each with its sectors: one in its low half, one in its high half.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// Packs two rows, each with its sectors, into a word of a header. A word has `WORD` bits; rows have numbers of `ROW`
/// bits and `SECTORS` sectors.
#[block]
#[check(ROW + SECTORS <= WORD / 2, "half of {WORD} bits does not name a row")]
pub struct WordOfRows<const WORD: usize, const ROW: usize, const SECTORS: usize> {
    /// Numbers of the two rows.
    pub row: [Signal<In, Bits<ROW>>; 2],
    /// Sectors of each row, one bit each.
    pub sectors: [Signal<In, Bits<SECTORS>>; 2],
    /// Word of a header that names the two rows.
    pub word: Signal<Out, Bits<WORD>>,

    low: Signal<Local, Bits<WORD>>,
    high: Signal<Local, Bits<WORD>>,
    #[init(Constant::new((ROW as LiteralType).into()))]
    sectors_at: Constant<Bits<WORD>>,
    #[init(Constant::new(((WORD / 2) as LiteralType).into()))]
    half: Constant<Bits<WORD>>,
}

impl<const WORD: usize, const ROW: usize, const SECTORS: usize> Logic
    for WordOfRows<WORD, ROW, SECTORS>
{
    #[logic]
    fn update(&mut self) {
        self.low.next = bit_cast::<WORD, ROW>(self.row[0].val())
            | (bit_cast::<WORD, SECTORS>(self.sectors[0].val()) << self.sectors_at.val());
        self.high.next = bit_cast::<WORD, ROW>(self.row[1].val())
            | (bit_cast::<WORD, SECTORS>(self.sectors[1].val()) << self.sectors_at.val());
        self.word.next = self.low.val() | (self.high.val() << self.half.val());
    }
}

/// Unpacks the two rows that a word of a header names.
#[block]
pub struct RowsOfWord<const WORD: usize, const ROW: usize, const SECTORS: usize> {
    /// Word of a header that names two rows.
    pub word: Signal<In, Bits<WORD>>,
    /// Numbers of the two rows.
    pub row: [Signal<Out, Bits<ROW>>; 2],
    /// Sectors of each row, one bit each.
    pub sectors: [Signal<Out, Bits<SECTORS>>; 2],

    high: Signal<Local, Bits<WORD>>,
    #[init(Constant::new((ROW as LiteralType).into()))]
    sectors_at: Constant<Bits<WORD>>,
    #[init(Constant::new(((WORD / 2) as LiteralType).into()))]
    half: Constant<Bits<WORD>>,
}

impl<const WORD: usize, const ROW: usize, const SECTORS: usize> Logic
    for RowsOfWord<WORD, ROW, SECTORS>
{
    #[logic]
    fn update(&mut self) {
        self.high.next = self.word.val() >> self.half.val();
        self.row[0].next = bit_cast::<ROW, WORD>(self.word.val());
        self.row[1].next = bit_cast::<ROW, WORD>(self.high.val());
        self.sectors[0].next = bit_cast::<SECTORS, WORD>(self.word.val() >> self.sectors_at.val());
        self.sectors[1].next = bit_cast::<SECTORS, WORD>(self.high.val() >> self.sectors_at.val());
    }
}
