//! One way of each set: the tags, and a comparator.

use rust_hdl::prelude::*;

use crate::memory::Memory;

/// Sets with `N`-bit numbers, tags of `G` bits, and memory words of `E` = `G` + 2 bits.
#[derive(LogicBlock)]
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

    tags: Memory<Bits<E>, N, 1>,
    is_present: Constant<Bits<E>>,
    is_second: Constant<Bits<E>>,
    none: Constant<Bits<E>>,
    present: Signal<Local, Bits<E>>,
    second: Signal<Local, Bits<E>>,
}

impl<const N: usize, const G: usize, const E: usize> Logic for Way<N, G, E> {
    #[hdl_gen]
    fn update(&mut self) {
        self.tags.clock.next = self.clock.val();
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

impl<const N: usize, const G: usize, const E: usize> Way<N, G, E> {
    /// The memory of its tags.
    pub fn usage(&self) -> crate::memory::MemoryUse {
        self.tags.usage()
    }
}

impl<const N: usize, const G: usize, const E: usize> Default for Way<N, G, E> {
    fn default() -> Self {
        assert!(
            G + 2 == E,
            "{E} bits do not hold a tag of {G} bits and its two marks"
        );
        macro_rules! signals {
            ($($field:ident),*) => {
                Self {
                    tags: Memory::new(1 << N, 1),
                    is_present: Constant::new((1 << G as LiteralType).into()),
                    is_second: Constant::new((1 << (G + 1) as LiteralType).into()),
                    none: Constant::new(0.into()),
                    $($field: Default::default(),)*
                }
            };
        }
        signals!(
            clock,
            enable,
            write,
            set,
            write_tag,
            write_present,
            write_round,
            look_tag,
            found,
            round,
            present,
            second
        )
    }
}
