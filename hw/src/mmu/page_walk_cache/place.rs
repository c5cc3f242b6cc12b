//! Where a word of memory is kept.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

/// Words with `W`-bit numbers, of which `H` bits say where in a table; sets with `N`-bit numbers; tags of `G` bits.
#[block]
#[check(N <= H && H + N <= W && N + G == W, "sets of {N} bits and tags of {G} do not fit words of {W}, {H} of them in a table")]
pub struct Place<const W: usize, const H: usize, const N: usize, const G: usize> {
    /// The word.
    pub word: Signal<In, Bits<W>>,
    /// Its set: the low bits, each with one of the table's frame added.
    pub set: Signal<Out, Bits<N>>,
    /// What tells it from the others of its set: all bits above those.
    pub tag: Signal<Out, Bits<G>>,

    #[init(Constant::new((H as LiteralType).into()))]
    frame: Constant<Bits<W>>,
    #[init(Constant::new((N as LiteralType).into()))]
    above: Constant<Bits<W>>,
}

impl<const W: usize, const H: usize, const N: usize, const G: usize> Logic for Place<W, H, N, G> {
    #[logic]
    fn update(&mut self) {
        self.set.next = bit_cast::<N, W>(self.word.val() ^ (self.word.val() >> self.frame.val()));
        self.tag.next = bit_cast::<G, W>(self.word.val() >> self.above.val());
    }
}
