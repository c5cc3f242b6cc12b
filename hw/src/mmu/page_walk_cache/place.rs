//! Where a word of memory is kept.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// Splits the number of a word of memory into set and tag. Words with numbers of `WORD` bits, of which `TABLE` say
/// where in a table; sets with numbers of `SET` bits; tags of `TAG` bits.
#[block]
#[check(SET <= TABLE && TABLE + SET <= WORD && SET + TAG == WORD, "sets of {SET} bits and tags of {TAG} do not fit words of {WORD}, {TABLE} of them in a table")]
pub struct Place<const WORD: usize, const TABLE: usize, const SET: usize, const TAG: usize> {
    /// Number of the word.
    pub word: Signal<In, Bits<WORD>>,
    /// Set of the word: its low bits, exclusive-or the low bits of the table's frame number.
    pub set: Signal<Out, Bits<SET>>,
    /// Tag of the word: all bits above the low bits that make its set.
    pub tag: Signal<Out, Bits<TAG>>,

    #[init(Constant::new((TABLE as LiteralType).into()))]
    frame: Constant<Bits<WORD>>,
    #[init(Constant::new((SET as LiteralType).into()))]
    above: Constant<Bits<WORD>>,
}

impl<const WORD: usize, const TABLE: usize, const SET: usize, const TAG: usize> Logic
    for Place<WORD, TABLE, SET, TAG>
{
    #[logic]
    fn update(&mut self) {
        self.set.next =
            bit_cast::<SET, WORD>(self.word.val() ^ (self.word.val() >> self.frame.val()));
        self.tag.next = bit_cast::<TAG, WORD>(self.word.val() >> self.above.val());
    }
}
