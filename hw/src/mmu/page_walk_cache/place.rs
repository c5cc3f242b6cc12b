//! Where a word of memory is kept.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// Splits the number of a word of memory into set and tag. Words with numbers of `WORD` bits, of which `TABLE` say
/// where in a table; sets with numbers of `SET` bits; tags of `TAG` bits.
#[block]
#[check(SET <= TABLE && TABLE + SET <= WORD && SET + TAG == WORD, "sets of {SET} bits and tags of {TAG} do not fit words of {WORD}, {TABLE} of them in a table")]
pub struct Place<const WORD: usize, const TABLE: usize, const SET: usize, const TAG: usize> {
    /// The word.
    pub word: Signal<In, Bits<WORD>>,
    /// Its set: the low bits, each with one of the table's frame added.
    pub set: Signal<Out, Bits<SET>>,
    /// What tells it from the others of its set: all bits above those.
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
