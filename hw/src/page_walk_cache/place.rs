//! Where a word of memory is kept.

use rust_hdl::prelude::*;

/// Words with `W`-bit numbers, of which `H` bits say where in a table; sets with `N`-bit numbers; tags of `G` bits.
#[derive(LogicBlock)]
pub struct Place<const W: usize, const H: usize, const N: usize, const G: usize> {
    /// The word.
    pub word: Signal<In, Bits<W>>,
    /// Its set: the low bits, each with one of the table's frame added.
    pub set: Signal<Out, Bits<N>>,
    /// What tells it from the others of its set: all bits above those.
    pub tag: Signal<Out, Bits<G>>,

    frame: Constant<Bits<W>>,
    above: Constant<Bits<W>>,
}

impl<const W: usize, const H: usize, const N: usize, const G: usize> Logic for Place<W, H, N, G> {
    #[hdl_gen]
    fn update(&mut self) {
        self.set.next = bit_cast::<N, W>(self.word.val() ^ (self.word.val() >> self.frame.val()));
        self.tag.next = bit_cast::<G, W>(self.word.val() >> self.above.val());
    }
}

impl<const W: usize, const H: usize, const N: usize, const G: usize> Default for Place<W, H, N, G> {
    fn default() -> Self {
        assert!(
            N <= H && H + N <= W && N + G == W,
            "sets of {N} bits and tags of {G} do not fit words of {W}, {H} of them in a table"
        );
        Self {
            word: Signal::default(),
            set: Signal::default(),
            tag: Signal::default(),
            frame: Constant::new((H as LiteralType).into()),
            above: Constant::new((N as LiteralType).into()),
        }
    }
}
