//! One way of each set: the tags, and a comparator.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::memory::Memory;

/// Sets with `N`-bit numbers, tags of `G` bits, and memory words of `E` = `G` + 2 bits.
#[block]
#[check(G + 2 == E, "{E} bits do not hold a tag of {G} bits and its two marks")]
pub struct Way<const N: usize, const G: usize, const E: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// The tag of a set is read, or written.
    pub enable: Signal<In, Bit>,
    /// It is written.
    pub write: Signal<In, Bit>,
    /// The set.
    pub set: Signal<In, Bits<N>>,
    /// The tag to write.
    pub write_tag: Signal<In, Bits<G>>,
    /// There is one.
    pub write_present: Signal<In, Bit>,
    /// In which round of its set it is filled.
    pub write_round: Signal<In, Bit>,
    /// The tag to compare with the one that was read last.
    pub look_tag: Signal<In, Bits<G>>,
    /// It is the same.
    pub found: Signal<Out, Bit>,
    /// In which round that one was filled.
    pub round: Signal<Out, Bit>,

    #[init(Memory::new(1 << N, 1))]
    tags: Memory<Bits<E>, N, 1>,
    #[init(Constant::new((1 << G as LiteralType).into()))]
    is_present: Constant<Bits<E>>,
    #[init(Constant::new((1 << (G + 1) as LiteralType).into()))]
    is_second: Constant<Bits<E>>,
    #[init(Constant::new(0.into()))]
    none: Constant<Bits<E>>,
    present: Signal<Local, Bits<E>>,
    second: Signal<Local, Bits<E>>,
}

impl<const N: usize, const G: usize, const E: usize> Logic for Way<N, G, E> {
    #[logic]
    fn update(&mut self) {
        self.tags.enable.next = self.enable.val();
        self.tags.write.next = self.write.val();
        self.tags.address.next = self.set.val();
        self.present.next = self.none.val();
        if self.write_present.val() {
            self.present.next = self.is_present.val();
        }
        self.second.next = self.none.val();
        if self.write_round.val() {
            self.second.next = self.is_second.val();
        }
        self.tags.data[0].next =
            bit_cast::<E, G>(self.write_tag.val()) | self.present.val() | self.second.val();
        self.found.next = (bit_cast::<G, E>(self.tags.q[0].val()) == self.look_tag.val())
            && (self.tags.q[0].val() & self.is_present.val()).any();
        self.round.next = (self.tags.q[0].val() & self.is_second.val()).any();
    }
}
